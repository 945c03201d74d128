//! The presentation of resources to users: descriptions (`kubectl explain`, OpenAPI), columns (`kubectl get`), names, short names and
//! categories.
//!
//! Invariants: the two servers are shared, so all objects are in the namespace `presentation` or have a name with that prefix.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crd_channels::Channel;
use crd_model::Schema;
use crd_model::crd::PrinterColumn;
use crd_model::schema::AdditionalProperties;
use serde_json::{Value, json};

use crate::documents::{VersionedKind, crds, crds_of, our_examples};
use crate::requests::{Answer, TIME_LIMIT, create_namespace, create_whole};
use crate::server::{Server, server};
use crate::switching::difference::{nodes, only_experimental, only_experimental_values};

const NAMESPACE: &str = "presentation";

/// Experimental fields whose descriptions do not mention the channel. Should be empty.
const UNMARKED_FIELDS: [(&str, &str); 0] = [];

/// Experimental enum values that the description of the field does not mention. Both channels have the same description, and standard should
/// not describe values that it does not have.
const UNMARKED_VALUES: [(&str, &str, &str); 2] = [
    ("HTTPRoute", ".spec.rules[].backendRefs[].filters[].type", "ExternalAuth"),
    ("HTTPRoute", ".spec.rules[].filters[].type", "ExternalAuth"),
];

/// The number of fields that are explained one by one, in each channel.
const SAMPLE: usize = 16;

/// The versions that a channel serves.
fn served(channel: Channel) -> impl Iterator<Item = VersionedKind> {
    VersionedKind::all(channel).filter(|versioned| versioned.version.served)
}

/// The path for `kubectl explain`, without lists and maps.
fn explained(path: &str) -> String {
    path.replace("[]", "").replace("{}", "")
}

/// The words of a text with single spaces, as a terminal shows them.
fn normalized(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn get(server: &Server, path: &str) -> Answer {
    server.send("GET", path, None)
}

/// The published schema of this version, for `kubectl explain`, completion in editors, and generated clients.
fn published(document: &Value, versioned: VersionedKind) -> Option<Value> {
    let wanted = json!({"group": versioned.crd.group, "kind": versioned.kind(), "version": versioned.version.name});
    let schemas = document["components"]["schemas"].as_object()?;
    let is_it = |schema: &&Value| {
        schema["x-kubernetes-group-version-kind"].as_array().is_some_and(|list| list.contains(&wanted))
    };
    schemas.values().find(is_it).cloned()
}

/// Normalises numbers: a server writes 1 instead of 1.0.
fn numbers(value: &mut Value) {
    match value {
        Value::Number(number) => *value = json!(number.as_f64()),
        Value::Array(list) => list.iter_mut().for_each(numbers),
        Value::Object(map) => map.values_mut().for_each(numbers),
        _ => {}
    }
}

/// Collects the differences between two values.
fn compare(ours: &Value, theirs: &Value, path: &str, differences: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys().filter(|key| !left.contains_key(*key))) {
                let none = Value::Null;
                let (left, right) = (left.get(key).unwrap_or(&none), right.get(key).unwrap_or(&none));
                compare(left, right, &format!("{path}/{key}"), differences);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                compare(left, right, &format!("{path}/{index}"), differences);
            }
        }
        _ if ours == theirs => {}
        _ => differences.push(format!("{path}: {ours} is published as {theirs}")),
    }
}

