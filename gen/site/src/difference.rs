//! The differences between neighbours, as small as they can be: keys of findings with their usual values are left out.
//!
//! Invariants: with the usual values put back, the findings are those of the JSON document of `diff`, in its order, without the lines of files:
//! the page has to be the same wherever the files are. Findings about stamps that require no bump
//! are left out: every release has them for every CRD. `before` and `after` are never left out, because null is a value of them.

use serde_json::{Map, Value, json};

/// What keys of a finding mean if they are left out.
pub(crate) fn defaults() -> Value {
    json!({
        "decidedBy": null,
        "decides": false,
        "direction": null,
        "help": null,
        "known": false,
        "loweredBy": null,
        "needs": [],
        "path": "",
        "source": null,
        "version": null,
        "waived": null,
        "warning": false,
        "witness": null,
    })
}

/// A difference: of the JSON document of `diff`, what the page needs.
pub(crate) fn difference(from: usize, to: usize, document: &Value) -> Value {
    let defaults = defaults();
    let list = |key: &str| document.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let channels = list("channels").iter().filter(|channel| channel.get("checked") == Some(&Value::Bool(true)));
    let channels = channels
        .filter_map(|channel| Some((channel.get("channel")?.as_str()?.to_owned(), channel.get("verdict")?.clone())));
    let is_stamp = |finding: &&Value| {
        finding.get("rule").is_some_and(|rule| rule == "stamps")
            && finding.get("effectiveBump").is_some_and(|bump| bump == "none")
    };
    let findings =
        list("findings").iter().filter(|finding| !is_stamp(finding)).map(|finding| without(finding, &defaults));
    let of = |key: &str| document.get(key).cloned().unwrap_or_default();
    let mut difference = json!({
        "from": from,
        "to": to,
        "verdict": of("verdict"),
        "permitted": of("permitted"),
        "fits": of("fits"),
        "profile": of("profile"),
        "channels": channels.collect::<Map<_, _>>(),
        "findings": findings.collect::<Vec<_>>(),
    });
    if let Some(more) = document.get("more") {
        difference["more"] = more.clone();
    }
    difference
}

fn without(finding: &Value, defaults: &Value) -> Value {
    let entries = finding.as_object().into_iter().flatten();
    let kept = entries.filter(|(key, value)| *key != "source" && defaults.get(key.as_str()) != Some(*value));
    Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}
