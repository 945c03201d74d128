//! Parses one marker: finds its row in the table, its channel, and its typed arguments.
//!
//! Invariants: all mistakes of the marker are reported; each message quotes the invalid part and suggests the nearest known
//! name; an argument is never ignored.

use crd_names::channel::{CHANNELS, Channel};
use crd_names::{nearest, shortened};

use crate::fit::ITEMS;
use crate::table::{ArgumentSpec, ArgumentsSpec, MARKERS, MarkerSpec, Meaning, Target, entries, find};
use crate::value::{Scanner, Value, ValueKind};

/// A marker of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Its full name, as written.
    pub name: String,
    /// Its row.
    pub spec: &'static MarkerSpec,
    /// The one channel in which it holds; `None`: in all.
    pub channel: Option<Channel>,
    /// Whether it is the form for list items.
    pub items: bool,
    /// The arguments after the name.
    pub arguments: Arguments,
}

impl Marker {
    /// The kind of the value after the `=`. Named arguments each have their own.
    pub fn value_kind(&self) -> ValueKind {
        match self.spec.arguments {
            ArgumentsSpec::Value(kind) => kind,
            _ => ValueKind::Any,
        }
    }
}

impl PartialEq for MarkerSpec {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The arguments of a marker.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// None.
    Flag,
    /// `=value`
    Value(Value),
    /// `:key=value,…`, in the order of the table; optional ones that are absent are left out.
    Named(Vec<(&'static ArgumentSpec, Value)>),
}

impl Arguments {
    /// The value behind the `=`.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Arguments::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The named argument, if it is a string.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self {
            Arguments::Named(arguments) => {
                arguments.iter().find(|(spec, _)| spec.name == name).and_then(|(_, value)| match value {
                    Value::String(text) => Some(text.as_str()),
                    _ => None,
                })
            }
            _ => None,
        }
    }
}

/// The prefix of the tags of Kubernetes' declarative validation.
pub const TAGS: &str = "k8s:";

/// The text of a marker without its comment: in a tag, `#` begins one.
pub(crate) fn without_comment(text: &str) -> &str {
    let body = channel_prefix(text).map_or(text, |(_, body)| body);
    let comment = body.find('#').filter(|_| body.starts_with(TAGS));
    comment.map_or(text, |start| text[..text.len() - body.len() + start].trim_end())
}

/// Parses the text of a marker (without its `+`) on `target`.
///
/// # Errors
/// One message per fault.
pub fn parse(text: &str, target: Target) -> Result<Marker, Vec<String>> {
    let text = without_comment(text);
    let (channel, body) = match channel_prefix(text) {
        Some((channel, body)) => (Some(channel), body),
        None => (None, text),
    };
    if let Some(error) = misused_channel(channel, body) {
        return Err(vec![error]);
    }
    let head_end = body.find(['=', ' ', '\n']).unwrap_or(body.len());
    let (head, tail) = body.split_at(head_end);
    let head = head.strip_suffix(':').filter(|_| tail.starts_with('=')).unwrap_or(head);

    if let Some((name, instead)) = refused(head) {
        return Err(vec![format!("`+{name}` has no meaning in Rust. {instead}")]);
    }
    // `+name`, `+name=value`
    if let Some((spec, items)) = find(head) {
        return known(head, spec, items, channel, target, tail, None);
    }
    // `+name:key=value`
    if let Some((name, rest)) = head.rsplit_once(':')
        && let Some((spec, items)) = find(name)
    {
        return match spec.arguments {
            ArgumentsSpec::Named(_) => known(name, spec, items, channel, target, tail, Some(&body[name.len() + 1..])),
            ArgumentsSpec::Value(_) => {
                Err(vec![format!("`+{name}` takes one value: write `+{name}=…`, not `+{name}:{}`", shortened(rest))])
            }
            ArgumentsSpec::Flag => Err(vec![format!("`+{name}` takes no arguments, found `:{}`", shortened(rest))]),
        };
    }
    Err(vec![unknown(head, tail)])
}