/// The properties of each root schema whose contents a server replaces.
const KUBERNETES_OWN: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Every schema is published as generated, including descriptions, except for three nodes of each root.
#[test]
fn every_description_is_published() {
    for channel in Channel::ALL {
        let Some(server) = server(crds_of(channel)) else { return };
        let (mut schemas, mut described) = (0, 0);
        let mut own_words = BTreeSet::new();
        for versioned in served(channel) {
            let path = format!("/openapi/v3/apis/{}", versioned.api_version());
            let start = Instant::now();
            // A server publishes a schema some time after it serves the version.
            let mut found = loop {
                match published(&get(server, &path).body, versioned) {
                    Some(schema) => break schema,
                    None => assert!(start.elapsed() < TIME_LIMIT, "{channel} {} is not published", versioned.name()),
                }
                std::thread::sleep(Duration::from_millis(100));
            };
            let mut expected = versioned.version.schema.to_value();
            let root = found.as_object_mut().expect("an object");
            root.remove("x-kubernetes-group-version-kind");
            // 1.32 publishes the empty list; later minors omit it.
            if let Some(selectable) = root.remove("x-kubernetes-selectable-fields") {
                assert_eq!((server.minor(), selectable), ("1.32", json!([])), "{channel} {}", versioned.name());
            }
            for name in KUBERNETES_OWN {
                let own = found["properties"].as_object_mut().expect("properties").remove(name);
                own_words.insert((name, own.expect("it is published")["description"].to_string()));
                expected["properties"].as_object_mut().expect("properties").remove(name).expect("ours has it");
            }
            numbers(&mut expected);
            numbers(&mut found);
            let mut differences = Vec::new();
            compare(&expected, &found, "", &mut differences);
            assert!(
                differences.is_empty(),
                "{channel} {} is published otherwise:\n{}",
                versioned.name(),
                differences.join("\n")
            );
            schemas += 1;
            described += nodes(&versioned.version.schema).iter().filter(|(_, node)| node.description.is_some()).count();
            described -= ["apiVersion", "kind"].len();
        }
        // Kubernetes replaces these descriptions.
        assert_eq!(own_words.len(), KUBERNETES_OWN.len(), "{own_words:#?}");
        for versioned in VersionedKind::all(channel).filter(|versioned| !versioned.version.served) {
            let answer = get(server, &format!("/openapi/v3/apis/{}", versioned.api_version()));
            assert!(published(&answer.body, versioned).is_none(), "{channel} {} is not served", versioned.name());
        }
        println!("{channel}: {schemas} schemas published as emitted, {described} descriptions");
    }
}

/// A field as `kubectl explain` prints it below FIELDS.
#[derive(Debug, Default, PartialEq)]
struct Field {
    is_required: bool,
    description: String,
}

/// The description and the fields in the output of `kubectl explain`; fields by path, nested ones with `--recursive`.
fn read_explanation(text: &str) -> (String, BTreeMap<String, Field>) {
    let body = text.split_once("\nDESCRIPTION:\n").map_or("", |(_, rest)| rest);
    let (description, list) = body.split_once("\nFIELDS:\n").unwrap_or((body, ""));
    let mut fields: BTreeMap<String, Field> = BTreeMap::new();
    let mut open: Vec<String> = Vec::new();
    for line in list.lines() {
        let indent = line.len() - line.trim_start().len();
        match line.trim_start().split_once('\t') {
            Some((name, kind)) if kind.starts_with('<') => {
                open.truncate(indent / 2 - 1);
                open.push(name.to_owned());
                let field = Field { is_required: kind.ends_with(" -required-"), description: String::new() };
                fields.insert(format!(".{}", open.join(".")), field);
            }
            _ if indent == 4 => {
                let field = fields.get_mut(&format!(".{}", open.join("."))).expect("a field is open");
                field.description = normalized(&format!("{} {}", field.description, line));
            }
            _ => {}
        }
    }
    (normalized(description), fields)
}

/// The description that `kubectl explain` prints for a node: its own, and that of its items or values.
fn description(schema: &Schema) -> String {
    let mut text = schema.description.as_deref().unwrap_or_default().to_owned();
    if let Some(items) = &schema.items {
        text = format!("{text} {}", description(items));
    }
    if let Some(AdditionalProperties::Values(values)) = &schema.additional_properties {
        text = format!("{text} {}", description(values));
    }
    normalized(&text)
}

