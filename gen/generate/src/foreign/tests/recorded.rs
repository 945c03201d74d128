//! Recorded output of schemars 1.2.3 and serde_json 1.0 for Rust types, with results of another validator.

pub(super) struct Recorded {
    /// The name that tests use.
    pub(super) name: &'static str,
    /// The JSON Schema of the first type above it.
    pub(super) text: &'static str,
    /// Values of the type as a list.
    pub(super) values: &'static str,
    /// Documents and whether `text` accepts them: a list of pairs.
    pub(super) verdicts: &'static str,
}

#[rustfmt::skip]
pub(super) const RECORDED: &[Recorded] = &[
    // /// Every scalar of Rust.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(rename_all = "camelCase")]
    // pub struct Scalars {
    //     pub text: String,
    //     pub flag: bool,
    //     pub letter: char,
    //     pub signed8: i8,
    //     pub signed16: i16,
    //     pub signed32: i32,
    //     pub signed64: i64,
    //     pub signed128: i128,
    //     pub signed_size: isize,
    //     pub unsigned8: u8,
    //     pub unsigned16: u16,
    //     pub unsigned32: u32,
    //     pub unsigned64: u64,
    //     pub unsigned128: u128,
    //     pub unsigned_size: usize,
    //     pub float: f32,
    //     pub double: f64,
    // }
    Recorded {
        name: "scalars",
        text: r##"{"$defs":{"Scalars":{"description":"Every scalar of Rust.","properties":{"double":{"format":"double","type":"number"},"flag":{"type":"boolean"},"float":{"format":"float","type":"number"},"letter":{"maxLength":1,"minLength":1,"type":"string"},"signed128":{"format":"int128","type":"integer"},"signed16":{"format":"int16","maximum":32767,"minimum":-32768,"type":"integer"},"signed32":{"format":"int32","type":"integer"},"signed64":{"format":"int64","type":"integer"},"signed8":{"format":"int8","maximum":127,"minimum":-128,"type":"integer"},"signedSize":{"format":"int","type":"integer"},"text":{"type":"string"},"unsigned128":{"format":"uint128","minimum":0,"type":"integer"},"unsigned16":{"format":"uint16","maximum":65535,"minimum":0,"type":"integer"},"unsigned32":{"format":"uint32","minimum":0,"type":"integer"},"unsigned64":{"format":"uint64","minimum":0,"type":"integer"},"unsigned8":{"format":"uint8","maximum":255,"minimum":0,"type":"integer"},"unsignedSize":{"format":"uint","minimum":0,"type":"integer"}},"required":["text","flag","letter","signed8","signed16","signed32","signed64","signed128","signedSize","unsigned8","unsigned16","unsigned32","unsigned64","unsigned128","unsignedSize","float","double"],"type":"object"}},"$ref":"#/$defs/Scalars"}"##,
        values: r#"[{"double":-1e+300,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9}]"#,
        verdicts: r#"[[{"double":-1e+300,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":255,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},true],[{"double":-1e+300,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed16":32767,"signed32":9,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},true],[{"double":70000,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},true],[{"double":-1e+300,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed16":32767,"signed32":-2147483648,"signed64":8,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},true],[{"double":-1e+300,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":4294967295},true],[{"double":-1e+300,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed16":-1,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},true],[{"double":-1e+300,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":7,"unsigned64":7,"unsigned8":255,"unsignedSize":9},false],[{"double":0.5,"flag":true,"float":0.5,"letter":"é","signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},false],[{"double":-1e+300,"float":0.5,"letter":"é","signed128":"a","signed16":32767,"signed32":255,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},false],[{"double":-1e+300,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":"abcd","text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":{},"unsignedSize":9},false],[{"double":-1e+300,"flag":["a"],"float":0.5,"letter":"é","signed128":-5,"signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},false],[{"double":-1e+300,"flag":[1,1],"float":0.5,"letter":"é","signed128":true,"signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},false],[{"double":-1e+300,"flag":true,"float":{},"letter":"é","signed128":-5,"signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"unsigned128":8,"unsigned16":65535,"unsigned32":4294967295,"unsigned64":7,"unsigned8":255,"unsignedSize":9},false],[{"double":-1e+300,"flag":true,"float":0.5,"letter":"é","signed128":-5,"signed16":32767,"signed32":-2147483648,"signed64":9223372036854775807,"signed8":-128,"signedSize":3,"text":"a","unsigned128":0.5,"unsigned32":4294967295,"unsigned64":7,"unsigned8":1,"unsignedSize":9},false]]"#,
    },
    // /// Options in every position.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Optionals {
    //     pub number: Option<u32>,
    //     pub mode: Option<Mode>,
    //     pub any: Option<serde_json::Value>,
    //     pub nested: Option<Option<bool>>,
    //     pub items: Vec<Option<i32>>,
    //     pub values: BTreeMap<String, Option<Point>>,
    //     #[serde(default)]
    //     pub defaulted: Option<String>,
    //     #[serde(default = "Optionals::five")]
    //     pub five: Option<i32>,
    //     #[serde(deserialize_with = "Option::deserialize")]
    //     #[schemars(required, with = "Point")]
    //     pub point: Option<Point>,
    //     #[schemars(extend("x-note" = "kept nowhere"))]
    //     pub boxed: Option<Box<Point>>,
    // }
    //
    // /// How it works.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub enum Mode {
    //     Fast,
    //     Slow,
    // }
    //
    // /// A point.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Point {
    //     /// Across.
    //     pub x: i32,
    //     /// Up.
    //     pub y: i32,
    // }
    Recorded {
        name: "optionals",
        text: r##"{"$defs":{"Mode":{"description":"How it works.","enum":["Fast","Slow"],"type":"string"},"Optionals":{"description":"Options in every position.","properties":{"any":true,"boxed":{"anyOf":[{"$ref":"#/$defs/Point"},{"type":"null"}],"x-note":"kept nowhere"},"defaulted":{"default":null,"type":["string","null"]},"five":{"default":5,"format":"int32","type":["integer","null"]},"items":{"items":{"format":"int32","type":["integer","null"]},"type":"array"},"mode":{"anyOf":[{"$ref":"#/$defs/Mode"},{"type":"null"}]},"nested":{"type":["boolean","null"]},"number":{"format":"uint32","minimum":0,"type":["integer","null"]},"point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"},"values":{"additionalProperties":{"anyOf":[{"$ref":"#/$defs/Point"},{"type":"null"}]},"type":"object"}},"required":["items","values","point"],"type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/Optionals"}"##,
        values: r#"[{"any":{"a":[1,null]},"boxed":{"x":5,"y":6},"defaulted":"x","five":6,"items":[1,null],"mode":"Slow","nested":true,"number":3,"point":{"x":3,"y":4},"values":{"a":null,"b":{"x":1,"y":2}}},{"any":null,"boxed":null,"defaulted":null,"five":null,"items":[],"mode":null,"nested":null,"number":null,"point":{"x":0,"y":0},"values":{}}]"#,
        verdicts: r#"[[{"five":5,"items":[],"point":{"x":-1,"y":0},"values":{}},true],[{"five":null,"items":[],"point":{"x":0,"y":0},"values":{}},true],[{"any":{"a":[1,{}]},"boxed":{"x":5,"y":6},"defaulted":"x","five":6,"items":[1,null],"mode":"Slow","nested":true,"number":3,"point":{"x":3,"y":4},"values":{"a":null,"b":{"x":1,"y":2}}},true],[{"any":{"a":[1,null]},"boxed":{"x":5,"y":6},"defaulted":"x","items":[1,null],"mode":"Slow","nested":true,"number":3,"point":{"x":3,"y":1},"values":{"a":null,"b":{"x":1,"y":2}}},true],[{"any":{"a":[1,null]},"boxed":{"x":5,"y":6},"defaulted":"x","five":6,"items":[1,null],"mode":"Slow","nested":true,"number":3,"point":{"x":3,"y":4},"values":{"a":null,"b":{"x":1,"y":2}}},true],[{"five":null,"items":[],"point":{"x":5,"y":0},"values":{}},true],[{"five":[],"items":"Fast","point":{"x":0,"y":0},"values":{}},false],[{"any":{"a":[1,null]},"boxed":{"x":5,"y":6},"defaulted":"x","five":6,"items":[1,null],"mode":"Slow","nested":true,"number":3,"point":{"x":3,"y":4},"values":3},false],[{"any":{"a":[1,null]},"boxed":{"x":5,"y":6},"five":["a","a"],"items":[1,null],"mode":"Slow","nested":true,"number":3,"point":{"x":3,"y":4},"values":{"a":null,"b":{"x":1,"y":2}}},false],[{"five":"Slow","items":[],"number":true,"point":{"x":0,"y":0},"values":{}},false],[{"five":null,"items":[3],"number":"Slow","point":{"x":0,"y":0},"values":{}},false],[{"any":{"a":[1,null]},"boxed":{"x":5,"y":6},"defaulted":"x","five":6,"items":[1,null],"mode":"Slow","nested":"Slow","number":3,"point":{"x":3,"y":4},"values":{"a":null,"b":{"x":1,"y":2}}},false],[{"five":null,"items":[],"number":"Fast","point":{"x":0,"y":0},"values":{}},false],[{"five":null,"items":[],"point":{"y":0},"values":{}},false]]"#,
    },
    // /// A null that must be written.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct RequiredNull {
    //     #[schemars(schema_with = "nullable_number")]
    //     pub number: Option<i32>,
    // }
    Recorded {
        name: "required_null",
        text: r##"{"$defs":{"RequiredNull":{"description":"A null that must be written.","properties":{"number":{"format":"int32","type":["integer","null"]}},"required":["number"],"type":"object"}},"$ref":"#/$defs/RequiredNull"}"##,
        values: r#"[{"number":null},{"number":1}]"#,
        verdicts: r#"[[{"number":null},true],[{"number":-1},true],[{"number":5},true],[{"number":1},true],[{"number":0},true],[{"number":256},true],[{"number":{}},false],[{},false],[{"number":"abcdefghijklm"},false],[{"number":true},false],[{"number":"ABC"},false],[{"number":["a","a"]},false],[{"number":"abcd"},false],[{"number":[1,1]},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct NullInEnum {
    //     pub modes: Vec<Option<Mode>>,
    // }
    Recorded {
        name: "null_in_enum",
        text: r##"{"$defs":{"Mode":{"description":"How it works.","enum":["Fast","Slow"],"type":"string"},"NullInEnum":{"properties":{"modes":{"items":{"anyOf":[{"$ref":"#/$defs/Mode"},{"type":"null"}]},"type":"array"}},"required":["modes"],"type":"object"}},"$ref":"#/$defs/NullInEnum"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // /// Where to look.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(rename_all = "kebab-case")]
    // pub enum Documented {
    //     /// Here.
    //     Here,
    //     NotDocumented,
    //     /// There.
    //     OverThere,
    // }
    Recorded {
        name: "documented_enum",
        text: r##"{"$defs":{"Documented":{"description":"Where to look.","oneOf":[{"enum":["not-documented"],"type":"string"},{"const":"here","description":"Here.","type":"string"},{"const":"over-there","description":"There.","type":"string"}]}},"$ref":"#/$defs/Documented"}"##,
        values: r#"["here","not-documented","over-there"]"#,
        verdicts: r#"[["over-there",true],["not-documented",true],["here",true],["ABC",false],["",false],["a",false],["abcd",false],["abcdefghijklm",false],[[],false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub enum Renamed {
    //     #[serde(rename = "off")]
    //     Off,
    //     #[serde(rename = "1_000")]
    //     Thousand,
    // }
    Recorded {
        name: "renamed_enum",
        text: r##"{"$defs":{"Renamed":{"enum":["off","1_000"],"type":"string"}},"$ref":"#/$defs/Renamed"}"##,
        values: r#"["off","1_000"]"#,
        verdicts: r#"[["1_000",true],["off",true],["abcd",false],["",false],["ABC",false],["a",false],["abcdefghijklm",false],[0,false]]"#,
    },
    // /// What to do with a request.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(rename_all = "camelCase")]
    // pub enum External {
    //     /// Send it elsewhere.
    //     Redirect {
    //         /// The host.
    //         host: String,
    //         port: Option<u16>,
    //     },
    //     /// Send it to a list of hosts.
    //     Mirror(Vec<String>),
    //     Drop {},
    //     At(Point),
    // }
    Recorded {
        name: "external",
        text: r##"{"$defs":{"External":{"description":"What to do with a request.","oneOf":[{"additionalProperties":false,"description":"Send it elsewhere.","properties":{"redirect":{"properties":{"host":{"description":"The host.","type":"string"},"port":{"format":"uint16","maximum":65535,"minimum":0,"type":["integer","null"]}},"required":["host"],"type":"object"}},"required":["redirect"],"type":"object"},{"additionalProperties":false,"description":"Send it to a list of hosts.","properties":{"mirror":{"items":{"type":"string"},"type":"array"}},"required":["mirror"],"type":"object"},{"additionalProperties":false,"properties":{"drop":{"type":"object"}},"required":["drop"],"type":"object"},{"additionalProperties":false,"properties":{"at":{"$ref":"#/$defs/Point"}},"required":["at"],"type":"object"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/External"}"##,
        values: r#"[{"redirect":{"host":"h","port":null}},{"redirect":{"host":"h","port":80}},{"mirror":["a"]},{"drop":{}},{"at":{"x":1,"y":2}}]"#,
        verdicts: r#"[[{"mirror":[]},true],[{"drop":{}},true],[{"mirror":["a"]},true],[{"redirect":{"host":"h"}},true],[{"mirror":["abcd"]},true],[{"redirect":{"host":"h","port":80}},true],[{"redirect":5000000000},false],[{"mirror":["a",256,{}]},false],[{"redirect":{"host":"h","port":{}}},false],[{},false],[{"redirect":{"host":"h","port":70000}},false],[{"at":{"x":1,"y":{}}},false],[{"at":{"y":2}},false],[{"mirror":[{}]},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub enum ExternalWithUnits {
    //     /// Nothing.
    //     Nothing,
    //     Something {
    //         text: String,
    //     },
    // }
    Recorded {
        name: "external_with_units",
        text: r##"{"$defs":{"ExternalWithUnits":{"oneOf":[{"const":"Nothing","description":"Nothing.","type":"string"},{"additionalProperties":false,"properties":{"Something":{"properties":{"text":{"type":"string"}},"required":["text"],"type":"object"}},"required":["Something"],"type":"object"}]}},"$ref":"#/$defs/ExternalWithUnits"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub enum ExternalNothing {
    //     A(()),
    //     B(Point),
    // }
    Recorded {
        name: "external_unit_struct",
        text: r##"{"$defs":{"ExternalNothing":{"oneOf":[{"additionalProperties":false,"properties":{"A":{"type":"null"}},"required":["A"],"type":"object"},{"additionalProperties":false,"properties":{"B":{"$ref":"#/$defs/Point"}},"required":["B"],"type":"object"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/ExternalNothing"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub enum ExternalOptional {
    //     A(Option<Point>),
    //     B(Point),
    // }
    Recorded {
        name: "external_optional",
        text: r##"{"$defs":{"ExternalOptional":{"oneOf":[{"additionalProperties":false,"properties":{"A":{"anyOf":[{"$ref":"#/$defs/Point"},{"type":"null"}]}},"required":["A"],"type":"object"},{"additionalProperties":false,"properties":{"B":{"$ref":"#/$defs/Point"}},"required":["B"],"type":"object"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/ExternalOptional"}"##,
        values: r#"[{"A":null},{"A":{"x":1,"y":1}},{"B":{"x":1,"y":1}}]"#,
        verdicts: r#"[[{"B":{"x":1,"y":1}},true],[{"A":null},true],[{"A":{"x":1,"y":2}},true],[{"A":{"x":1,"y":1}},true],[{"B":{"x":1,"y":70000}},true],[{"B":{"x":1,"y":2}},true],[{},false],[{"B":256},false],[{"A":{"x":[],"y":"a"}},false],[{"A":{"y":1}},false],[{"A":70000},false],[{"A":{"x":1,"y":1},"B":{"x":[["a","a"]],"y":1}},false],[{"B":{"x":1}},false],[{"B":5000000000},false]]"#,
    },
    // /// A filter.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "type")]
    // pub enum Internal {
    //     /// Changes headers.
    //     Header {
    //         name: String,
    //         #[schemars(length(max = 10))]
    //         value: String,
    //     },
    //     /// Counts.
    //     Count {
    //         name: String,
    //         #[serde(default, skip_serializing_if = "Option::is_none")]
    //         limit: Option<u8>,
    //     },
    //     /// Nothing more.
    //     Nothing,
    //     Point(Point),
    // }
    Recorded {
        name: "internal",
        text: r##"{"$defs":{"Internal":{"description":"A filter.","oneOf":[{"description":"Changes headers.","properties":{"name":{"type":"string"},"type":{"const":"Header","type":"string"},"value":{"maxLength":10,"type":"string"}},"required":["type","name","value"],"type":"object"},{"description":"Counts.","properties":{"limit":{"format":"uint8","maximum":255,"minimum":0,"type":["integer","null"]},"name":{"type":"string"},"type":{"const":"Count","type":"string"}},"required":["type","name"],"type":"object"},{"description":"Nothing more.","properties":{"type":{"const":"Nothing","type":"string"}},"required":["type"],"type":"object"},{"$ref":"#/$defs/Point","properties":{"type":{"const":"Point","type":"string"}},"required":["type"],"type":"object"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/Internal"}"##,
        values: r#"[{"name":"n","type":"Header","value":"v"},{"name":"n","type":"Count"},{"limit":255,"name":"n","type":"Count"},{"type":"Nothing"},{"type":"Point","x":1,"y":2}]"#,
        verdicts: r#"[[{"name":"Count","type":"Count"},true],[{"type":"Nothing","x":1,"y":2},true],[{"name":"Point","type":"Count"},true],[{"name":"Header","type":"Count"},true],[{"type":"Nothing"},true],[{"limit":0,"name":"n","type":"Count"},true],[{"limit":{},"name":"n","type":5000000000},false],[{"x":"Header"},false],[{"name":"n","type":"Point","x":1,"y":[1,1]},false],[{"type":"Point","x":1,"y":"n"},false],[{"limit":"abcd","type":"Point","x":1,"y":{}},false],[{"x":1,"y":"Count"},false],[{"type":-1},false],[{"limit":"Point","name":"n","type":{}},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "kind", deny_unknown_fields)]
    // pub enum InternalClosed {
    //     A { text: String },
    //     B { text: String, number: i32 },
    //     C,
    // }
    Recorded {
        name: "internal_closed",
        text: r##"{"$defs":{"InternalClosed":{"oneOf":[{"additionalProperties":false,"properties":{"kind":{"const":"A","type":"string"},"text":{"type":"string"}},"required":["kind","text"],"type":"object"},{"additionalProperties":false,"properties":{"kind":{"const":"B","type":"string"},"number":{"format":"int32","type":"integer"},"text":{"type":"string"}},"required":["kind","text","number"],"type":"object"},{"additionalProperties":false,"properties":{"kind":{"const":"C","type":"string"}},"required":["kind"],"type":"object"}]}},"$ref":"#/$defs/InternalClosed"}"##,
        values: r#"[{"kind":"A","text":"t"},{"kind":"B","number":1,"text":"t"},{"kind":"C"}]"#,
        verdicts: r#"[[{"kind":"C"},true],[{"kind":"A","text":"A"},true],[{"kind":"B","number":1,"text":"t"},true],[{"kind":"B","number":1,"text":"A"},true],[{"kind":"A","text":"t"},true],[{"kind":"A","text":"B"},true],[{"number":"C"},false],[{"kind":"","number":1,"text":"ABC"},false],[{"kind":[],"number":1,"text":"t"},false],[{"kind":"A","text":[1,"C"]},false],[{"kind":"A"},false],[{"number":1,"text":"t"},false],[{},false],[{"kind":"B","number":1,"text":0},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "kind")]
    // pub enum InternalConflict {
    //     A { value: String },
    //     B { value: i32 },
    // }
    Recorded {
        name: "internal_conflict",
        text: r##"{"$defs":{"InternalConflict":{"oneOf":[{"properties":{"kind":{"const":"A","type":"string"},"value":{"type":"string"}},"required":["kind","value"],"type":"object"},{"properties":{"kind":{"const":"B","type":"string"},"value":{"format":"int32","type":"integer"}},"required":["kind","value"],"type":"object"}]}},"$ref":"#/$defs/InternalConflict"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "kind")]
    // pub enum InternalDefault {
    //     A {
    //         #[serde(default)]
    //         count: i32,
    //     },
    //     B {},
    // }
    Recorded {
        name: "internal_default",
        text: r##"{"$defs":{"InternalDefault":{"oneOf":[{"properties":{"count":{"default":0,"format":"int32","type":"integer"},"kind":{"const":"A","type":"string"}},"required":["kind"],"type":"object"},{"properties":{"kind":{"const":"B","type":"string"}},"required":["kind"],"type":"object"}]}},"$ref":"#/$defs/InternalDefault"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "kind")]
    // pub enum InternalNewtypes {
    //     /// The first.
    //     A(Point),
    //     /// The second.
    //     B(Size),
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Size {
    //     #[schemars(range(min = 1))]
    //     pub x: i32,
    //     pub depth: u8,
    // }
    Recorded {
        name: "internal_newtypes",
        text: r##"{"$defs":{"InternalNewtypes":{"oneOf":[{"$ref":"#/$defs/Point","description":"The first.","properties":{"kind":{"const":"A","type":"string"}},"required":["kind"],"type":"object"},{"$ref":"#/$defs/Size","description":"The second.","properties":{"kind":{"const":"B","type":"string"}},"required":["kind"],"type":"object"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"},"Size":{"properties":{"depth":{"format":"uint8","maximum":255,"minimum":0,"type":"integer"},"x":{"format":"int32","minimum":1,"type":"integer"}},"required":["x","depth"],"type":"object"}},"$ref":"#/$defs/InternalNewtypes"}"##,
        values: r#"[{"kind":"A","x":0,"y":0},{"depth":2,"kind":"B","x":1}]"#,
        verdicts: r#"[[{"kind":"A","x":0,"y":0},true],[{"depth":2,"kind":"B","x":1},true],[{"depth":0,"kind":"B","x":1},true],[{"depth":2,"kind":"B","x":1,"y":0},true],[{"depth":2,"kind":"A","x":0,"y":0},true],[{"depth":2,"kind":"B","x":1,"y":2},true],[{"depth":2,"kind":2,"x":1},false],[{"kind":"A","x":0,"y":"a"},false],[{"x":0,"y":"A"},false],[{"depth":2,"kind":"B","x":{}},false],[{"kind":"A","x":"B","y":{}},false],[{"x":0,"y":0},false],[{"depth":2,"kind":"B"},false],[{"depth":"ABC","kind":"B","x":0},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "t", content = "c")]
    // pub enum Adjacent {
    //     /// A point.
    //     Point(Point),
    //     Sized { depth: u8, x: i32 },
    //     Nothing,
    // }
    Recorded {
        name: "adjacent",
        text: r##"{"$defs":{"Adjacent":{"oneOf":[{"description":"A point.","properties":{"c":{"$ref":"#/$defs/Point"},"t":{"const":"Point","type":"string"}},"required":["t","c"],"type":"object"},{"properties":{"c":{"properties":{"depth":{"format":"uint8","maximum":255,"minimum":0,"type":"integer"},"x":{"format":"int32","type":"integer"}},"required":["depth","x"],"type":"object"},"t":{"const":"Sized","type":"string"}},"required":["t","c"],"type":"object"},{"properties":{"t":{"const":"Nothing","type":"string"}},"required":["t"],"type":"object"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/Adjacent"}"##,
        values: r#"[{"c":{"x":1,"y":2},"t":"Point"},{"c":{"depth":1,"x":2},"t":"Sized"},{"t":"Nothing"}]"#,
        verdicts: r#"[[{"t":"Nothing"},true],[{"c":{"x":1,"y":2},"t":"Point"},true],[{"c":{"x":1,"y":2},"t":"Nothing"},true],[{"c":{"depth":1,"x":2},"t":"Sized"},true],[{"c":{"depth":1,"x":70000},"t":"Sized"},true],[{"c":{"depth":1,"x":2},"t":"Nothing"},true],[{"c":{"x":1,"y":2},"t":70000},false],[{"t":["a"]},false],[{},false],[{"c":70000},false],[{"t":{}},false],[{"c":{"x":1,"y":["a","a"]},"t":"Point"},false],[{"t":"Point"},false],[{"t":"Sized"},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "t", content = "c")]
    // pub enum AdjacentConflict {
    //     Text(String),
    //     Number(i32),
    // }
    Recorded {
        name: "adjacent_conflict",
        text: r##"{"$defs":{"AdjacentConflict":{"oneOf":[{"properties":{"c":{"type":"string"},"t":{"const":"Text","type":"string"}},"required":["t","c"],"type":"object"},{"properties":{"c":{"format":"int32","type":"integer"},"t":{"const":"Number","type":"string"}},"required":["t","c"],"type":"object"}]}},"$ref":"#/$defs/AdjacentConflict"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "t", content = "c", deny_unknown_fields)]
    // pub enum AdjacentClosed {
    //     A { x: i32 },
    //     B { x: i32, y: i32 },
    //     C,
    // }
    Recorded {
        name: "adjacent_closed",
        text: r##"{"$defs":{"AdjacentClosed":{"oneOf":[{"additionalProperties":false,"properties":{"c":{"additionalProperties":false,"properties":{"x":{"format":"int32","type":"integer"}},"required":["x"],"type":"object"},"t":{"const":"A","type":"string"}},"required":["t","c"],"type":"object"},{"additionalProperties":false,"properties":{"c":{"additionalProperties":false,"properties":{"x":{"format":"int32","type":"integer"},"y":{"format":"int32","type":"integer"}},"required":["x","y"],"type":"object"},"t":{"const":"B","type":"string"}},"required":["t","c"],"type":"object"},{"additionalProperties":false,"properties":{"t":{"const":"C","type":"string"}},"required":["t"],"type":"object"}]}},"$ref":"#/$defs/AdjacentClosed"}"##,
        values: r#"[{"c":{"x":1},"t":"A"},{"c":{"x":1,"y":2},"t":"B"},{"t":"C"}]"#,
        verdicts: r#"[[{"c":{"x":1},"t":"A"},true],[{"t":"C"},true],[{"c":{"x":1,"y":2},"t":"B"},true],[{"c":{"x":-1},"t":"A"},true],[{"c":{"x":5,"y":2},"t":"B"},true],[{"c":{"x":1,"y":1},"t":"B"},true],[{"c":{"x":1},"t":-1},false],[{"c":{"x":1,"y":2},"t":"A"},false],[{"c":{"x":[],"y":2},"t":"B"},false],[{"c":[1,1],"t":"C"},false],[{"c":"abcd"},false],[{"c":{"x":0},"t":"ABC"},false],[{},false],[{"c":1},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "t", content = "c")]
    // pub enum AdjacentScalars {
    //     Short(#[schemars(length(max = 3))] String),
    //     Long(#[schemars(length(min = 10))] String),
    // }
    Recorded {
        name: "adjacent_scalars",
        text: r##"{"$defs":{"AdjacentScalars":{"oneOf":[{"properties":{"c":{"maxLength":3,"type":"string"},"t":{"const":"Short","type":"string"}},"required":["t","c"],"type":"object"},{"properties":{"c":{"minLength":10,"type":"string"},"t":{"const":"Long","type":"string"}},"required":["t","c"],"type":"object"}]}},"$ref":"#/$defs/AdjacentScalars"}"##,
        values: r#"[{"c":"abc","t":"Short"},{"c":"abcdefghijk","t":"Long"}]"#,
        verdicts: r#"[[{"c":"abcdefghijk","t":"Long"},true],[{"c":"","t":"Short"},true],[{"c":"a","t":"Short"},true],[{"c":"abc","t":"Short"},true],[{"c":"abcdefghijklm","t":"Long"},true],[{"c":"ABC","t":"Short"},true],[{"t":""},false],[{"c":"abcdefghijk","t":"Short"},false],[{"c":"Short","t":"Short"},false],[{"c":"abcdefghijk","t":{}},false],[{"t":"Long"},false],[{"c":{},"t":"Short"},false],[{"c":{},"t":["a"]},false],[{"c":"abc","t":"Long"},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(untagged)]
    // pub enum Port {
    //     Number(u16),
    //     Name(#[schemars(length(max = 15))] String),
    // }
    Recorded {
        name: "untagged_int_or_string",
        text: r##"{"$defs":{"Port":{"anyOf":[{"format":"uint16","maximum":65535,"minimum":0,"type":"integer"},{"maxLength":15,"type":"string"}]}},"$ref":"#/$defs/Port"}"##,
        values: r#"[80,"http"]"#,
        verdicts: r#"[["abcd",true],[80,true],["abcdefghijklm",true],[256,true],[1,true],["",true],[70000,false],[5000000000,false],[true,false],[-1,false],[["a","a"],false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(untagged)]
    // pub enum Mixed {
    //     Text(String),
    //     Point(Point),
    // }
    Recorded {
        name: "untagged_mixed",
        text: r##"{"$defs":{"Mixed":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/Point"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/Mixed"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(untagged)]
    // pub enum Either {
    //     Named { name: String },
    //     Counted { count: u32, name: Option<String> },
    // }
    Recorded {
        name: "untagged_objects",
        text: r##"{"$defs":{"Either":{"anyOf":[{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"},{"properties":{"count":{"format":"uint32","minimum":0,"type":"integer"},"name":{"type":["string","null"]}},"required":["count"],"type":"object"}]}},"$ref":"#/$defs/Either"}"##,
        values: r#"[{"name":"n"},{"count":1,"name":null},{"count":1,"name":"n"}]"#,
        verdicts: r#"[[{"count":1,"name":"abcdefghijklm"},true],[{"count":1,"name":"n"},true],[{"count":256,"name":"n"},true],[{"count":1},true],[{"count":1,"name":"a"},true],[{"name":"abcd"},true],[{"count":{}},false],[{},false],[{"name":256},false],[{"name":{}},false],[{"count":5,"name":true},false],[{"count":1,"name":0},false],[{"count":1.5},false],[{"count":["a"]},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(untagged)]
    // pub enum Open {
    //     Known(Mode),
    //     Other(String),
    // }
    Recorded {
        name: "untagged_open_enum",
        text: r##"{"$defs":{"Mode":{"description":"How it works.","enum":["Fast","Slow"],"type":"string"},"Open":{"anyOf":[{"$ref":"#/$defs/Mode"},{"type":"string"}]}},"$ref":"#/$defs/Open"}"##,
        values: r#"["Fast","other"]"#,
        verdicts: r#"[["a",true],["other",true],["Fast",true],["abcdefghijklm",true],["abcd",true],["ABC",true],[0,false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(untagged)]
    // pub enum Amount {
    //     Whole(i64),
    //     Fraction(f64),
    // }
    Recorded {
        name: "untagged_numbers",
        text: r##"{"$defs":{"Amount":{"anyOf":[{"format":"int64","type":"integer"},{"format":"double","type":"number"}]}},"$ref":"#/$defs/Amount"}"##,
        values: r#"[1,1.5]"#,
        verdicts: r#"[[5,true],[70000,true],[0,true],[-1,true],[1,true],[1.5,true],[true,false],["a",false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(untagged)]
    // pub enum Whatever {
    //     Text(String),
    //     Value(serde_json::Value),
    // }
    Recorded {
        name: "untagged_any",
        text: r##"{"$defs":{"Whatever":{"anyOf":[{"type":"string"},true]}},"$ref":"#/$defs/Whatever"}"##,
        values: r#"["t",{"a":1}]"#,
        verdicts: r#"[[{},true],[256,true],[[1,1],true],["a",true],[{"a":1},true],[{"a":1,"x":1,"y":2},true]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(untagged)]
    // pub enum OneOrMany {
    //     One(String),
    //     Many(Vec<String>),
    // }
    Recorded {
        name: "untagged_or_list",
        text: r##"{"$defs":{"OneOrMany":{"anyOf":[{"type":"string"},{"items":{"type":"string"},"type":"array"}]}},"$ref":"#/$defs/OneOrMany"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "type")]
    // pub enum VariantUntagged {
    //     A { a: i32 },
    //     #[serde(untagged)]
    //     Rest { rest: String },
    // }
    Recorded {
        name: "variant_untagged",
        text: r##"{"$defs":{"VariantUntagged":{"anyOf":[{"properties":{"a":{"format":"int32","type":"integer"},"type":{"const":"A","type":"string"}},"required":["type","a"],"type":"object"},{"properties":{"rest":{"type":"string"}},"required":["rest"],"type":"object"}]}},"$ref":"#/$defs/VariantUntagged"}"##,
        values: r#"[{"a":1,"type":"A"},{"rest":"r"}]"#,
        verdicts: r#"[[{"rest":"ABC"},true],[{"rest":"r"},true],[{"a":1,"rest":"r","type":"A"},true],[{"a":1,"type":"A"},true],[{"a":256,"type":"A"},true],[{"rest":"A"},true],[{"type":"A"},false],[{"a":"r","type":"A"},false],[{"a":1,"type":["a","a"]},false],[{},false],[{"a":"A","type":"A"},false],[{"a":"A","type":true},false],[{"a":5},false],[{"a":"ABC","type":"A"},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Flattening {
    //     pub own: String,
    //     #[serde(flatten)]
    //     pub point: Point,
    //     #[serde(flatten)]
    //     pub size: Option<Depth>,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Depth {
    //     pub depth: u8,
    // }
    Recorded {
        name: "flatten",
        text: r##"{"$defs":{"Flattening":{"description":"A point.","properties":{"depth":{"format":"uint8","maximum":255,"minimum":0,"type":"integer"},"own":{"type":"string"},"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["own","x","y"],"type":"object"}},"$ref":"#/$defs/Flattening"}"##,
        values: r#"[{"depth":1,"own":"o","x":1,"y":2},{"own":"o","x":1,"y":2}]"#,
        verdicts: r#"[[{"own":"o","x":1,"y":2},true],[{"own":"o","x":1,"y":70000},true],[{"depth":1,"own":"o","x":1,"y":2},true],[{"depth":5,"own":"o","x":1,"y":2},true],[{"own":"o","x":70000,"y":2},true],[{"depth":1,"own":"o","x":1,"y":1},true],[{"own":"o","x":["a","a"],"y":2},false],[{"own":[1,1],"x":1,"y":2},false],[{"own":{},"x":"ABC","y":2},false],[{"depth":"ABC","own":"o","x":1,"y":2},false],[{"depth":{},"own":"o","x":"","y":2},false],[{"depth":1,"x":1,"y":2},false],[{"depth":1,"own":256,"x":1,"y":2},false],[{"own":-1,"x":"a","y":2},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct FlattenInternal {
    //     pub own: String,
    //     #[serde(flatten)]
    //     pub filter: Internal,
    // }
    Recorded {
        name: "flatten_internal",
        text: r##"{"$defs":{"FlattenInternal":{"description":"A filter.","oneOf":[{"description":"Changes headers.","properties":{"name":{"type":"string"},"type":{"const":"Header","type":"string"},"value":{"maxLength":10,"type":"string"}},"required":["type","name","value"],"type":"object"},{"description":"Counts.","properties":{"limit":{"format":"uint8","maximum":255,"minimum":0,"type":["integer","null"]},"name":{"type":"string"},"type":{"const":"Count","type":"string"}},"required":["type","name"],"type":"object"},{"description":"Nothing more.","properties":{"type":{"const":"Nothing","type":"string"}},"required":["type"],"type":"object"},{"$ref":"#/$defs/Point","properties":{"type":{"const":"Point","type":"string"}},"required":["type"],"type":"object"}],"properties":{"own":{"type":"string"}},"required":["own"],"type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/FlattenInternal"}"##,
        values: r#"[{"name":"n","own":"o","type":"Header","value":"v"},{"name":"n","own":"o","type":"Count"},{"limit":255,"name":"n","own":"o","type":"Count"},{"own":"o","type":"Nothing"},{"own":"o","type":"Point","x":1,"y":2}]"#,
        verdicts: r#"[[{"limit":255,"name":"n","own":"Nothing","type":"Count"},true],[{"name":"n","own":"o","type":"Count","x":1,"y":2},true],[{"own":"Nothing","type":"Nothing"},true],[{"limit":5,"name":"n","own":"o","type":"Count"},true],[{"name":"abcd","own":"Nothing","type":"Header","value":"v"},true],[{"name":"Header","own":"o","type":"Header","value":"v"},true],[{"name":"n","type":"Count"},false],[{"name":"n","type":"Nothing","value":"v"},false],[{"own":"o","type":"Point","x":1,"y":{}},false],[{"limit":255,"own":"o","type":"Count"},false],[{"name":"n","type":"Header","value":"v"},false],[{"limit":255,"name":"n","own":"o","type":70000},false],[{"limit":255,"name":"Nothing","own":"o"},false],[{"own":255,"type":"Nothing","y":"o"},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct FlattenExternal {
    //     pub own: String,
    //     #[serde(flatten)]
    //     pub action: External,
    // }
    Recorded {
        name: "flatten_external",
        text: r##"{"$defs":{"FlattenExternal":{"description":"What to do with a request.","oneOf":[{"description":"Send it elsewhere.","properties":{"redirect":{"properties":{"host":{"description":"The host.","type":"string"},"port":{"format":"uint16","maximum":65535,"minimum":0,"type":["integer","null"]}},"required":["host"],"type":"object"}},"required":["redirect"],"type":"object"},{"description":"Send it to a list of hosts.","properties":{"mirror":{"items":{"type":"string"},"type":"array"}},"required":["mirror"],"type":"object"},{"properties":{"drop":{"type":"object"}},"required":["drop"],"type":"object"},{"properties":{"at":{"$ref":"#/$defs/Point"}},"required":["at"],"type":"object"}],"properties":{"own":{"type":"string"}},"required":["own"],"type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/FlattenExternal"}"##,
        values: r#"[{"drop":{},"own":"o"},{"at":{"x":1,"y":2},"own":"o"},{"own":"o","redirect":{"host":"h","port":1}}]"#,
        verdicts: r#"[[{"own":"o","redirect":{"host":"h","port":1}},true],[{"at":{"x":1,"y":2},"own":"o"},true],[{"drop":{},"own":"abcd"},true],[{"drop":{},"own":"o"},true],[{"at":{"x":256,"y":2},"own":"o"},true],[{"own":"abcdefghijklm","redirect":{"host":"h","port":1}},true],[{},false],[{"own":{},"redirect":{"host":"h","port":1}},false],[{"own":"o"},false],[{"at":{"x":1,"y":{}},"drop":0,"own":"o"},false],[{"drop":{}},false],[{"drop":{},"own":[]},false],[{"own":"o","redirect":{"host":{},"port":1}},false],[{"at":["a"],"drop":{},"own":{}},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct FlattenTwo {
    //     #[serde(flatten)]
    //     pub action: External,
    //     #[serde(flatten)]
    //     pub filter: Internal,
    // }
    Recorded {
        name: "flatten_two",
        text: r##"{"$defs":{"FlattenTwo":{"allOf":[{"oneOf":[{"description":"Send it elsewhere.","properties":{"redirect":{"properties":{"host":{"description":"The host.","type":"string"},"port":{"format":"uint16","maximum":65535,"minimum":0,"type":["integer","null"]}},"required":["host"],"type":"object"}},"required":["redirect"],"type":"object"},{"description":"Send it to a list of hosts.","properties":{"mirror":{"items":{"type":"string"},"type":"array"}},"required":["mirror"],"type":"object"},{"properties":{"drop":{"type":"object"}},"required":["drop"],"type":"object"},{"properties":{"at":{"$ref":"#/$defs/Point"}},"required":["at"],"type":"object"}]},{"oneOf":[{"description":"Changes headers.","properties":{"name":{"type":"string"},"type":{"const":"Header","type":"string"},"value":{"maxLength":10,"type":"string"}},"required":["type","name","value"],"type":"object"},{"description":"Counts.","properties":{"limit":{"format":"uint8","maximum":255,"minimum":0,"type":["integer","null"]},"name":{"type":"string"},"type":{"const":"Count","type":"string"}},"required":["type","name"],"type":"object"},{"description":"Nothing more.","properties":{"type":{"const":"Nothing","type":"string"}},"required":["type"],"type":"object"},{"$ref":"#/$defs/Point","properties":{"type":{"const":"Point","type":"string"}},"required":["type"],"type":"object"}]}],"description":"What to do with a request.","type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/FlattenTwo"}"##,
        values: r#"[{"mirror":[],"name":"n","type":"Header","value":"v"},{"mirror":[],"name":"n","type":"Count"},{"limit":255,"mirror":[],"name":"n","type":"Count"},{"mirror":[],"type":"Nothing"},{"mirror":[],"type":"Point","x":1,"y":2}]"#,
        verdicts: r#"[[{"mirror":[],"name":"n","type":"Point","x":1,"y":2},true],[{"mirror":["n"],"name":"n","type":"Count"},true],[{"limit":255,"mirror":["Point"],"name":"n","type":"Header","value":"n"},true],[{"mirror":["v"],"name":"n","type":"Header","value":"v"},true],[{"mirror":[],"type":"Nothing","value":"v"},true],[{"mirror":[],"name":"n","type":"Header","value":"v"},true],[{"mirror":[],"type":"Point","y":2},false],[{"limit":255,"mirror":[[]],"name":"n","type":"Count"},false],[{"mirror":[],"type":"Count"},false],[{"mirror":[]},false],[{"mirror":[{}],"type":"Nothing"},false],[{"mirror":"Count","type":"Nothing"},false],[{"mirror":[],"name":255,"type":"ABC"},false],[{"limit":255,"mirror":[],"name":"n","type":0},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(deny_unknown_fields)]
    // #[schemars(deny_unknown_fields)]
    // pub struct FlattenClosed {
    //     pub own: String,
    //     #[serde(flatten)]
    //     pub filter: Internal,
    // }
    Recorded {
        name: "flatten_closed",
        text: r##"{"$defs":{"FlattenClosed":{"description":"A filter.","oneOf":[{"description":"Changes headers.","properties":{"name":{"type":"string"},"type":{"const":"Header","type":"string"},"value":{"maxLength":10,"type":"string"}},"required":["type","name","value"],"type":"object"},{"description":"Counts.","properties":{"limit":{"format":"uint8","maximum":255,"minimum":0,"type":["integer","null"]},"name":{"type":"string"},"type":{"const":"Count","type":"string"}},"required":["type","name"],"type":"object"},{"description":"Nothing more.","properties":{"type":{"const":"Nothing","type":"string"}},"required":["type"],"type":"object"},{"$ref":"#/$defs/Point","properties":{"type":{"const":"Point","type":"string"}},"required":["type"],"type":"object"}],"properties":{"own":{"type":"string"}},"required":["own"],"type":"object","unevaluatedProperties":false},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/FlattenClosed"}"##,
        values: r#"[{"name":"n","own":"o","type":"Header","value":"v"},{"name":"n","own":"o","type":"Count"},{"limit":255,"name":"n","own":"o","type":"Count"},{"own":"o","type":"Nothing"},{"own":"o","type":"Point","x":1,"y":2}]"#,
        verdicts: r#"[[{"name":"abcdefghijklm","own":"o","type":"Header","value":"v"},true],[{"own":"o","type":"Nothing"},true],[{"limit":5,"name":"n","own":"o","type":"Count"},true],[{"limit":255,"name":"Nothing","own":"o","type":"Count"},true],[{"name":"Nothing","own":"o","type":"Count"},true],[{"own":"Nothing","type":"Nothing"},true],[{"own":"o","type":"","x":1,"y":2},false],[{"own":-1,"type":2,"x":1,"y":2},false],[{"name":[1,1],"own":"o","type":"Header"},false],[{"name":"n","own":"o","type":"Point"},false],[{"limit":255,"name":"n","type":"Count"},false],[{"own":"o","type":"n","x":1,"y":2},false],[{"name":"n","own":{},"type":"Header","value":"v"},false],[{"own":{},"type":"Point","x":1,"y":2},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct FlattenOptionalEnum {
    //     pub own: String,
    //     #[serde(flatten)]
    //     pub filter: Option<InternalNewtypes>,
    // }
    Recorded {
        name: "flatten_optional_enum",
        text: r##"{"$defs":{"FlattenOptionalEnum":{"anyOf":[{"oneOf":[{"$ref":"#/$defs/Point","description":"The first.","properties":{"kind":{"const":"A","type":"string"}},"required":["kind"],"type":"object"},{"$ref":"#/$defs/Size","description":"The second.","properties":{"kind":{"const":"B","type":"string"}},"required":["kind"],"type":"object"}]},{}],"properties":{"own":{"type":"string"}},"required":["own"],"type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"},"Size":{"properties":{"depth":{"format":"uint8","maximum":255,"minimum":0,"type":"integer"},"x":{"format":"int32","minimum":1,"type":"integer"}},"required":["x","depth"],"type":"object"}},"$ref":"#/$defs/FlattenOptionalEnum"}"##,
        values: r#"[{"own":"o"},{"depth":2,"kind":"B","own":"o","x":1}]"#,
        verdicts: r#"[[{"own":"abcd"},true],[{"kind":"B","own":"o","x":1},true],[{"depth":2,"own":"o","x":1},true],[{"own":"B"},true],[{"own":"o","x":5},true],[{"depth":2,"kind":"B","own":"o","x":1},true],[{"own":0},false],[{"depth":"","kind":"B"},false],[{"x":1,"y":2},false],[{},false],[{"own":["a","a"]},false],[{"kind":["a","a"]},false],[{"depth":2,"kind":"B","own":5000000000,"x":1},false],[{"kind":"B","x":1},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct FlattenAny {
    //     pub own: String,
    //     #[serde(flatten)]
    //     pub rest: BTreeMap<String, serde_json::Value>,
    // }
    Recorded {
        name: "flatten_any",
        text: r##"{"$defs":{"FlattenAny":{"additionalProperties":true,"properties":{"own":{"type":"string"}},"required":["own"],"type":"object"}},"$ref":"#/$defs/FlattenAny"}"##,
        values: r#"[{"a":{"b":[1]},"c":"d","own":"o"}]"#,
        verdicts: r#"[[{"a":{"b":256},"c":"d","own":"o"},true],[{"a":{"b":[1]},"c":"d","own":"o","x":1,"y":2},true],[{"a":{"b":[1]},"c":"d","own":"o"},true],[{"a":{"b":true},"c":"d","own":"o"},true],[{"a":{},"c":"ABC","own":""},true],[{"a":{"b":[1]},"c":true,"own":"o"},true],[{"a":{"b":[1]},"c":"d","own":{}},false],[{"a":{"b":[]},"c":0,"own":256},false],[{"a":{"b":[1],"own":{"a":{"b":[1]},"c":"d","own":"o"}},"c":"d","own":["a","a"]},false],[{"a":{},"c":"d","own":0},false],[{"a":{"b":[1]},"c":"d"},false],[{"c":""},false],[{"a":{"b":[1,{"a":"b"}]},"c":"d","own":{}},false],[{"a":{"b":[1]},"c":"d","own":1},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct FlattenTexts {
    //     pub own: String,
    //     #[serde(flatten)]
    //     pub rest: BTreeMap<String, String>,
    // }
    Recorded {
        name: "flatten_texts",
        text: r##"{"$defs":{"FlattenTexts":{"additionalProperties":{"type":"string"},"properties":{"own":{"type":"string"}},"required":["own"],"type":"object"}},"$ref":"#/$defs/FlattenTexts"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // /// No other fields.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(deny_unknown_fields)]
    // pub struct Closed {
    //     pub a: String,
    //     pub inner: ClosedEmpty,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(deny_unknown_fields)]
    // pub struct ClosedEmpty {}
    Recorded {
        name: "closed",
        text: r##"{"$defs":{"Closed":{"additionalProperties":false,"description":"No other fields.","properties":{"a":{"type":"string"},"inner":{"$ref":"#/$defs/ClosedEmpty"}},"required":["a","inner"],"type":"object"},"ClosedEmpty":{"additionalProperties":false,"type":"object"}},"$ref":"#/$defs/Closed"}"##,
        values: r#"[{"a":"a","inner":{}}]"#,
        verdicts: r#"[[{"a":"a","inner":{}},true],[{"a":"","inner":{}},true],[{"a":"abcdefghijklm","inner":{}},true],[{"a":"b","inner":{}},true],[{"a":"ABC","inner":{}},true],[{"a":"abcd","inner":{}},true],[{"a":5,"inner":{}},false],[{},false],[{"a":["a","a"]},false],[{"a":["a"],"inner":{}},false],[{"inner":{}},false],[{"a":1,"inner":{}},false],[{"a":"a","inner":5000000000},false],[{"a":70000,"inner":{}},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Maps {
    //     pub texts: BTreeMap<String, String>,
    //     pub points: HashMap<String, Point>,
    //     pub any: serde_json::Map<String, serde_json::Value>,
    //     pub lists: BTreeMap<String, Vec<u8>>,
    //     pub by_mode: BTreeMap<Mode2, i32>,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
    // pub enum Mode2 {
    //     Fast,
    //     Slow,
    // }
    Recorded {
        name: "maps",
        text: r##"{"$defs":{"Maps":{"properties":{"any":{"additionalProperties":true,"type":"object"},"by_mode":{"additionalProperties":false,"properties":{"Fast":{"format":"int32","type":"integer"},"Slow":{"format":"int32","type":"integer"}},"type":"object"},"lists":{"additionalProperties":{"items":{"format":"uint8","maximum":255,"minimum":0,"type":"integer"},"type":"array"},"type":"object"},"points":{"additionalProperties":{"$ref":"#/$defs/Point"},"type":"object"},"texts":{"additionalProperties":{"type":"string"},"type":"object"}},"required":["texts","points","any","lists","by_mode"],"type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/Maps"}"##,
        values: r#"[{"any":{"a":{"b":1}},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"points":{"a":{"x":1,"y":2}},"texts":{"a":"b"}}]"#,
        verdicts: r#"[[{"any":{"a":{"b":1}},"by_mode":{"Slow":1},"lists":{"Fast":[]},"points":{"a":{"x":1,"y":2}},"texts":{"a":"b"}},true],[{"any":{"a":{"b":1,"points":"a"}},"by_mode":{"Slow":1},"lists":{"a":[2],"any":[]},"points":{"a":{"x":1,"y":2}},"texts":{"a":"b"}},true],[{"any":{"a":{"b":1}},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"points":{"a":{"x":1,"y":2}},"texts":{}},true],[{"any":{"a":{"b":1,"points":"ABC"},"points":true},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"points":{"a":{"x":1,"y":2}},"texts":{"a":"b"}},true],[{"any":{"a":{}},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"points":{"a":{"x":1,"y":2}},"texts":{"a":"b"}},true],[{"any":{"a":70000},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"points":{"a":{"x":5,"y":2}},"texts":{"a":"b"}},true],[{"by_mode":{"Slow":1},"lists":{"a":[1,2,"abcd"]},"points":{"a":{"x":1,"y":2}},"texts":{"a":"b"}},false],[{"any":{"a":{"b":1}},"by_mode":{"Slow":1},"lists":{"a":[["a"],2]},"points":{"a":{"x":1,"y":2}},"texts":{"a":"b"}},false],[{"any":{"Fast":0,"a":{"b":1}},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"points":[1,1]},false],[{"any":{"a":{"b":1}},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"points":{"a":{"x":[1,1],"y":{}}},"texts":{"a":"b"}},false],[{"any":{"a":{"b":1}},"by_mode":{"Slow":1},"lists":true,"points":{"a":{"x":1}},"texts":{"a":"b"}},false],[{"any":{"a":{"a":{"x":1,"y":2}}},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"texts":{"a":"b"}},false],[{"any":{"a":{"b":1}},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"points":{"a":{"x":1,"y":{}}},"texts":{"a":"b"}},false],[{"any":{"a":{"b":1}},"by_mode":{"Slow":1},"lists":{"a":[1,2]},"points":{"a":[1,2]},"texts":{"a":"b"}},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct ByNumber {
    //     pub unsigned: BTreeMap<u32, String>,
    //     pub signed: BTreeMap<i32, String>,
    // }
    Recorded {
        name: "map_by_number",
        text: r##"{"$defs":{"ByNumber":{"properties":{"signed":{"additionalProperties":false,"patternProperties":{"^-?\\d+$":{"type":"string"}},"type":"object"},"unsigned":{"additionalProperties":false,"patternProperties":{"^\\d+$":{"type":"string"}},"type":"object"}},"required":["unsigned","signed"],"type":"object"}},"$ref":"#/$defs/ByNumber"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Sets {
    //     pub texts: BTreeSet<String>,
    //     pub numbers: HashSet<u16>,
    //     pub modes: BTreeSet<Mode2>,
    // }
    Recorded {
        name: "sets",
        text: r##"{"$defs":{"Mode2":{"enum":["Fast","Slow"],"type":"string"},"Sets":{"properties":{"modes":{"items":{"$ref":"#/$defs/Mode2"},"type":"array","uniqueItems":true},"numbers":{"items":{"format":"uint16","maximum":65535,"minimum":0,"type":"integer"},"type":"array","uniqueItems":true},"texts":{"items":{"type":"string"},"type":"array","uniqueItems":true}},"required":["texts","numbers","modes"],"type":"object"}},"$ref":"#/$defs/Sets"}"##,
        values: r#"[{"modes":["Fast","Slow"],"numbers":[1],"texts":["a","b"]}]"#,
        verdicts: r#"[[{"modes":["Fast","Slow"],"numbers":[1],"texts":["a","b"]},true],[{"modes":["Fast","Slow"],"numbers":[1],"texts":["abcdefghijklm","b"]},true],[{"modes":["Fast","Slow"],"numbers":[1],"texts":["Slow","b"]},true],[{"modes":["Fast","Slow"],"numbers":[1],"texts":["a","b","ABC"]},true],[{"modes":["Fast","Slow"],"numbers":[1],"texts":["a"]},true],[{"modes":["Fast","Slow"],"numbers":[1],"texts":["Fast","Slow"]},true],[{"modes":["Fast","Fast"],"numbers":"","texts":["a","b"]},false],[{"modes":["Fast","Slow"],"numbers":[1],"texts":[{},"b"]},false],[{"modes":["Fast","Slow"],"numbers":[1,["Fast","Slow"]],"texts":[1]},false],[{"numbers":[1],"texts":["a","b"]},false],[{"modes":["Fast","Slow"],"numbers":[["a","b"]],"texts":["a","b"]},false],[{"modes":["Fast","Slow"],"numbers":["Fast"],"texts":["a"]},false],[{"modes":["Fast",{}],"numbers":[1],"texts":"Slow"},false],[{"modes":["Fast","Slow",[]],"numbers":[1],"texts":["a","b"]},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct SetOfObjects {
    //     pub set: BTreeSet<Key>,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
    // pub struct Key {
    //     pub key: String,
    // }
    Recorded {
        name: "set_of_objects",
        text: r##"{"$defs":{"Key":{"properties":{"key":{"type":"string"}},"required":["key"],"type":"object"},"SetOfObjects":{"properties":{"set":{"items":{"$ref":"#/$defs/Key"},"type":"array","uniqueItems":true}},"required":["set"],"type":"object"}},"$ref":"#/$defs/SetOfObjects"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Tuples {
    //     pub pair: (String, i32),
    //     pub triple: Triple,
    //     pub pairs: Vec<(String, String)>,
    //     pub array: [i32; 3],
    //     pub none: [i32; 0],
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Triple(pub i32, pub i32, pub i32);
    Recorded {
        name: "tuples",
        text: r##"{"$defs":{"Triple":{"maxItems":3,"minItems":3,"prefixItems":[{"format":"int32","type":"integer"},{"format":"int32","type":"integer"},{"format":"int32","type":"integer"}],"type":"array"},"Tuples":{"properties":{"array":{"items":{"format":"int32","type":"integer"},"maxItems":3,"minItems":3,"type":"array"},"none":{"maxItems":0,"type":"array"},"pair":{"maxItems":2,"minItems":2,"prefixItems":[{"type":"string"},{"format":"int32","type":"integer"}],"type":"array"},"pairs":{"items":{"maxItems":2,"minItems":2,"prefixItems":[{"type":"string"},{"type":"string"}],"type":"array"},"type":"array"},"triple":{"$ref":"#/$defs/Triple"}},"required":["pair","triple","pairs","array","none"],"type":"object"}},"$ref":"#/$defs/Tuples"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Arrays {
    //     pub three: [i32; 3],
    //     pub none: [i32; 0],
    //     pub any: Vec<serde_json::Value>,
    //     pub lists: Vec<Vec<Point>>,
    //     #[schemars(length(min = 1, max = 5), inner(length(min = 2)))]
    //     pub bounded: Vec<String>,
    // }
    Recorded {
        name: "arrays",
        text: r##"{"$defs":{"Arrays":{"properties":{"any":{"items":true,"type":"array"},"bounded":{"items":{"minLength":2,"type":"string"},"maxItems":5,"minItems":1,"type":"array"},"lists":{"items":{"items":{"$ref":"#/$defs/Point"},"type":"array"},"type":"array"},"none":{"maxItems":0,"type":"array"},"three":{"items":{"format":"int32","type":"integer"},"maxItems":3,"minItems":3,"type":"array"}},"required":["three","none","any","lists","bounded"],"type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/Arrays"}"##,
        values: r#"[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"x":1,"y":2}],[]],"none":[],"three":[1,2,3]}]"#,
        verdicts: r#"[[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[]],"none":[],"three":[1,2,3]},true],[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"x":1,"y":2}],[]],"none":[],"three":[1,70000,3]},true],[{"any":[1,{"a":1},null,[1,{"a":1},null]],"bounded":["ab"],"lists":[[{"x":1,"y":2}],[]],"none":[],"three":[1,2,3]},true],[{"any":[1,{"a":1},0],"bounded":["ab"],"lists":[[{"x":1,"y":2}],[]],"none":[],"three":[1,2,3]},true],[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"x":1,"y":1}],[]],"none":[],"three":[1,2,3]},true],[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"x":-1,"y":2}],[]],"none":[],"three":[1,2,3]},true],[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"x":1,"y":0}],[1,{},null]],"none":[],"three":[1,2,3]},false],[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"x":1,"y":2}],null],"three":[1,2,3]},false],[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"y":2}],[]],"none":[],"three":[1,2,3]},false],[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"x":1,"y":2}],[]],"none":[],"three":[1,2,3,0]},false],[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"x":1,"y":2}],[]],"none":{}},false],[{"any":[1,{"a":1},null],"bounded":["ab"],"lists":[[{"x":1,"y":2}],["abcd"]],"none":[],"three":[1,2,3]},false],[{"any":1.5,"bounded":["ab"],"lists":[[{"x":1,"y":2}],[]],"none":[],"three":[1,2,3]},false],[{"any":[[],{"a":1},null],"bounded":["ab"],"lists":[[{"x":1,"y":"ABC"}],[]],"none":[],"three":[null,2,3]},false]]"#,
    },
    // /// A name, at most ten characters.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Name(#[schemars(length(max = 10), regex(pattern = r"^[a-z]+$"))] pub String);
    Recorded {
        name: "newtype",
        text: r##"{"$defs":{"Name":{"description":"A name, at most ten characters.","maxLength":10,"pattern":"^[a-z]+$","type":"string"}},"$ref":"#/$defs/Name"}"##,
        values: r#"["abc"]"#,
        verdicts: r#"[["abcd",true],["a",true],["abc",true],["ABC",false],["",false],["abcdefghijklm",false],[{},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct MaybePoint(pub Option<Point>);
    Recorded {
        name: "newtype_optional",
        text: r##"{"$defs":{"MaybePoint":{"anyOf":[{"$ref":"#/$defs/Point"},{"type":"null"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/MaybePoint"}"##,
        values: r#"[{"x":1,"y":2}]"#,
        verdicts: r#"[[{"x":5,"y":2},true],[{"x":1,"y":2},true],[{"x":1,"y":1},true],[{"x":5,"y":0},true],[{"x":1,"y":256},true],[{"x":1,"y":5},true],[{"x":1},false],[{"y":2},false],[{"x":{},"y":1.5},false],[{"x":{},"y":[]},false],[{"x":1,"y":{}},false],[{},false],[{"x":1,"y":["a","a"]},false],[{"x":1,"y":["a"]},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(transparent)]
    // pub struct Transparent {
    //     pub inner: Vec<Point>,
    // }
    Recorded {
        name: "transparent",
        text: r##"{"$defs":{"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"items":{"$ref":"#/$defs/Point"},"type":"array"}"##,
        values: r#"[[{"x":1,"y":2}]]"#,
        verdicts: r#"[[[{"x":0,"y":2}],true],[[{"x":1,"y":256}],true],[[{"x":256,"y":2}],true],[[{"x":1,"y":70000}],true],[[{"x":1,"y":5}],true],[[{"x":1,"y":2}],true],[[{"x":1,"y":[1,1]}],false],[[{"x":1,"y":"abcd"}],false],[[{"y":2}],false],[[{"x":"abcd","y":2}],false],[[{"x":{},"y":2}],false],[[{"x":1}],false],[[{"x":1,"y":[]}],false],[[{"x":[{"x":1,"y":{}}],"y":2}],false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Tree {
    //     pub name: String,
    //     pub children: Vec<Tree>,
    // }
    Recorded {
        name: "recursive",
        text: r##"{"$defs":{"Tree":{"properties":{"children":{"items":{"$ref":"#/$defs/Tree"},"type":"array"},"name":{"type":"string"}},"required":["name","children"],"type":"object"}},"$ref":"#/$defs/Tree"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Forest {
    //     pub trunk: Branch,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Branch {
    //     pub leaves: BTreeMap<String, Leaf>,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Leaf {
    //     pub on: Option<Box<Branch>>,
    // }
    Recorded {
        name: "mutually_recursive",
        text: r##"{"$defs":{"Branch":{"properties":{"leaves":{"additionalProperties":{"$ref":"#/$defs/Leaf"},"type":"object"}},"required":["leaves"],"type":"object"},"Forest":{"properties":{"trunk":{"$ref":"#/$defs/Branch"}},"required":["trunk"],"type":"object"},"Leaf":{"properties":{"on":{"anyOf":[{"$ref":"#/$defs/Branch"},{"type":"null"}]}},"type":"object"}},"$ref":"#/$defs/Forest"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // /// # Heading of the type
    // ///
    // /// Text of the type.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Descriptions {
    //     /// # Only a heading
    //     pub heading: String,
    //     /// Text of the field.
    //     ///
    //     /// More of it.
    //     pub point: Point,
    //     pub bare: Point,
    //     /// # Both
    //     ///
    //     /// With text.
    //     pub both: i32,
    //     #[schemars(title = "A title", description = "A text", example = 7, example = 8)]
    //     pub attributes: i32,
    //     #[deprecated]
    //     pub old: i32,
    //     #[serde(skip_serializing)]
    //     pub secret: String,
    //     #[serde(skip_deserializing)]
    //     pub computed: String,
    //     #[serde(skip)]
    //     pub skipped: i32,
    //     #[schemars(extend("$comment" = "why", "readOnly" = true, "contentEncoding" = "base64", "x-vendor" = {"a": 1}))]
    //     pub extended: String,
    // }
    Recorded {
        name: "descriptions",
        text: r##"{"$defs":{"Descriptions":{"description":"Text of the type.","properties":{"attributes":{"description":"A text","examples":[7,8],"format":"int32","title":"A title","type":"integer"},"bare":{"$ref":"#/$defs/Point"},"both":{"description":"With text.","format":"int32","title":"Both","type":"integer"},"extended":{"$comment":"why","contentEncoding":"base64","readOnly":true,"type":"string","x-vendor":{"a":1}},"heading":{"title":"Only a heading","type":"string"},"old":{"deprecated":true,"format":"int32","type":"integer"},"point":{"$ref":"#/$defs/Point","description":"Text of the field.\n\nMore of it."},"secret":{"type":"string","writeOnly":true}},"required":["heading","point","bare","both","attributes","old","secret","extended"],"title":"Heading of the type","type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/Descriptions"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // /// A type with markers.
    // ///
    // /// +kubebuilder:validation:MaxLength=3
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Leftover {
    //     /// A field.
    //     /// +optional
    //     pub field: String,
    // }
    Recorded {
        name: "leftover_markers",
        text: r##"{"$defs":{"Leftover":{"description":"A type with markers.\n\n+kubebuilder:validation:MaxLength=3","properties":{"field":{"description":"A field.\n+optional","type":"string"}},"required":["field"],"type":"object"}},"$ref":"#/$defs/Leftover"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(default)]
    // pub struct Defaults {
    //     pub text: String,
    //     pub number: u16,
    //     pub none: Option<String>,
    //     pub some: Option<i32>,
    //     pub point: PointWithDefaults,
    //     pub list: Vec<String>,
    //     pub map: BTreeMap<String, i32>,
    //     pub mode: Mode,
    //     #[serde(skip_serializing_if = "String::is_empty")]
    //     pub skipped: String,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize, Default)]
    // #[serde(default)]
    // pub struct PointWithDefaults {
    //     pub x: i32,
    //     pub label: Option<String>,
    // }
    Recorded {
        name: "defaults",
        text: r##"{"$defs":{"Defaults":{"properties":{"list":{"default":[],"items":{"type":"string"},"type":"array"},"map":{"additionalProperties":{"format":"int32","type":"integer"},"default":{},"type":"object"},"mode":{"$ref":"#/$defs/Mode","default":"Slow"},"none":{"default":null,"type":["string","null"]},"number":{"default":80,"format":"uint16","maximum":65535,"minimum":0,"type":"integer"},"point":{"$ref":"#/$defs/PointWithDefaults","default":{"label":null,"x":0}},"skipped":{"type":"string"},"some":{"default":3,"format":"int32","type":["integer","null"]},"text":{"default":"a","type":"string"}},"type":"object"},"Mode":{"description":"How it works.","enum":["Fast","Slow"],"type":"string"},"PointWithDefaults":{"properties":{"label":{"default":null,"type":["string","null"]},"x":{"default":0,"format":"int32","type":"integer"}},"type":"object"}},"$ref":"#/$defs/Defaults"}"##,
        values: r#"[{"list":[],"map":{},"mode":"Slow","none":null,"number":80,"point":{"label":null,"x":0},"some":3,"text":"a"},{}]"#,
        verdicts: r#"[[{"list":[],"map":{},"mode":"Fast","number":80,"some":3,"text":"a"},true],[{"list":[],"map":{},"mode":"Slow","number":80,"point":{"x":0},"some":3,"text":"a"},true],[{"list":[],"map":{},"mode":"Slow","number":80,"point":{"x":5},"some":3,"text":"a"},true],[{},true],[{"list":[],"map":{},"mode":"Slow","number":80,"some":3,"text":"a"},true],[{"list":[],"map":{},"mode":"Slow","number":80,"point":{},"some":3,"text":"a"},true],[{"some":{}},false],[{"list":[],"map":{},"mode":"Slow","number":5,"point":{"label":3,"x":0},"some":3,"text":"a"},false],[{"map":"a"},false],[{"list":[],"map":{},"mode":"Slow","number":"Slow","point":{"label":"a","x":0},"some":3,"text":"a"},false],[{"skipped":["abcd"]},false],[{"list":[],"map":{},"mode":"Slow","none":{},"number":80,"some":3,"text":"a"},false],[{"list":[],"map":[1,1],"mode":"Slow","number":80,"point":{"x":0},"some":3,"text":"a"},false],[{"some":[]},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct InvalidDefault {
    //     #[serde(default)]
    //     #[schemars(length(min = 1))]
    //     pub text: String,
    //     #[serde(default)]
    //     #[schemars(range(min = 1, max = 10))]
    //     pub number: i32,
    // }
    Recorded {
        name: "invalid_default",
        text: r##"{"$defs":{"InvalidDefault":{"properties":{"number":{"default":0,"format":"int32","maximum":10,"minimum":1,"type":"integer"},"text":{"default":"","minLength":1,"type":"string"}},"type":"object"}},"$ref":"#/$defs/InvalidDefault"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Validated {
    //     #[schemars(length(min = 1, max = 63), regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"))]
    //     pub name: String,
    //     #[schemars(range(min = 1, max = 65535))]
    //     pub port: i32,
    //     #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    //     pub ratio: f64,
    //     #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 10))]
    //     pub digit: u8,
    //     #[schemars(range(min = 0.5, max = 9.5))]
    //     pub odd: i32,
    //     #[schemars(range(max = 18446744073709551615u64))]
    //     pub big: u64,
    //     #[schemars(contains(pattern = "a.b"))]
    //     pub contains: String,
    //     #[schemars(email)]
    //     pub email: String,
    //     #[schemars(url)]
    //     pub url: String,
    //     #[schemars(required)]
    //     pub required: Option<String>,
    //     #[schemars(extend("enum" = ["b", "a"], "minLength" = 1))]
    //     pub chosen: String,
    //     #[schemars(extend("const" = "v1"))]
    //     pub constant: String,
    //     #[schemars(extend("multipleOf" = 5))]
    //     pub fives: i32,
    //     #[schemars(extend("minProperties" = 1))]
    //     pub map: BTreeMap<String, String>,
    // }
    Recorded {
        name: "validated",
        text: r##"{"$defs":{"Validated":{"properties":{"big":{"format":"uint64","maximum":18446744073709551615,"minimum":0,"type":"integer"},"chosen":{"enum":["b","a"],"minLength":1,"type":"string"},"constant":{"const":"v1","type":"string"},"contains":{"pattern":"a\\.b","type":"string"},"digit":{"exclusiveMaximum":10,"exclusiveMinimum":0,"format":"uint8","maximum":255,"minimum":0,"type":"integer"},"email":{"format":"email","type":"string"},"fives":{"format":"int32","multipleOf":5,"type":"integer"},"map":{"additionalProperties":{"type":"string"},"minProperties":1,"type":"object"},"name":{"maxLength":63,"minLength":1,"pattern":"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$","type":"string"},"odd":{"format":"int32","maximum":9.5,"minimum":0.5,"type":"integer"},"port":{"format":"int32","maximum":65535,"minimum":1,"type":"integer"},"ratio":{"exclusiveMaximum":1,"exclusiveMinimum":0,"format":"double","type":"number"},"required":{"type":"string"},"url":{"format":"uri","type":"string"}},"required":["name","port","ratio","digit","odd","big","contains","email","url","required","chosen","constant","fives","map"],"type":"object"}},"$ref":"#/$defs/Validated"}"##,
        values: r#"[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"}]"#,
        verdicts: r#"[[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"abcdefghijklm","url":"https://a.b/c"},true],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"v1"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"},true],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b","digit":"a"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"},true],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"},true],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"r"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"},true],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"v1","url":"https://a.b/c"},true],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":{},"map":{"a":"b"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"},false],[{"big":9,"chosen":"a","constant":"a","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"},false],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b"},"name":"a-b","odd":9,"port":"a","ratio":0.5,"required":"r","url":"https://a.b/c"},false],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b"},"name":"a-b","port":65535,"ratio":0.5,"required":"r","url":"v1"},false],[{"big":1,"chosen":"a","constant":[1,1],"contains":"xa.by","digit":"ABC","email":"a@b.cd","fives":10,"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"},false],[{"big":1,"chosen":"a","constant":"v1","contains":1.5,"digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b"},"name":"a-b","odd":9,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"},false],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{},"name":"a-b","odd":9,"port":65535,"ratio":[],"required":"r","url":"https://a.b/c"},false],[{"big":1,"chosen":"a","constant":"v1","contains":"xa.by","digit":9,"email":"a@b.cd","fives":10,"map":{"a":"b"},"name":"a-b","odd":10,"port":65535,"ratio":0.5,"required":"r","url":"https://a.b/c"},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Lookahead {
    //     #[schemars(regex(pattern = r"^(?!a)b"))]
    //     pub text: String,
    // }
    Recorded {
        name: "lookahead",
        text: r##"{"$defs":{"Lookahead":{"properties":{"text":{"pattern":"^(?!a)b","type":"string"}},"required":["text"],"type":"object"}},"$ref":"#/$defs/Lookahead"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct NonZero {
    //     pub unsigned: std::num::NonZeroU8,
    //     pub large: std::num::NonZeroU64,
    //     pub signed: std::num::NonZeroI32,
    //     pub small: std::num::NonZeroI8,
    //     pub optional: Option<std::num::NonZeroU16>,
    //     pub optional_signed: Option<std::num::NonZeroI64>,
    // }
    Recorded {
        name: "nonzero",
        text: r##"{"$defs":{"NonZero":{"properties":{"large":{"format":"uint64","minimum":1,"type":"integer"},"optional":{"format":"uint16","maximum":65535,"minimum":1,"type":["integer","null"]},"optional_signed":{"format":"int64","not":{"const":0},"type":["integer","null"]},"signed":{"format":"int32","not":{"const":0},"type":"integer"},"small":{"format":"int8","maximum":127,"minimum":-128,"not":{"const":0},"type":"integer"},"unsigned":{"format":"uint8","maximum":255,"minimum":1,"type":"integer"}},"required":["unsigned","large","signed","small"],"type":"object"}},"$ref":"#/$defs/NonZero"}"##,
        values: r#"[{"large":5,"optional":null,"optional_signed":-7,"signed":-1,"small":-128,"unsigned":1}]"#,
        verdicts: r#"[[{"large":5,"signed":-1,"small":-128,"unsigned":1},true],[{"large":5,"optional_signed":-7,"signed":-1,"small":-128,"unsigned":1},true],[{"large":70000,"optional_signed":-7,"signed":-1,"small":-128,"unsigned":1},true],[{"large":256,"optional_signed":-7,"signed":-1,"small":-128,"unsigned":1},true],[{"large":5,"optional_signed":-7,"signed":-1,"small":-128,"unsigned":5},true],[{"large":5,"optional":1,"optional_signed":-7,"signed":-1,"small":-128,"unsigned":1},true],[{"optional_signed":-7,"signed":-1,"small":-128,"unsigned":"a"},false],[{"large":5,"optional_signed":-7,"signed":-1,"small":0,"unsigned":[]},false],[{"large":5,"optional_signed":-7,"small":"","unsigned":1},false],[{"large":5,"optional_signed":-7,"signed":-1,"small":0,"unsigned":1},false],[{"large":5,"optional_signed":-7,"signed":-1,"small":-128,"unsigned":-1},false],[{"large":5,"optional_signed":-7,"signed":256,"unsigned":1},false],[{"large":5,"optional_signed":[],"signed":-1,"small":-128,"unsigned":1},false],[{"large":5,"optional_signed":-7,"signed":-1,"small":-128},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct StandardTypes {
    //     pub duration: std::time::Duration,
    //     pub time: std::time::SystemTime,
    //     pub range: std::ops::Range<u8>,
    //     pub path: std::path::PathBuf,
    //     pub v4: std::net::Ipv4Addr,
    //     pub v6: std::net::Ipv6Addr,
    //     pub address: std::net::IpAddr,
    //     pub socket: std::net::SocketAddr,
    //     pub result: Result<Point, String>,
    //     pub boxed: Box<str>,
    //     pub cow: std::borrow::Cow<'static, str>,
    //     pub number: serde_json::Number,
    // }
    Recorded {
        name: "standard_types",
        text: r##"{"$defs":{"Duration":{"properties":{"nanos":{"format":"uint32","minimum":0,"type":"integer"},"secs":{"format":"uint64","minimum":0,"type":"integer"}},"required":["secs","nanos"],"type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"},"Range_of_uint8":{"properties":{"end":{"format":"uint8","maximum":255,"minimum":0,"type":"integer"},"start":{"format":"uint8","maximum":255,"minimum":0,"type":"integer"}},"required":["start","end"],"type":"object"},"Result_of_Point_or_string":{"oneOf":[{"properties":{"Ok":{"$ref":"#/$defs/Point"}},"required":["Ok"],"type":"object"},{"properties":{"Err":{"type":"string"}},"required":["Err"],"type":"object"}]},"StandardTypes":{"properties":{"address":{"format":"ip","type":"string"},"boxed":{"type":"string"},"cow":{"type":"string"},"duration":{"$ref":"#/$defs/Duration"},"number":{"type":"number"},"path":{"type":"string"},"range":{"$ref":"#/$defs/Range_of_uint8"},"result":{"$ref":"#/$defs/Result_of_Point_or_string"},"socket":{"type":"string"},"time":{"$ref":"#/$defs/SystemTime"},"v4":{"format":"ipv4","type":"string"},"v6":{"format":"ipv6","type":"string"}},"required":["duration","time","range","path","v4","v6","address","socket","result","boxed","cow","number"],"type":"object"},"SystemTime":{"properties":{"nanos_since_epoch":{"format":"uint32","minimum":0,"type":"integer"},"secs_since_epoch":{"format":"uint64","minimum":0,"type":"integer"}},"required":["secs_since_epoch","nanos_since_epoch"],"type":"object"}},"$ref":"#/$defs/StandardTypes"}"##,
        values: r#"[{"address":"::1","boxed":"b","cow":"c","duration":{"nanos":500000000,"secs":1},"number":5,"path":"/a","range":{"end":5,"start":1},"result":{"Ok":{"x":1,"y":2}},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"127.0.0.1","v6":"::1"},{"address":"127.0.0.1","boxed":"","cow":"","duration":{"nanos":0,"secs":1152921504606846976},"number":1.5,"path":"","range":{"end":255,"start":0},"result":{"Err":"e"},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"0.0.0.0","v6":"::"}]"#,
        verdicts: r#"[[{"address":"::1","boxed":"127.0.0.1:80","cow":"c","duration":{"nanos":500000000,"secs":1},"number":5,"path":"/a","range":{"end":5,"start":1},"result":{"Ok":{"x":1,"y":2}},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"127.0.0.1","v6":"::1"},true],[{"address":"::1","boxed":"b","cow":"c","duration":{"nanos":500000000,"secs":1},"number":5,"path":"/a","range":{"end":5,"start":1},"result":{"Ok":{"x":1,"y":2}},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"127.0.0.1","v6":"::1"},true],[{"address":"127.0.0.1","boxed":"","cow":"","duration":{"nanos":0,"secs":1152921504606846976},"number":1.5,"path":"","range":{"end":255,"start":0},"result":{"Err":"e"},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"0.0.0.0","v6":"::"},true],[{"address":"127.0.0.1","boxed":"","cow":"","duration":{"nanos":0,"secs":1152921504606846976},"number":1.5,"path":"","range":{"end":255,"start":0},"result":{"Err":"e"},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"0.0.0.0","v6":"::1"},true],[{"address":"::1","boxed":"b","cow":"c","duration":{"nanos":500000000,"secs":1},"number":5,"path":"::1","range":{"end":5,"start":1},"result":{"Ok":{"x":1,"y":2}},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"127.0.0.1","v6":"::1"},true],[{"address":"127.0.0.1","boxed":"","cow":"","duration":{"nanos":0,"secs":1152921504606846976},"number":1.5,"path":"","range":{"end":5,"start":0},"result":{"Err":"e"},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"0.0.0.0","v6":"::"},true],[{"address":"127.0.0.1","boxed":"","cow":"","duration":{"nanos":0,"secs":1152921504606846976},"number":1.5,"path":"","range":{"end":255},"result":{"Err":"::1"},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"0.0.0.0","v6":"::"},false],[{"address":"127.0.0.1","boxed":"","cow":"::","duration":{"nanos":"b","secs":1152921504606846976},"number":1.5,"path":"","range":{"end":255,"start":0},"result":{"Err":"e"},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"0.0.0.0","v6":"::"},false],[{"address":"::1","boxed":"b","cow":"c","duration":{"nanos":500000000,"secs":1},"number":5,"path":"/a","range":{"end":5,"start":{}},"result":{"Ok":{"x":1,"y":2}},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"127.0.0.1","v6":"::1"},false],[{"address":"127.0.0.1","boxed":"","cow":"","duration":{"nanos":0,"secs":"ABC"},"number":1.5,"path":"","result":{},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"0.0.0.0","v6":"::"},false],[{"address":"127.0.0.1","boxed":"","cow":"","duration":{"nanos":0,"secs":1152921504606846976},"number":1.5,"path":"","range":{"end":255,"start":0},"result":{"Err":"e"},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":"127.0.0.1:80","secs_since_epoch":0},"v4":"0.0.0.0","v6":"::"},false],[{"address":"::1","boxed":"b","cow":"c","duration":{"nanos":500000000,"secs":1},"number":5,"path":"127.0.0.1:80","range":{"end":5,"start":1},"result":{},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"127.0.0.1","v6":"::1"},false],[{"address":"127.0.0.1","boxed":"","cow":[1,1],"duration":{"nanos":0,"secs":1152921504606846976},"number":1.5,"path":"","range":{"end":255,"start":0},"result":{"Err":"e"},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":"0.0.0.0","v6":"::1"},false],[{"address":"127.0.0.1","boxed":"","cow":256,"duration":{"nanos":1,"secs":1152921504606846976},"number":1.5,"path":"","range":{"end":255,"start":0},"result":{"Err":"e"},"socket":"127.0.0.1:80","time":{"nanos_since_epoch":0,"secs_since_epoch":0},"v4":[],"v6":"::"},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Bounds {
    //     pub bound: std::ops::Bound<i32>,
    // }
    Recorded {
        name: "bound",
        text: r##"{"$defs":{"Bound_of_int32":{"oneOf":[{"properties":{"Included":{"format":"int32","type":"integer"}},"required":["Included"],"type":"object"},{"properties":{"Excluded":{"format":"int32","type":"integer"}},"required":["Excluded"],"type":"object"},{"const":"Unbounded","type":"string"}]},"Bounds":{"properties":{"bound":{"$ref":"#/$defs/Bound_of_int32"}},"required":["bound"],"type":"object"}},"$ref":"#/$defs/Bounds"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Crates {
    //     pub uuid: uuid::Uuid,
    //     pub url: url::Url,
    //     pub when: chrono::DateTime<chrono::Utc>,
    //     pub day: chrono::NaiveDate,
    //     pub local: chrono::NaiveDateTime,
    //     pub time: chrono::NaiveTime,
    //     pub weekday: chrono::Weekday,
    // }
    Recorded {
        name: "crates",
        text: r##"{"$defs":{"Crates":{"properties":{"day":{"format":"date","type":"string"},"local":{"format":"partial-date-time","type":"string"},"time":{"format":"partial-time","type":"string"},"url":{"format":"uri","type":"string"},"uuid":{"format":"uuid","type":"string"},"weekday":{"enum":["Mon","Tue","Wed","Thu","Fri","Sat","Sun"],"type":"string"},"when":{"format":"date-time","type":"string"}},"required":["uuid","url","when","day","local","time","weekday"],"type":"object"}},"$ref":"#/$defs/Crates"}"##,
        values: r#"[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"01:02:03","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"}]"#,
        verdicts: r#"[[{"day":"2024-02-29","local":"Wed","time":"01:02:03","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},true],[{"day":"2024-02-29","local":"1970-01-01T00:00:01.000005Z","time":"01:02:03","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},true],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"01:02:03","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},true],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"a","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},true],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"Tue","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},true],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"abcdefghijklm","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},true],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"01:02:03","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun"},false],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"01:02:03","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","when":"1970-01-01T00:00:01.000005Z"},false],[{"local":"2024-02-29T01:02:03","time":"01:02:03","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},false],[{"day":"2024-02-29","local":{},"time":"01:02:03","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},false],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"01:02:03","url":-1,"uuid":"00000000-0000-0000-0000-000000000000","weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},false],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"01:02:03","url":"mailto:a@b.cd","uuid":"00000000-0000-0000-0000-000000000000","weekday":"01:02:03","when":"1970-01-01T00:00:01.000005Z"},false],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"01:02:03","url":"mailto:a@b.cd","uuid":5000000000,"weekday":"Sun","when":["a","a"]},false],[{"day":"2024-02-29","local":"2024-02-29T01:02:03","time":"01:02:03","url":"mailto:a@b.cd","uuid":{},"weekday":"Sun","when":"1970-01-01T00:00:01.000005Z"},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Delta {
    //     pub delta: chrono::TimeDelta,
    // }
    Recorded {
        name: "time_delta",
        text: r##"{"$defs":{"Delta":{"properties":{"delta":{"maxItems":2,"minItems":2,"prefixItems":[{"format":"int64","type":"integer"},{"exclusiveMaximum":1000000000,"minimum":0,"type":"integer"}],"type":"array"}},"required":["delta"],"type":"object"}},"$ref":"#/$defs/Delta"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct CText {
    //     pub text: std::ffi::CString,
    // }
    Recorded {
        name: "bytes_or_text",
        text: r##"{"$defs":{"CString":{"items":{"maximum":255,"minimum":1,"type":"integer"},"type":["array","string"]},"CText":{"properties":{"text":{"$ref":"#/$defs/CString"}},"required":["text"],"type":"object"}},"$ref":"#/$defs/CText"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Units {
    //     pub unit: (),
    //     pub phantom: std::marker::PhantomData<i32>,
    //     pub unit_struct: Unit,
    //     pub empty: Empty,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Unit;
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Empty {}
    Recorded {
        name: "units",
        text: r##"{"$defs":{"Empty":{"type":"object"},"Unit":{"type":"null"},"Units":{"properties":{"empty":{"$ref":"#/$defs/Empty"},"phantom":{"type":"null"},"unit":{"type":"null"},"unit_struct":{"$ref":"#/$defs/Unit"}},"required":["unit","phantom","unit_struct","empty"],"type":"object"}},"$ref":"#/$defs/Units"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct HasNever {
    //     pub never: Never,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub enum Never {}
    Recorded {
        name: "never",
        text: r##"{"$defs":{"HasNever":{"properties":{"never":{"$ref":"#/$defs/Never"}},"required":["never"],"type":"object"},"Never":false},"$ref":"#/$defs/HasNever"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Singles {
    //     pub unit: OnlyUnit,
    //     pub documented: OnlyDocumented,
    //     pub external: OnlyExternal,
    //     pub internal: OnlyInternal,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub enum OnlyUnit {
    //     A,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub enum OnlyDocumented {
    //     /// The only one.
    //     A,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub enum OnlyExternal {
    //     /// The only one.
    //     A { a: i32 },
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "type")]
    // pub enum OnlyInternal {
    //     A { a: i32 },
    // }
    Recorded {
        name: "single_variants",
        text: r##"{"$defs":{"OnlyDocumented":{"oneOf":[{"const":"A","description":"The only one.","type":"string"}]},"OnlyExternal":{"oneOf":[{"additionalProperties":false,"description":"The only one.","properties":{"A":{"properties":{"a":{"format":"int32","type":"integer"}},"required":["a"],"type":"object"}},"required":["A"],"type":"object"}]},"OnlyInternal":{"oneOf":[{"properties":{"a":{"format":"int32","type":"integer"},"type":{"const":"A","type":"string"}},"required":["type","a"],"type":"object"}]},"OnlyUnit":{"enum":["A"],"type":"string"},"Singles":{"properties":{"documented":{"$ref":"#/$defs/OnlyDocumented"},"external":{"$ref":"#/$defs/OnlyExternal"},"internal":{"$ref":"#/$defs/OnlyInternal"},"unit":{"$ref":"#/$defs/OnlyUnit"}},"required":["unit","documented","external","internal"],"type":"object"}},"$ref":"#/$defs/Singles"}"##,
        values: r#"[{"documented":"A","external":{"A":{"a":1}},"internal":{"a":1,"type":"A"},"unit":"A"}]"#,
        verdicts: r#"[[{"documented":"A","external":{"A":{"a":-1}},"internal":{"a":1,"type":"A"},"unit":"A"},true],[{"documented":"A","external":{"A":{"a":1}},"internal":{"a":1,"type":"A"},"unit":"A"},true],[{"documented":"A","external":{"A":{"a":256}},"internal":{"a":1,"type":"A"},"unit":"A"},true],[{"documented":"A","external":{"A":{"a":1}},"internal":{"a":0,"type":"A"},"unit":"A"},true],[{"documented":"A","external":{"A":{"a":1}},"internal":{"a":256,"type":"A"},"unit":"A"},true],[{"documented":"A","external":{"A":{"a":1}},"unit":"A"},false],[{"documented":"A","external":{"A":{"a":1}},"internal":{"a":"A","type":"A"},"unit":"A"},false],[{"documented":"A","external":{"A":{"a":1}},"internal":{"a":{},"type":"A"},"unit":"A"},false],[{"documented":"A","external":{"A":{"a":1}},"internal":{"a":1,"type":[]},"unit":"A"},false],[{"documented":"A","external":{"A":{"a":1}},"internal":{"a":1,"type":"ABC"},"unit":"A"},false],[{"documented":"A","external":{"A":{"a":"A"}},"internal":{"a":1,"type":5},"unit":"A"},false],[{"external":{"A":{"a":1}},"internal":{"a":1,"type":"A"},"unit":"A"},false],[{"documented":"A","external":{"A":{"a":1}},"internal":1,"unit":"A"},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[schemars(extend("x-kubernetes-validations" = [{"rule": "self.items.size() > 0", "message": "too few"}]))]
    // pub struct Extended {
    //     #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["key"]))]
    //     pub items: Vec<Key>,
    //     #[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
    //     pub free: Empty,
    //     #[schemars(extend("x-kubernetes-group-version-kind" = [{"group": "", "kind": "X", "version": "v1"}]))]
    //     pub group: String,
    // }
    Recorded {
        name: "kubernetes_extensions",
        text: r##"{"$defs":{"Empty":{"type":"object"},"Extended":{"properties":{"free":{"$ref":"#/$defs/Empty","x-kubernetes-preserve-unknown-fields":true},"group":{"type":"string","x-kubernetes-group-version-kind":[{"group":"","kind":"X","version":"v1"}]},"items":{"items":{"$ref":"#/$defs/Key"},"type":"array","x-kubernetes-list-map-keys":["key"],"x-kubernetes-list-type":"map"}},"required":["items","free","group"],"type":"object","x-kubernetes-validations":[{"message":"too few","rule":"self.items.size() > 0"}]},"Key":{"properties":{"key":{"type":"string"}},"required":["key"],"type":"object"}},"$ref":"#/$defs/Extended"}"##,
        values: r#"[{"free":{},"group":"g","items":[{"key":"a"}]}]"#,
        verdicts: r#"[[{"free":{},"group":"g","items":[{"key":"a"}]},true],[{"free":{},"group":"ABC","items":[{"key":"a"}]},true],[{"free":{"group":"g"},"group":"g","items":[{"key":"a"}]},true],[{"free":{"group":5},"group":"g","items":[{"key":"a"}]},true],[{"free":{"key":null},"group":"","items":[]},true],[{"free":{"free":{"a":"b"}},"group":"g","items":[{"key":"a"}]},true],[{"free":{},"items":[{}]},false],[{"free":{},"group":5000000000,"items":[{"key":"a"}]},false],[{"free":{},"group":70000,"items":[{"key":"a"}]},false],[{"free":{},"group":"g","items":[{"key":"a"},["a","a"]]},false],[{"free":{},"group":["a","a"],"items":[{"key":"a"}]},false],[{"free":{},"group":5,"items":[{"key":"a"}]},false],[{"free":{},"group":"g","items":[5]},false],[{"free":{},"group":"g","items":[{"key":"a"},-1]},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct UnknownKeywords {
    //     #[schemars(extend("propertyNames" = {"pattern": "^a"}))]
    //     pub names: BTreeMap<String, String>,
    //     #[schemars(extend("contains" = {"const": "a"}))]
    //     pub contains: Vec<String>,
    //     #[schemars(extend("if" = {"minLength": 1}, "then" = {"maxLength": 3}))]
    //     pub conditional: String,
    //     #[schemars(extend("myOwn" = 1))]
    //     pub own: String,
    //     #[schemars(extend("x-kubernetes-future" = 1))]
    //     pub future: String,
    //     #[schemars(extend("dependentRequired" = {"a": ["b"]}))]
    //     pub dependent: BTreeMap<String, String>,
    //     #[schemars(extend("maxLength" = "many"))]
    //     pub wrong: String,
    //     #[schemars(extend("not" = {"type": "string"}))]
    //     pub not: i32,
    // }
    Recorded {
        name: "unknown_keywords",
        text: r##"{"$defs":{"UnknownKeywords":{"properties":{"conditional":{"if":{"minLength":1},"then":{"maxLength":3},"type":"string"},"contains":{"contains":{"const":"a"},"items":{"type":"string"},"type":"array"},"dependent":{"additionalProperties":{"type":"string"},"dependentRequired":{"a":["b"]},"type":"object"},"future":{"type":"string","x-kubernetes-future":1},"names":{"additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^a"},"type":"object"},"not":{"format":"int32","not":{"type":"string"},"type":"integer"},"own":{"myOwn":1,"type":"string"},"wrong":{"maxLength":"many","type":"string"}},"required":["names","contains","conditional","own","future","dependent","wrong","not"],"type":"object"}},"$ref":"#/$defs/UnknownKeywords"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Generics {
    //     pub a: Wrapper<Point>,
    //     pub b: Wrapper<Vec<String>>,
    // }
    //
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct Wrapper<T> {
    //     pub inner: T,
    // }
    Recorded {
        name: "generic",
        text: r##"{"$defs":{"Generics":{"properties":{"a":{"$ref":"#/$defs/Wrapper"},"b":{"$ref":"#/$defs/Wrapper2"}},"required":["a","b"],"type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"},"Wrapper":{"properties":{"inner":{"$ref":"#/$defs/Point"}},"required":["inner"],"type":"object"},"Wrapper2":{"properties":{"inner":{"items":{"type":"string"},"type":"array"}},"required":["inner"],"type":"object"}},"$ref":"#/$defs/Generics"}"##,
        values: r#"[{"a":{"inner":{"x":1,"y":2}},"b":{"inner":["a"]}}]"#,
        verdicts: r#"[[{"a":{"inner":{"x":1,"y":2}},"b":{"inner":["a"]}},true],[{"a":{"inner":{"x":0,"y":1}},"b":{"inner":["a"]}},true],[{"a":{"inner":{"x":1,"y":1}},"b":{"inner":["a"]}},true],[{"a":{"inner":{"x":1,"y":2}},"b":{"inner":[""]}},true],[{"a":{"inner":{"x":1,"y":2}},"b":{"inner":["abcd"]}},true],[{"a":{"inner":{"x":0,"y":2}},"b":{"inner":["a"]}},true],[{"a":{"inner":{"x":1,"y":2}},"b":{"inner":[{}]}},false],[{"a":{"inner":{"x":1,"y":2}},"b":{"inner":["a",256]}},false],[{"a":{},"b":{"inner":["a"]}},false],[{"a":{"inner":{"x":1,"y":2}},"b":{}},false],[{"a":{"inner":{"x":["a","a"],"y":2}},"b":{"inner":true}},false],[{"a":{"inner":{"y":2}},"b":{"inner":["a"]}},false],[{"a":["a"],"b":{"inner":["a"]}},false],[{"b":{"inner":["a"]}},false]]"#,
    },
    // /// A reference with a default and words of its own.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct RefDefault {
    //     /// The point of the field.
    //     #[serde(default = "RefDefault::origin")]
    //     pub point: Point,
    //     #[serde(default = "RefDefault::mode")]
    //     pub mode: Documented,
    // }
    Recorded {
        name: "ref_default",
        text: r##"{"$defs":{"Documented":{"description":"Where to look.","oneOf":[{"enum":["not-documented"],"type":"string"},{"const":"here","description":"Here.","type":"string"},{"const":"over-there","description":"There.","type":"string"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"},"RefDefault":{"description":"A reference with a default and words of its own.","properties":{"mode":{"$ref":"#/$defs/Documented","default":"over-there"},"point":{"$ref":"#/$defs/Point","default":{"x":0,"y":0},"description":"The point of the field."}},"type":"object"}},"$ref":"#/$defs/RefDefault"}"##,
        values: r#"[{"mode":"here","point":{"x":1,"y":2}},{}]"#,
        verdicts: r#"[[{},true],[{"mode":"here","point":{"x":1,"y":2}},true],[{"mode":"here"},true],[{"point":{"x":1,"y":2}},true],[{"mode":"over-there"},true],[{"mode":"here","point":{"x":1,"y":-1}},true],[{"mode":"here","point":{"x":"a","y":2}},false],[{"mode":"here","point":{"x":1,"y":{}}},false],[{"mode":"here","point":{"y":""}},false],[{"mode":"here","point":{"x":true,"y":2}},false],[{"mode":"here","point":{"x":1,"y":"not-documented"}},false],[{"point":["a"]},false],[{"mode":"here","point":""},false],[{"mode":"here","point":{"x":{},"y":2}},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct OptionalWithOneField {
    //     pub one: Option<OneField>,
    //     pub untagged: OneFieldOrOther,
    // }
    //
    // /// Has one field.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct OneField {
    //     /// The field.
    //     pub field: String,
    // }
    //
    // /// Untagged.
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(untagged)]
    // pub enum OneFieldOrOther {
    //     /// The first.
    //     One(OneField),
    //     /// The second.
    //     Other {
    //         /// The other field.
    //         other: String,
    //     },
    // }
    Recorded {
        name: "optional_with_one_field",
        text: r##"{"$defs":{"OneField":{"description":"Has one field.","properties":{"field":{"description":"The field.","type":"string"}},"required":["field"],"type":"object"},"OneFieldOrOther":{"anyOf":[{"$ref":"#/$defs/OneField","description":"The first."},{"description":"The second.","properties":{"other":{"description":"The other field.","type":"string"}},"required":["other"],"type":"object"}],"description":"Untagged."},"OptionalWithOneField":{"properties":{"one":{"anyOf":[{"$ref":"#/$defs/OneField"},{"type":"null"}]},"untagged":{"$ref":"#/$defs/OneFieldOrOther"}},"required":["untagged"],"type":"object"}},"$ref":"#/$defs/OptionalWithOneField"}"##,
        values: r#"[{"one":{"field":"f"},"untagged":{"other":"o"}},{"one":null,"untagged":{"field":"f"}}]"#,
        verdicts: r#"[[{"untagged":{"field":"f"}},true],[{"one":{"field":"abcd"},"untagged":{"other":"o"}},true],[{"untagged":{"other":"o"}},true],[{"one":{"field":"f"},"untagged":{"field":"ABC","other":"o"}},true],[{"one":{"field":"a"},"untagged":{"other":"o"}},true],[{"one":{"field":"f"},"untagged":{"other":"o"}},true],[{"one":5,"untagged":[1,1]},false],[{"one":{"field":"f"},"untagged":{"other":{}}},false],[{"one":{"field":"f"},"untagged":{"other":1}},false],[{"one":0,"untagged":{"field":"f"}},false],[{"one":{"field":"f"}},false],[{"one":{},"untagged":{"field":"f"}},false],[{"one":"","untagged":{"field":"f"}},false],[{"untagged":{}},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct RenamedForReading {
    //     #[serde(rename(serialize = "out", deserialize = "in"), alias = "input")]
    //     pub field: String,
    // }
    Recorded {
        name: "renamed_for_reading",
        text: r##"{"$defs":{"RenamedForReading":{"properties":{"in":{"type":"string"}},"required":["in"],"type":"object"}},"$ref":"#/$defs/RenamedForReading"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // pub struct LikeKeywords {
    //     pub description: String,
    //     pub default: i32,
    //     #[serde(rename = "$ref")]
    //     pub reference: String,
    //     #[serde(rename = "enum")]
    //     pub values: Vec<String>,
    //     pub properties: Point,
    //     pub required: bool,
    //     #[serde(rename = "type")]
    //     pub kind: String,
    //     pub title: String,
    // }
    Recorded {
        name: "properties_like_keywords",
        text: r##"{"$defs":{"LikeKeywords":{"properties":{"$ref":{"type":"string"},"default":{"format":"int32","type":"integer"},"description":{"type":"string"},"enum":{"items":{"type":"string"},"type":"array"},"properties":{"$ref":"#/$defs/Point"},"required":{"type":"boolean"},"title":{"type":"string"},"type":{"type":"string"}},"required":["description","default","$ref","enum","properties","required","type","title"],"type":"object"},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/LikeKeywords"}"##,
        values: r#"[{"$ref":"r","default":1,"description":"d","enum":["v"],"properties":{"x":1,"y":2},"required":true,"title":"t","type":"k"}]"#,
        verdicts: r#"[[{"$ref":"r","default":1,"description":"d","enum":["v"],"properties":{"x":1,"y":2},"required":true,"title":"t","type":"k"},true],[{"$ref":"r","default":1,"description":"d","enum":["v"],"properties":{"x":1,"y":2},"required":true,"title":"k","type":"k"},true],[{"$ref":"r","default":1,"description":"d","enum":["v"],"properties":{"x":1,"y":2},"required":true,"title":"","type":"k"},true],[{"$ref":"r","default":1,"description":"t","enum":["v"],"properties":{"x":1,"y":2},"required":true,"title":"t","type":"k"},true],[{"$ref":"r","default":1,"description":"d","enum":["ABC"],"properties":{"x":1,"y":2},"required":true,"title":"t","type":"k"},true],[{"$ref":"r","default":1,"description":"d","enum":["v"],"properties":{"x":1,"y":2},"required":true,"title":"d","type":"k"},true],[{"$ref":"r","default":1,"description":"d","enum":["v"],"properties":{"x":1,"y":"k"},"required":true,"title":"t","type":"k"},false],[{"$ref":"r","default":1,"description":"d","enum":["v"],"properties":{"x":1,"y":2},"required":true,"type":"k"},false],[{"default":{},"description":"d","enum":["v"],"properties":{"x":1,"y":2},"required":true,"title":"t","type":"k"},false],[{"$ref":"r","default":1,"description":"d","enum":["v"],"properties":{"y":2},"required":true,"title":"t","type":"k"},false],[{"$ref":"r","default":1,"description":{},"enum":["v"],"properties":{"x":1,"y":2},"required":true,"title":"t","type":"k"},false],[{"$ref":"r","default":1,"description":"abcd","enum":["v"],"properties":{"x":1,"y":2},"title":"t","type":"k"},false],[{"$ref":"r","default":1,"description":"d","enum":["v"],"properties":{"x":1,"y":2},"required":true,"title":5000000000,"type":"k"},false],[{"$ref":"ABC","default":{},"description":"d","enum":["v"],"properties":{"x":5,"y":2},"required":true,"title":"t","type":"k"},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "kind")]
    // pub enum Metadata {
    //     A {
    //         #[schemars(length(max = 3))]
    //         metadata: String,
    //     },
    //     B {
    //         metadata: String,
    //     },
    // }
    Recorded {
        name: "string_refinements",
        text: r##"{"$defs":{"Metadata":{"oneOf":[{"properties":{"kind":{"const":"A","type":"string"},"metadata":{"maxLength":3,"type":"string"}},"required":["kind","metadata"],"type":"object"},{"properties":{"kind":{"const":"B","type":"string"},"metadata":{"type":"string"}},"required":["kind","metadata"],"type":"object"}]}},"$ref":"#/$defs/Metadata"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "kind", content = "of")]
    // pub enum Lists {
    //     Short(#[schemars(length(max = 2), inner(length(max = 3)))] Vec<String>),
    //     Long(#[schemars(length(min = 5))] Vec<String>),
    // }
    Recorded {
        name: "lists_in_variants",
        text: r##"{"$defs":{"Lists":{"oneOf":[{"properties":{"kind":{"const":"Short","type":"string"},"of":{"items":{"maxLength":3,"type":"string"},"maxItems":2,"type":"array"}},"required":["kind","of"],"type":"object"},{"properties":{"kind":{"const":"Long","type":"string"},"of":{"items":{"type":"string"},"minItems":5,"type":"array"}},"required":["kind","of"],"type":"object"}]}},"$ref":"#/$defs/Lists"}"##,
        values: r#"[{"kind":"Short","of":["abc"]},{"kind":"Long","of":["abcdef","b","c","d","e"]}]"#,
        verdicts: r#"[[{"kind":"Short","of":["abc"]},true],[{"kind":"Long","of":["abcdef","b","c","d","e"]},true],[{"kind":"Long","of":["abcdef","b","Short","Long","Short"]},true],[{"kind":"Long","of":["abcdef","b","c","Short","e"]},true],[{"kind":"Long","of":["abcdef","b","c","d","Short"]},true],[{"kind":"Long","of":["abcdef","b","c","d","abcd"]},true],[{"kind":5,"of":["abc"]},false],[{"kind":"Long","of":["abcdef","b","c","d"]},false],[{"kind":"Long","of":["abcdef","b","c","d",{}]},false],[{"kind":true,"of":["abc"]},false],[{"kind":"Long","of":["Short",5000000000,"c","d","e"]},false],[{"kind":"Short","of":[["a","a"]]},false],[{"kind":"Short"},false],[{"kind":"Long","of":["abcdef","b","c","d",0]},false]]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "kind", content = "of")]
    // pub enum MapsInVariants {
    //     Numbers(BTreeMap<String, i32>),
    //     Point(Point),
    // }
    Recorded {
        name: "maps_in_variants",
        text: r##"{"$defs":{"MapsInVariants":{"oneOf":[{"properties":{"kind":{"const":"Numbers","type":"string"},"of":{"additionalProperties":{"format":"int32","type":"integer"},"type":"object"}},"required":["kind","of"],"type":"object"},{"properties":{"kind":{"const":"Point","type":"string"},"of":{"$ref":"#/$defs/Point"}},"required":["kind","of"],"type":"object"}]},"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"$ref":"#/$defs/MapsInVariants"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // #[derive(JsonSchema, Serialize, Deserialize)]
    // #[serde(tag = "kind", content = "of")]
    // pub enum NumbersInVariants {
    //     Small(u8),
    //     Middle(i32),
    //     Large(i64),
    // }
    Recorded {
        name: "numbers_in_variants",
        text: r##"{"$defs":{"NumbersInVariants":{"oneOf":[{"properties":{"kind":{"const":"Small","type":"string"},"of":{"format":"uint8","maximum":255,"minimum":0,"type":"integer"}},"required":["kind","of"],"type":"object"},{"properties":{"kind":{"const":"Middle","type":"string"},"of":{"format":"int32","type":"integer"}},"required":["kind","of"],"type":"object"},{"properties":{"kind":{"const":"Large","type":"string"},"of":{"format":"int64","type":"integer"}},"required":["kind","of"],"type":"object"}]}},"$ref":"#/$defs/NumbersInVariants"}"##,
        values: r#"[{"kind":"Small","of":255},{"kind":"Middle","of":-70000},{"kind":"Large","of":1099511627776}]"#,
        verdicts: r#"[[{"kind":"Middle","of":-70000},true],[{"kind":"Large","of":1099511627776},true],[{"kind":"Large","of":-70000},true],[{"kind":"Middle","of":0},true],[{"kind":"Large","of":255},true],[{"kind":"Large","of":5},true],[{"kind":{},"of":255},false],[{"kind":"Middle","of":{}},false],[{"kind":1.5,"of":[1,1]},false],[{"kind":5,"of":255},false],[{"of":1099511627776},false],[{"kind":"Middle","of":[]},false],[{"kind":"Large","of":"Large"},false],[{"of":255},false]]"#,
    },
    // Option<Point>
    Recorded {
        name: "option_top",
        text: r##"{"$defs":{"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"anyOf":[{"$ref":"#/$defs/Point"},{"type":"null"}]}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // Vec<Point>
    Recorded {
        name: "list_top",
        text: r##"{"$defs":{"Point":{"description":"A point.","properties":{"x":{"description":"Across.","format":"int32","type":"integer"},"y":{"description":"Up.","format":"int32","type":"integer"}},"required":["x","y"],"type":"object"}},"items":{"$ref":"#/$defs/Point"},"type":"array"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // serde_json::Value
    Recorded {
        name: "value_top",
        text: r#"true"#,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
    // std::time::Duration
    Recorded {
        name: "duration_top",
        text: r##"{"$defs":{"Duration":{"properties":{"nanos":{"format":"uint32","minimum":0,"type":"integer"},"secs":{"format":"uint64","minimum":0,"type":"integer"}},"required":["secs","nanos"],"type":"object"}},"$ref":"#/$defs/Duration"}"##,
        values: r#"[]"#,
        verdicts: r#"[]"#,
    },
];