/// The channel before a marker, and the marker.
fn channel_prefix(text: &str) -> Option<(Channel, &str)> {
    CHANNELS.iter().find_map(|row| text.strip_prefix(row.name)?.strip_prefix(':').map(|body| (row.channel, body)))
}

/// A channel before nothing, before another channel, or where none is meant.
fn misused_channel(channel: Option<Channel>, body: &str) -> Option<String> {
    if let Some(row) = CHANNELS.iter().find(|row| row.name == body)
        && row.channel == Channel::ALL[0]
    {
        return Some(format!(
            "`+{body}` alone means nothing: what is not marked is in every channel. Write `+{body}:` before another marker to limit that marker"
        ));
    }
    let channel = channel?;
    if body.trim().is_empty() {
        return Some(format!(
            "`+{channel}:` limits the marker behind it, and there is none: write `+{channel}:MARKER`"
        ));
    }
    let (second, _) = channel_prefix(body)?;
    Some(format!("a marker applies to one channel or to all channels: `{channel}:` and `{second}:` cannot be combined"))
}

/// The refused row that a name is one of, or an argument of, and what to write instead.
fn refused(head: &str) -> Option<(&'static str, &'static str)> {
    MARKERS.iter().find_map(|spec| match spec.meaning {
        Meaning::Refused(instead)
            if head.strip_prefix(spec.name).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '('])) =>
        {
            Some((spec.name, instead))
        }
        _ => None,
    })
}

fn unknown(head: &str, tail: &str) -> String {
    let names = entries();
    let candidates = || names.iter().map(|entry| entry.name.as_str());
    if let Some((first, rest)) = head.split_once(':')
        && let Some(channel) = nearest(first, CHANNELS.iter().map(|row| row.name))
    {
        return format!("unknown channel `{first}`: did you mean `+{channel}:{rest}`?");
    }
    if let Some(name) = nearest(head, candidates()) {
        return format!("unknown marker `+{head}`: did you mean `+{name}`?");
    }
    // The last part alone, for `+MaxLength=3`.
    let last = |name: &str| name.rsplit(':').next().unwrap_or_default().to_owned();
    let lasts: Vec<String> = candidates().map(last).collect();
    let by_last = nearest(&last(head), lasts.iter().map(String::as_str))
        .and_then(|near| names.iter().find(|entry| last(&entry.name) == near));
    if let Some(entry) = by_last {
        return format!("unknown marker `+{head}`: did you mean `+{}`?", entry.name);
    }
    // Named arguments behind a wrong name.
    if let Some((name, key)) = head.rsplit_once(':')
        && tail.starts_with('=')
        && let Some(near) = nearest(name, candidates())
    {
        return format!("unknown marker `+{name}`: did you mean `+{near}:{key}`?");
    }
    if head.starts_with(ITEMS) {
        return format!("unknown marker `+{head}`: not every validation marker has a form for items");
    }
    format!(
        "unknown marker `+{head}`: `cargo xtask markers` lists all; a line of prose must not begin with `+` and a letter"
    )
}