fn explain(server: &Server, versioned: VersionedKind, path: &str, options: &[&str]) -> String {
    let what = format!("{}{path}", versioned.crd.names.plural);
    let api_version = format!("--api-version={}", versioned.api_version());
    server
        .kubectl(&[&["explain", &what, &api_version], options].concat())
        .expect(&format!("{} {path}", versioned.name()))
}

fn assert_explain_is_complete(channel: Channel) {
    let Some(server) = server(crds_of(channel)) else { return };
    let (mut fields_shown, mut asked) = (0, 0);
    for versioned in served(channel) {
        let schema = &versioned.version.schema;
        let name = format!("{channel} {}", versioned.name());
        let text = explain(server, versioned, "", &[]);
        let (group, version) = (&versioned.crd.group, &versioned.version.name);
        assert!(
            text.starts_with(&format!(
                "GROUP:      {group}\nKIND:       {}\nVERSION:    {version}\n",
                versioned.kind()
            )),
            "{text}"
        );
        let (found, fields) = read_explanation(&text);
        assert_eq!(found, description(schema), "{name}");
        assert_eq!(fields.len(), schema.properties.len(), "{name}");
        for (field, property) in schema.properties.iter().filter(|(field, _)| !KUBERNETES_OWN.contains(&field.as_ref()))
        {
            let shown = &fields[&format!(".{field}")];
            assert_eq!(
                shown.description,
                normalized(property.description.as_deref().unwrap_or_default()),
                "{name} {field}"
            );
            assert_eq!(shown.is_required, schema.required.contains(field), "{name} {field}");
        }
        // All nested fields: names, and whether they are required.
        let (_, fields) = read_explanation(&explain(server, versioned, "", &["--recursive"]));
        let shown: BTreeMap<&str, bool> = fields
            .iter()
            .filter(|(path, _)| !path.starts_with(".metadata."))
            .map(|(path, field)| (path.as_str(), field.is_required))
            .collect();
        let expected: BTreeMap<String, bool> = nodes(schema)
            .iter()
            .flat_map(|(path, node)| {
                let below = |name: &str| format!("{}.{name}", explained(path));
                node.properties.iter().map(move |(name, _)| (below(name), node.required.contains(name)))
            })
            .collect();
        assert_eq!(shown, expected.iter().map(|(path, required)| (path.as_str(), *required)).collect(), "{name}");
        fields_shown += expected.len();
    }
    // One by one: a sample over all paths of all versions.
    let paths: Vec<(VersionedKind, String, &Schema)> = served(channel)
        .flat_map(|versioned| {
            nodes(&versioned.version.schema).into_iter().map(move |(path, node)| (versioned, path, node))
        })
        .filter(|(_, path, _)| path.contains("].") || path.matches('.').count() > 1)
        .filter(|(_, path, _)| !path.ends_with(['}', ']']))
        .collect();
    for (versioned, path, node) in paths.iter().step_by(paths.len() / SAMPLE) {
        let (found, _) = read_explanation(&explain(server, *versioned, &explained(path), &[]));
        assert_eq!(found, description(node), "{channel} {} {path}", versioned.name());
        asked += 1;
    }
    println!(
        "{channel}: {fields_shown} fields shown by --recursive, {asked} of {} deep ones asked for one by one",
        paths.len()
    );
}

#[test]
fn explain_shows_the_descriptions_of_standard() {
    assert_explain_is_complete(Channel::Standard);
}

#[test]
fn explain_shows_the_descriptions_of_experimental() {
    assert_explain_is_complete(Channel::Experimental);
}

