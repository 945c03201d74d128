"""Reads each object of `objects.json` as the class that is generated for it, and compares what is written."""

import importlib
import json

for entry in json.load(open("objects.json")):
    module, _, name = entry["schema"].rpartition(".")
    model = getattr(importlib.import_module("models." + module.replace("-", "_")), name)
    written = model.model_validate(entry["object"]).model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert written == entry["object"], f"{entry['schema']}\n{entry['object']}\n{written}"