fn known(
    name: &str,
    spec: &'static MarkerSpec,
    items: bool,
    channel: Option<Channel>,
    target: Target,
    tail: &str,
    named: Option<&str>,
) -> Result<Marker, Vec<String>> {
    let mut errors = Vec::new();
    if !spec.targets.contains(target) {
        errors.push(misplaced(name, spec, target));
    }
    if let Some(channel) = channel
        && match spec.meaning {
            Meaning::Rule(rule) => rule.is_beside_the_schema(),
            meaning => matches!(meaning, Meaning::Experimental | Meaning::Tombstone),
        }
    {
        errors.push(format!("`+{name}` cannot be limited to a channel: remove `{channel}:`"));
    }
    if let (Some(channel), Meaning::Optional | Meaning::Required | Meaning::Nullable | Meaning::EnumVariants) =
        (channel, spec.meaning)
    {
        errors.push(format!(
            "`+{name}` cannot be limited to a channel: the Rust type determines it for all channels. Remove `{channel}:`"
        ));
    }
    let arguments = match (spec.arguments, named) {
        (ArgumentsSpec::Flag, _) if tail.is_empty() => Ok(Arguments::Flag),
        (ArgumentsSpec::Flag, _) => Err(format!("`+{name}` takes no value, found `{}`", shortened(tail.trim_start()))),
        (ArgumentsSpec::Value(kind), _) => match tail.strip_prefix('=') {
            Some(value) => {
                whole_value(value, kind).map(Arguments::Value).map_err(|error| format!("`+{name}`: {error}"))
            }
            None if tail.is_empty() => {
                Err(format!("`+{name}` needs a value: write `+{name}=…`, with {} behind the `=`", kind.in_words()))
            }
            None => Err(format!("`+{name}` is followed by `{}`; expected `=`", shortened(tail.trim_start()))),
        },
        (ArgumentsSpec::Named(specs), _) if named.is_some() || tail.is_empty() => {
            Ok(Arguments::Named(named_arguments(name, specs, named.unwrap_or_default(), &mut errors)))
        }
        (ArgumentsSpec::Named(specs), _) => Err(format!(
            "`+{name}` takes named arguments, found `{}`: write `+{name}:{}=…`",
            shortened(tail),
            specs.iter().find(|spec| !spec.optional).or(specs.first()).map_or("key", |spec| spec.name)
        )),
    };
    match arguments {
        Ok(arguments) if errors.is_empty() => Ok(Marker { name: name.to_owned(), spec, channel, items, arguments }),
        arguments => {
            errors.extend(arguments.err());
            Err(errors)
        }
    }
}

fn whole_value(text: &str, kind: ValueKind) -> Result<Value, String> {
    let mut scanner = Scanner::new(text);
    let value = scanner.value(kind, true)?;
    let rest = scanner.rest().trim();
    if rest.is_empty() { Ok(value) } else { Err(format!("`{}` is left over behind the value", shortened(rest))) }
}

fn named_arguments(
    name: &str,
    specs: &'static [ArgumentSpec],
    text: &str,
    errors: &mut Vec<String>,
) -> Vec<(&'static ArgumentSpec, Value)> {
    let mut found: Vec<(&'static ArgumentSpec, Value)> = Vec::new();
    // Named, be it with a faulty value: not missing.
    let mut named: Vec<&str> = Vec::new();
    let mut scanner = Scanner::new(text);
    let mut understood_to_the_end = true;
    while !scanner.rest().trim().is_empty() {
        let key = match scanner.key() {
            Ok(key) => key,
            Err(error) => {
                errors.push(format!("`+{name}`: {error}"));
                understood_to_the_end = false;
                break;
            }
        };
        let spec = specs.iter().find(|spec| spec.name == key);
        if spec.is_none() {
            let hint = match nearest(key, specs.iter().map(|spec| spec.name)) {
                Some(near) => {
                    // The argument is present, only its value is invalid.
                    named.push(near);
                    format!("did you mean `{near}`?")
                }
                None => {
                    format!("its arguments are {}", specs.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", "))
                }
            };
            errors.push(format!("`+{name}` has no argument `{key}`: {hint}"));
        } else if named.contains(&key) {
            errors.push(format!("`+{name}`: the argument `{key}` appears twice"));
        }
        match (scanner.value(spec.map_or(ValueKind::Text, |spec| spec.kind), false), spec) {
            (Ok(value), Some(spec)) if !named.contains(&key) => found.push((spec, value)),
            (Ok(_), _) => {}
            (Err(error), _) => errors.push(format!("`+{name}`: `{key}`: {error}")),
        }
        named.push(key);
        if scanner.take(',') {
            if scanner.rest().trim().is_empty() {
                errors.push(format!(
                    "`+{name}` ends with a comma: a marker is one line, and only a string in backticks may run over several"
                ));
                understood_to_the_end = false;
            }
            continue;
        }
        let rest = scanner.rest().trim();
        if !rest.is_empty() {
            // After an invalid value, this is the rest of that value, which has been reported.
            if found.last().is_some_and(|(spec, _)| spec.name == key) {
                errors.push(format!("`+{name}`: expected `,` before `{}`", shortened(rest)));
            }
            understood_to_the_end = false;
        }
        break;
    }
    if understood_to_the_end {
        for spec in specs.iter().filter(|spec| !spec.optional && !named.contains(&spec.name)) {
            errors.push(format!("`+{name}` needs the argument `{}`", spec.name));
        }
    }
    found.sort_by_key(|(spec, _)| specs.iter().position(|known| known.name == spec.name));
    found
}