/// Descriptions of experimental fields mention the channel, because a schema has no other way to show it.
#[test]
fn descriptions_of_experimental_fields_mention_the_channel() {
    let Some(server) = server(crds_of(Channel::Experimental)) else { return };
    let mut unmarked = BTreeSet::new();
    for (versioned, path, node) in only_experimental().into_iter().filter(|(versioned, ..)| versioned.version.served) {
        let (found, _) = read_explanation(&explain(server, versioned, &explained(&path), &[]));
        assert_eq!(found, description(node), "{} {path}", versioned.name());
        let own = normalized(node.description.as_deref().unwrap_or_default());
        match own.to_lowercase().find("experimental") {
            Some(at) => {
                println!("{} {path}: …{}", versioned.name(), &own[own[..at].rfind(". ").map_or(0, |dot| dot + 2)..])
            }
            None => drop(unmarked.insert((versioned.kind(), path))),
        }
    }
    let expected = UNMARKED_FIELDS.map(|(kind, path)| (kind, path.to_owned()));
    assert_eq!(
        unmarked,
        BTreeSet::from(expected),
        "experimental fields whose descriptions do not mention the channel; update `UNMARKED_FIELDS`"
    );

    let mut unmarked = BTreeSet::new();
    for (versioned, path, node, value) in only_experimental_values() {
        if !node.description.as_deref().unwrap_or_default().to_lowercase().contains("experimental") {
            unmarked.insert((versioned.kind(), path, value.as_str().unwrap_or_default().to_owned()));
        }
    }
    let expected = UNMARKED_VALUES.map(|(kind, path, value)| (kind, path.to_owned(), value.to_owned()));
    assert_eq!(
        unmarked,
        BTreeSet::from(expected),
        "experimental values that descriptions do not mention; update `UNMARKED_VALUES`"
    );
}

/// The objects of the tables: the repository's examples, in a separate namespace.
struct Shown {
    server: &'static Server,
    /// The version, the name, and the stored object of each.
    objects: Vec<(VersionedKind, String, Value)>,
}

/// The objects of a channel, created once. Prints `skipped` and returns `None` if no server can be started.
fn shown(channel: Channel) -> Option<&'static Shown> {
    static STANDARD: LazyLock<Option<Shown>> = LazyLock::new(|| show(Channel::Standard));
    static EXPERIMENTAL: LazyLock<Option<Shown>> = LazyLock::new(|| show(Channel::Experimental));
    match channel {
        Channel::Standard => STANDARD.as_ref(),
        Channel::Experimental => EXPERIMENTAL.as_ref(),
    }
}

fn show(channel: Channel) -> Option<Shown> {
    let server = server(crds_of(channel))?;
    let client = server.client();
    let mut objects = Vec::new();
    server.block_on(create_namespace(&client, NAMESPACE));
    let mut examples = our_examples(Channel::Standard);
    if channel == Channel::Experimental {
        examples.extend(our_examples(Channel::Experimental));
    }
    for example in examples {
        let mut object = example.object;
        let versioned = VersionedKind::of(channel, &object).expect("a resource of the bundle");
        let metadata = &object["metadata"];
        // Examples of both channels, from several namespaces, may have the same name.
        let name = [
            "presentation",
            metadata["namespace"].as_str().unwrap_or("none"),
            metadata["name"].as_str().unwrap_or_default(),
        ]
        .join("-");
        object["metadata"]["name"] = json!(name);
        if !versioned.is_cluster_wide() {
            object["metadata"]["namespace"] = json!(NAMESPACE);
        }
        match object["status"].is_null() || !versioned.has_status() {
            true => drop(object.as_object_mut().expect("an object").remove("status")),
            false => complete(&mut object["status"], versioned),
        }
        let collection = versioned.collection(NAMESPACE);
        let made = server.block_on(create_whole(&client, &collection, &object, "Warn")).expect(&name);
        objects.push((versioned, name, made));
    }
    Some(Shown { server, objects })
}

/// Adds the conditions that columns show, if a status lacks them, and a second address: of several values, a column shows the first.
fn complete(status: &mut Value, versioned: VersionedKind) {
    if let Some(addresses) = status.get_mut("addresses").and_then(Value::as_array_mut) {
        addresses.push(json!({"type": "Hostname", "value": "second.example"}));
    }
    for column in &versioned.version.columns {
        let Some(wanted) = column.json_path.strip_prefix(".status.conditions[?(@.type==\"") else { continue };
        let wanted = wanted.split('"').next().unwrap_or_default();
        if status["conditions"].is_null() {
            status["conditions"] = json!([]);
        }
        let conditions = status["conditions"].as_array_mut().expect("a list");
        if conditions.iter().all(|condition| condition["type"] != *wanted) {
            conditions.push(json!({
                "type": wanted, "status": "False", "reason": "Shown", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z",
            }));
        }
    }
}

/// The columns of a version: the generated ones, or the server's default.
fn columns(versioned: VersionedKind) -> Vec<PrinterColumn> {
    if !versioned.version.columns.is_empty() {
        return versioned.version.columns.clone();
    }
    let json_path = ".metadata.creationTimestamp".into();
    vec![PrinterColumn { name: "Age".into(), kind: "date".into(), json_path, ..PrinterColumn::default() }]
}

/// The values at a JSON path: names, `[*]` and `[?(@.name=="value")]`.
fn find<'a>(path: &str, value: &'a Value) -> Vec<&'a Value> {
    if path.is_empty() {
        return vec![value];
    }
    let items = || value.as_array().into_iter().flatten();
    if let Some(rest) = path.strip_prefix("[*]") {
        return items().flat_map(|item| find(rest, item)).collect();
    }
    if let Some((condition, rest)) = path.strip_prefix("[?(@.").and_then(|rest| rest.split_once(")]")) {
        let (name, wanted) = condition.split_once("==").expect("a comparison");
        let wanted = wanted.trim_matches('"');
        return items().filter(|item| item[name] == *wanted).flat_map(|item| find(rest, item)).collect();
    }
    let rest = path.strip_prefix('.').unwrap_or_else(|| panic!("{path} is not a path that this test supports"));
    let (name, rest) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
    value.get(name).map(|value| find(rest, value)).unwrap_or_default()
}

/// The text of a cell: the first value found; lists as JSON.
fn cell(column: &PrinterColumn, object: &Value) -> Value {
    match find(&column.json_path, object).first() {
        None => Value::Null,
        Some(Value::String(text)) => json!(text),
        Some(value) if column.kind == "string" => json!(value.to_string()),
        Some(value) => (*value).clone(),
    }
}

/// Whether this is an age: `7s`, `3m2s`.
fn is_age(cell: &Value) -> bool {
    cell.as_str().is_some_and(|text| {
        text.ends_with(['s', 'm', 'h', 'd']) && text.starts_with(|first: char| first.is_ascii_digit())
    })
}