fn misplaced(name: &str, spec: &MarkerSpec, target: Target) -> String {
    let targets = spec.targets.in_words();
    let hint = match target {
        Target::Type if spec.targets.contains(Target::Field) => ": put it on the fields that have this type",
        Target::Resource if spec.targets.contains(Target::Field) => ": put it on one of its fields",
        Target::Type => ": this type has no `#[api(group = …, version = …, kind = …)]`",
        Target::Field if spec.targets.contains(Target::Type) => ": put it on the type",
        Target::Field => ": put it on the type of the resource",
        Target::Variant if spec.targets.contains(Target::Type) => ": put it on the enum",
        _ => "",
    };
    format!("`+{name}` belongs on {targets}, not on a {}{hint}", target.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, target: Target) -> String {
        parse(text, target).unwrap_err().join(" | ")
    }

    #[test]
    fn gates_name_the_markers_of_channels() {
        for text in ["k8s:ifEnabled(Gate)=+k8s:required", "k8s:ifDisabled(Gate)=+k8s:maxItems=3", "k8s:ifEnabled"] {
            let error = parse(text, Target::Field).unwrap_err().join(" | ");
            assert!(error.contains("`+experimental:` or `+standard:`"), "{text}: {error}");
        }
        let error = parse("k8s:ifEnabled(Gate)=+k8s:enumExclude", Target::Field).unwrap_err().join(" | ");
        assert!(error.starts_with("`+k8s:ifEnabled` has no meaning"), "{error}");
        assert!(parse("k8s:enumExclude", Target::Variant).unwrap_err().join(" | ").contains("`+experimental`"));
    }

    #[test]
    fn forms() {
        let marker = parse("kubebuilder:validation:MaxLength=253", Target::Field).unwrap();
        assert_eq!(marker.arguments, Arguments::Value(Value::Integer(253)));
        let assigned = parse("kubebuilder:validation:Minimum:=400", Target::Type).unwrap();
        assert_eq!(assigned.arguments, Arguments::Value(Value::Integer(400)));
        let limited = parse("experimental:kubebuilder:validation:Pattern=`^a`", Target::Field).unwrap();
        assert_eq!(limited.channel, Some(Channel::Experimental));
        let items = parse("kubebuilder:validation:items:MaxLength=3", Target::Field).unwrap();
        assert!(items.items && items.spec.name == "kubebuilder:validation:MaxLength");
        let rule = parse(
            "kubebuilder:validation:XValidation:message=\"a, b\",rule=`self.a == \"b\"`,reason=FieldValueInvalid,optionalOldSelf=true",
            Target::Type,
        )
        .unwrap();
        assert_eq!(rule.arguments.text("rule"), Some("self.a == \"b\""));
        assert_eq!(rule.arguments.text("message"), Some("a, b"));
        assert_eq!(rule.arguments.text("reason"), Some("FieldValueInvalid"));
        let column = parse(
            "kubebuilder:printcolumn:name=Age,type=date,JSONPath=.status.conditions[?(@.type==\"A\")].status,priority=1",
            Target::Resource,
        )
        .unwrap();
        assert_eq!(column.arguments.text("JSONPath"), Some(".status.conditions[?(@.type==\"A\")].status"));
        let resource =
            parse("kubebuilder:resource:categories=a;b,shortName={x,y},scope=Cluster", Target::Resource).unwrap();
        let Arguments::Named(arguments) = &resource.arguments else { panic!() };
        assert_eq!(arguments[0].1, Value::List(vec![Value::String("a".into()), Value::String("b".into())]));
        assert_eq!(arguments[2].1, Value::List(vec![Value::String("x".into()), Value::String("y".into())]));
        assert!(parse("kubebuilder:deprecatedversion", Target::Resource).is_ok());
        assert!(parse("experimental", Target::Variant).is_ok());
    }

    #[test]
    fn a_tag_may_have_a_comment() {
        for (text, value) in [
            ("k8s:maxItems=4 # at most; `four", Some(Value::Integer(4))),
            ("k8s:minimum=-1.5#first", Some(Value::Float(-1.5))),
            ("experimental:k8s:listType=set # a=b", Some(Value::String("set".into()))),
            ("k8s:required # always", None),
        ] {
            let marker = parse(text, Target::Field).unwrap();
            assert_eq!(marker.arguments.value(), value.as_ref(), "{text}");
            let docs = crate::docs::documentation([format!(" +{text}").as_str(), " Prose."]);
            assert_eq!((docs.markers.len(), docs.description.as_str()), (1, "Prose."), "{text}");
        }
        for text in ["kubebuilder:validation:MaxItems=4 # at most", "required # always"] {
            assert!(parse(text, Target::Field).is_err(), "{text}");
        }
    }

    #[test]
    fn faults_quote_and_suggest() {
        for (text, target, part) in [
            ("optinal", Target::Field, "did you mean `+optional`?"),
            ("MaxLength=3", Target::Field, "did you mean `+kubebuilder:validation:MaxLength`?"),
            ("kubebuilder:validation:MaxLenght=3", Target::Field, "did you mean `+kubebuilder:validation:MaxLength`?"),
            ("kubebuilder:printcolum:name=x", Target::Resource, "did you mean `+kubebuilder:printcolumn"),
            ("kubebuilder:printcolumn:name=Age,type=dat,JSONPath=.a", Target::Resource, "did you mean `date`?"),
            ("somethingOdd", Target::Field, "cargo xtask markers"),
            ("standard", Target::Field, "alone means nothing"),
            ("kubebuilder:validation:MaxLength", Target::Field, "needs a value"),
            ("kubebuilder:validation:MaxLength=many", Target::Field, "found `many`"),
            ("kubebuilder:validation:MaxLength=-1", Target::Field, "not negative"),
            ("kubebuilder:validation:MaxLength:3", Target::Field, "write `+kubebuilder:validation:MaxLength=…`"),
            ("optional=true", Target::Field, "takes no value, found `=true`"),
            ("optional", Target::Type, "belongs on a field, not on a type"),
            ("kubebuilder:storageversion", Target::Type, "has no `#[api(group"),
            ("kubebuilder:storageversion", Target::Field, "type of the resource"),
            ("kubebuilder:validation:XValidation:message=x", Target::Type, "needs the argument `rule`"),
            ("kubebuilder:validation:XValidation:rul=x", Target::Type, "did you mean `rule`?"),
            ("kubebuilder:validation:AtMostOneOf=a", Target::Field, "on a type, not on a field: put it on the type"),
            ("kubebuilder:validation:XValidation:rule=\"a\",rule=\"b\"", Target::Type, "appears twice"),
            ("kubebuilder:validation:XValidation=a", Target::Type, "takes named arguments"),
            ("kubebuilder:validation:XValidation:rule=\"a\" b", Target::Type, "expected `,` before `b`"),
            ("genclient", Target::Type, "kube::Api"),
            ("experimental:tombstone:name=a,reason=b,removed=v1.0.0", Target::Type, "cannot be limited"),
            ("experimental:experimental", Target::Field, "cannot be limited"),
            ("experimental:standard:listType=set", Target::Field, "cannot be combined"),
            ("experimental:", Target::Field, "there is none"),
            ("exprimental:listType=set", Target::Field, "did you mean `+experimental:listType`?"),
            ("listType=sett", Target::Field, "did you mean `set`?"),
            ("listType=ordered", Target::Field, "expected `atomic`, `set` or `map`, found `ordered`"),
            ("listType=", Target::Field, "a value is missing"),
            ("kubebuilder:validation:Size=3", Target::Field, "cargo xtask markers"),
            ("kubebuilder:validation:XValidation:rule=\"a\",", Target::Type, "ends with a comma"),
            ("kubebuilder:rbac:groups=a,verbs=get", Target::Type, "no meaning in Rust"),
            ("lens:renam:from=a,since=v1.0.0", Target::Field, "did you mean `+lens:rename"),
            ("lens:rename:from=a", Target::Field, "needs the argument `since`"),
            ("lens:rename:form=a,since=v1.0.0", Target::Field, "did you mean `from`?"),
            ("lens:drop:path=a,reason=b,since=v1.0.0", Target::Field, "put it on the type"),
            ("lens:default:value=a,since=v1.0.0", Target::Type, "put it on the fields"),
            ("lens:resource:version=v1,since=v1.0.0", Target::Type, "has no `#[api(group"),
            ("experimental:lens:rename:from=a,since=v1.0.0", Target::Field, "cannot be limited"),
            ("standard:optional", Target::Field, "the Rust type determines it"),
            ("experimental:conformance:feature=A", Target::Field, "cannot be limited"),
            ("conformance:feature", Target::Variant, "needs a value"),
            ("conformance:features=A", Target::Type, "did you mean `+conformance:feature`?"),
            ("conformance:feature:name=A", Target::Field, "takes one value"),
            ("tombstone:name=tls", Target::Type, "needs the argument `reason`"),
            ("kubebuilder:validation:Enum={a,b} c", Target::Field, "left over"),
            ("k8s:maxItems=-1", Target::Field, "not negative"),
            ("k8s:maxItems=# none", Target::Field, "a value is missing"),
            ("k8s:maxItems=1", Target::Type, "put it on the fields that have this type"),
            ("k8s:minimum=low", Target::Field, "expected a number, found `low`"),
            ("k8s:listType=sett", Target::Type, "did you mean `set`?"),
            ("k8s:maxitems=1", Target::Field, "did you mean `+k8s:maxItems`?"),
            ("k8s:required=true", Target::Field, "takes no value"),
        ] {
            let message = error(text, target);
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn faults_of_markers_without_effect_on_schemas() {
        for (text, target, part) in [
            ("lint:allow=no-floats", Target::Variant, "needs the argument `reason`"),
            ("lint:alow=no-floats,reason=a", Target::Field, "did you mean `allow`?"),
            ("experimental:lint:allow=a,reason=b", Target::Field, "cannot be limited"),
            ("experimental:go:name=A", Target::Field, "cannot be limited"),
            ("go:type=pointr", Target::Field, "did you mean `pointer`?"),
            ("go:type=pointer", Target::Type, "put it on the fields"),
        ] {
            assert!(error(text, target).contains(part), "{text}");
        }
    }

    #[test]
    fn all_faults_of_one_marker_are_reported() {
        let errors = parse("standard:tombstone:nam=a,reason=\"b\",reason=\"c\"", Target::Field).unwrap_err();
        assert_eq!(errors.len(), 5, "{errors:#?}");
        let errors = parse("kubebuilder:printcolumn:type=dat,priority=low,nam=x", Target::Resource).unwrap_err();
        assert_eq!(errors.len(), 4, "{errors:#?}");
    }
}