/// The server's own table of a list.
fn table(server: &Server, path: &str) -> Value {
    let request = http::Request::get(path)
        .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
        .body(Vec::new())
        .expect("a request");
    let client = server.client();
    server.block_on(async { client.request::<Value>(request).await }).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Columns of every resource, through every version: names, order, types, priority, description, and the values of objects.
#[test]
fn tables_have_the_generated_columns_and_values() {
    for channel in Channel::ALL {
        let Some(Shown { server, objects }) = shown(channel) else { return };
        let (mut cells_seen, mut filled) = (0, BTreeSet::new());
        let mut every_column = BTreeSet::new();
        for versioned in served(channel) {
            let table = table(server, &versioned.collection(NAMESPACE));
            let name = format!("{channel} {}", versioned.name());
            let columns = columns(versioned);
            let definitions = table["columnDefinitions"].as_array().expect("columns");
            assert_eq!(definitions[0]["name"], "Name", "{name}");
            assert_eq!(definitions.len(), columns.len() + 1, "{name}: {definitions:#?}");
            for (definition, column) in definitions[1..].iter().zip(&columns) {
                assert_eq!(definition["name"], *column.name, "{name}");
                assert_eq!(definition["type"], *column.kind, "{name} {}", column.name);
                assert_eq!(definition["priority"], column.priority.unwrap_or(0), "{name} {}", column.name);
                assert_eq!(
                    definition["format"],
                    column.format.as_deref().unwrap_or_default(),
                    "{name} {}",
                    column.name
                );
                if let Some(text) = &column.description {
                    assert_eq!(definition["description"], **text, "{name} {}", column.name);
                }
                every_column.insert((versioned.kind(), column.name.clone()));
            }
            let rows = table["rows"].as_array().expect("rows");
            for (_, object_name, object) in objects.iter().filter(|(made, ..)| made.crd.name == versioned.crd.name) {
                let row = rows.iter().find(|row| row["cells"][0] == **object_name);
                let cells = row.unwrap_or_else(|| panic!("{name}: no row of {object_name}"))["cells"]
                    .as_array()
                    .expect("cells");
                for (column, shown) in columns.iter().zip(&cells[1..]) {
                    if column.kind == "date" {
                        assert!(is_age(shown), "{name} {object_name} {}: {shown}", column.name);
                    } else {
                        assert_eq!(*shown, cell(column, object), "{name} {object_name} {}", column.name);
                    }
                    if !shown.is_null() {
                        filled.insert((versioned.kind(), column.name.clone()));
                    }
                    cells_seen += 1;
                }
            }
        }
        assert_eq!(filled, every_column, "{channel}: every column shows something of some object");
        println!("{channel}: {} columns, {cells_seen} cells", every_column.len());
    }
}

/// A table printed by kubectl: headings, and rows by their first cell. Cells start at the columns of the headings, because some are empty.
fn read_table(text: &str) -> (Vec<&str>, BTreeMap<&str, Vec<&str>>) {
    let mut lines = text.lines();
    let heads = lines.next().unwrap_or_default();
    let starts: Vec<usize> = heads
        .char_indices()
        .filter(|(at, character)| *character != ' ' && (*at == 0 || heads.as_bytes()[at - 1] == b' '))
        .map(|(at, _)| at)
        .collect();
    fn cells<'a>(line: &'a str, starts: &[usize]) -> Vec<&'a str> {
        let ends = starts[1..].iter().copied().chain([line.len()]);
        starts
            .iter()
            .zip(ends)
            .map(|(start, end)| line.get(*start..end.min(line.len())).unwrap_or_default().trim())
            .collect()
    }
    let rows = lines.map(|line| cells(line, &starts)).map(|cells| (cells[0], cells)).collect();
    (cells(heads, &starts), rows)
}

/// `kubectl get` shows the columns of priority 0, and all of them with `-o wide`.
#[test]
fn kubectl_get_shows_the_generated_columns() {
    for channel in Channel::ALL {
        let Some(Shown { server, objects }) = shown(channel) else { return };
        for crd in crds(channel) {
            // kubectl uses the preferred version: the most stable one, whichever is stored.
            let version = crd.versions.iter().find(|version| version.served).expect("one is served");
            let columns = columns(VersionedKind { crd, version });
            let has_wide = columns.iter().any(|column| column.priority.unwrap_or(0) > 0);
            for (options, is_wide) in [(&[][..], false), (&["-o", "wide"][..], true)] {
                if is_wide && !has_wide {
                    continue;
                }
                let arguments = [&["get", &*crd.names.plural, "-n", NAMESPACE], options].concat();
                let text = server.kubectl(&arguments).expect(&crd.name);
                let (heads, rows) = read_table(&text);
                let visible: Vec<&PrinterColumn> =
                    columns.iter().filter(|column| is_wide || column.priority.unwrap_or(0) == 0).collect();
                let expected = visible.iter().map(|column| column.name.to_uppercase());
                assert_eq!(
                    heads,
                    ["NAME".to_owned()].into_iter().chain(expected).collect::<Vec<_>>(),
                    "{channel} {text}"
                );
                for (_, name, object) in objects.iter().filter(|(made, ..)| made.crd.name == crd.name) {
                    for (column, shown) in visible.iter().zip(&rows[name.as_str()][1..]) {
                        let expected = cell(column, object);
                        let is_right = match &expected {
                            _ if column.kind == "date" => is_age(&json!(shown)),
                            Value::Null => shown.is_empty(),
                            value => value.as_str().map(normalized) == Some(normalized(shown)),
                        };
                        assert!(is_right, "{channel} {} of {name} is {expected}:\n{text}", column.name);
                    }
                }
                if is_wide {
                    println!("{channel}, -o wide:\n{text}");
                }
            }
        }
    }
}

/// Discovery of each resource in each version: plural, singular, kind, short names, categories, scope, status.
#[test]
fn discovery_has_the_generated_names() {
    for channel in Channel::ALL {
        let Some(server) = server(crds_of(channel)) else { return };
        for versioned in served(channel) {
            let list = get(server, &format!("/apis/{}", versioned.api_version())).body;
            let resources = list["resources"].as_array().expect("resources");
            let named = |name: &str| resources.iter().find(|resource| resource["name"] == *name);
            let names = &versioned.crd.names;
            let found = named(&names.plural).unwrap_or_else(|| panic!("{channel} {}", versioned.name()));
            let list =
                |texts: &[std::borrow::Cow<'static, str>]| if texts.is_empty() { Value::Null } else { json!(texts) };
            assert_eq!(found["kind"], *names.kind);
            assert_eq!(found["singularName"].as_str(), names.singular.as_deref(), "{}", versioned.name());
            assert_eq!(found["shortNames"], list(&names.short_names), "{}", versioned.name());
            assert_eq!(found["categories"], list(&names.categories), "{}", versioned.name());
            assert_eq!(found["namespaced"], !versioned.is_cluster_wide(), "{}", versioned.name());
            assert_eq!(
                named(&format!("{}/status", names.plural)).is_some(),
                versioned.has_status(),
                "{}",
                versioned.name()
            );
        }
    }
}

/// kubectl finds the objects of a resource by each of its names, and the objects of all resources by the category.
#[test]
fn kubectl_finds_resources_by_every_name_and_category() {
    for channel in Channel::ALL {
        let Some(Shown { server, objects }) = shown(channel) else { return };
        let names_of = |arguments: &str| -> BTreeSet<String> {
            let text = server.kubectl(&["get", arguments, "-n", NAMESPACE, "-o", "name"]).expect(arguments);
            text.lines().filter(|line| line.contains("/presentation-")).map(str::to_owned).collect()
        };
        let expected = |is_wanted: &dyn Fn(&VersionedKind) -> bool| -> BTreeSet<String> {
            let wanted = objects.iter().filter(|(versioned, ..)| is_wanted(versioned));
            wanted
                .map(|(versioned, name, _)| {
                    format!(
                        "{}.{}/{name}",
                        versioned.crd.names.singular.as_deref().unwrap_or_default(),
                        versioned.crd.group
                    )
                })
                .collect()
        };
        let all = crds(channel);
        let join = |names: Vec<&str>| names.join(",");
        let everything = expected(&|_| true);
        assert_eq!(everything.len(), objects.len());
        let singular = join(all.iter().filter_map(|crd| crd.names.singular.as_deref()).collect());
        assert_eq!(names_of(&singular), everything, "{channel}: {singular}");
        let kinds = join(all.iter().map(|crd| crd.names.kind.as_ref()).collect());
        assert_eq!(names_of(&kinds), everything, "{channel}: {kinds}");
        let short = join(all.iter().flat_map(|crd| crd.names.short_names.iter().map(AsRef::as_ref)).collect());
        assert_eq!(
            names_of(&short),
            expected(&|versioned| !versioned.crd.names.short_names.is_empty()),
            "{channel}: {short}"
        );
        let categories: BTreeSet<&str> =
            all.iter().flat_map(|crd| crd.names.categories.iter().map(AsRef::as_ref)).collect();
        for category in categories {
            let is_in = |versioned: &VersionedKind| versioned.crd.names.categories.iter().any(|name| name == category);
            assert_eq!(names_of(category), expected(&is_in), "{channel}: {category}");
        }
        println!("{channel}: {} objects found as {singular}; {kinds}; {short}", objects.len());
    }
}
