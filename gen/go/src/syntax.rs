//! A Go file as declarations: what tree-sitter's tree has of packages, imports, types and constants.
//!
//! Invariants: a syntax error is found wherever it can change a declaration, and is ignored in the body of a function. Types that no schema has are
//! [`Type::Opaque`]. Nothing refers to the tree.

use std::ops::Range;

use tree_sitter::{Node, Parser};

use crate::comments::Comments;
use crate::names::Line;
use crate::problem::{Fault, SYNTAX};

/// How many types can be in each other.
const DEEPEST: usize = 50;

#[derive(Debug, Default)]
pub(crate) struct File {
    /// From the root of the project, with `/`.
    pub(crate) path: &'static str,
    pub(crate) text: String,
    /// The bytes at which lines begin.
    lines: Vec<usize>,
    pub(crate) comments: Comments,
    pub(crate) package: String,
    pub(crate) imports: Vec<Import>,
    pub(crate) types: Vec<Declared>,
    pub(crate) constants: Vec<Constant>,
    /// Methods that write a type as JSON or as text, each with the type.
    pub(crate) methods: Vec<(String, String)>,
    /// The declarations of types and constants with their comments, bytes.
    pub(crate) declarations: Vec<Range<usize>>,
    pub(crate) errors: Vec<Fault>,
}

#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) name: Option<String>,
    pub(crate) path: String,
}

/// The groups of comments that belong to a declaration.
pub(crate) type Attached = Range<usize>;

/// A declaration of a type.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    /// The byte of the name.
    pub(crate) at: usize,
    pub(crate) is_alias: bool,
    pub(crate) kind: Type,
    pub(crate) comments: Attached,
}

/// A field, or an embedded type.
#[derive(Debug)]
pub(crate) struct Member {
    /// The name and its byte. None: it is embedded.
    pub(crate) names: Vec<(String, usize)>,
    pub(crate) at: usize,
    pub(crate) kind: Type,
    pub(crate) tag: String,
    pub(crate) comments: Attached,
}

#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) at: usize,
    /// The name of its type.
    pub(crate) kind: String,
    /// Its value, if it is one string.
    pub(crate) value: Option<String>,
    pub(crate) comments: Attached,
}

/// The name of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// The name of the package before the dot; may be empty.
    pub(crate) package: String,
    pub(crate) name: String,
    pub(crate) at: usize,
}

/// A type, without pointers.
#[derive(Debug)]
pub(crate) enum Type {
    Named(Name),
    List(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Struct(Vec<Member>),
    Opaque,
}

impl Declared {
    /// The comments of the type and of its fields.
    pub(crate) fn comments(&self) -> Vec<Attached> {
        let members = if let Type::Struct(members) = &self.kind { &members[..] } else { &[] };
        members.iter().map(|member| member.comments.clone()).chain([self.comments.clone()]).collect()
    }
}

impl File {
    /// Whether a type or one of its fields has a channel marker.
    pub(crate) fn has_channels(&self, declared: &Declared) -> bool {
        let markers =
            self.comments.indexes(declared.comments()).filter_map(|index| self.comments.all[index].marker.as_ref());
        markers.into_iter().any(|marker| matches!(marker.line, Line::Channel))
    }

    pub(crate) fn parse(path: &'static str, text: String) -> File {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut file = File { path, lines, ..File::default() };
        let mut parser = Parser::new();
        let tree = parser.set_language(&tree_sitter_go::LANGUAGE.into()).ok().and_then(|()| parser.parse(&text, None));
        match tree {
            Some(tree) => {
                file.comments = Comments::of(&text, tree.root_node());
                Reader { text: &text, file: &mut file }.file(tree.root_node());
            }
            None => file.errors.push(Fault::new(0, &SYNTAX, "this file cannot be parsed")),
        }
        File { text, ..file }
    }

    /// The line and the column of a byte, from 1, the column in characters.
    pub(crate) fn position(&self, at: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= at).max(1);
        let before = self.text.get(self.lines[line - 1]..at).unwrap_or_default();
        (line, before.chars().count() + 1)
    }

    /// The line of a byte, from 1.
    pub(crate) fn line(&self, at: usize) -> u32 {
        u32::try_from(self.lines.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }
}

struct Reader<'f> {
    text: &'f str,
    file: &'f mut File,
}

fn named(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
    children.into_iter()
}

fn names(node: Node<'_>) -> Vec<Node<'_>> {
    node.children_by_field_name("name", &mut node.walk()).filter(|name| name.is_named()).collect()
}

impl Reader<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn owned(&self, node: Option<Node<'_>>) -> String {
        node.map(|node| self.text(node).to_owned()).unwrap_or_default()
    }

    fn file(&mut self, root: Node<'_>) {
        if let Some(fault) = self.error(root) {
            self.file.errors.push(fault);
        }
        let mut previous = 0;
        for node in named(root) {
            match node.kind() {
                "package_clause" => self.file.package = self.owned(node.named_child(0)),
                "import_declaration" => self.imports(node),
                "type_declaration" | "const_declaration" => self.specs(node, previous),
                "method_declaration" => self.method(node),
                "function_declaration" | "var_declaration" | "ERROR" => {}
                _ if self.file.errors.is_empty() => {
                    let fault = Fault::new(node.start_byte(), &SYNTAX, "expected a declaration");
                    self.file.errors.push(fault);
                }
                _ => {}
            }
            previous = node.end_byte();
        }
        if self.file.package.is_empty() && self.file.errors.is_empty() {
            self.file.errors.push(Fault::new(0, &SYNTAX, "expected `package NAME`"));
        }
    }

    /// The first syntax error outside the bodies of functions.
    fn error(&self, root: Node<'_>) -> Option<Fault> {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if node.is_error() || node.is_missing() {
                let found: String = self.text(node).chars().take_while(|next| *next != '\n').take(30).collect();
                let message = match (node.is_missing(), found.trim()) {
                    (true, _) => format!("syntax error: `{}` is missing", node.kind()),
                    (false, "") => "syntax error".to_owned(),
                    (false, found) => format!("syntax error at `{found}`"),
                };
                return Some(Fault::new(node.start_byte(), &SYNTAX, message));
            }
            if node.has_error() && node.kind() != "block" {
                let mut children: Vec<Node<'_>> = node.children(&mut node.walk()).collect();
                children.reverse();
                open.extend(children);
            }
        }
        None
    }

    fn imports(&mut self, node: Node<'_>) {
        let specs: Vec<Node<'_>> = named(node)
            .flat_map(|child| if child.kind() == "import_spec_list" { named(child).collect() } else { vec![child] })
            .collect();
        for spec in specs {
            let name = spec.child_by_field_name("name").map(|name| self.text(name).to_owned());
            let path = spec.child_by_field_name("path").and_then(|path| self.string(path));
            self.file.imports.extend(path.map(|path| Import { name, path }));
        }
    }

    fn method(&mut self, node: Node<'_>) {
        let name = self.owned(node.child_by_field_name("name"));
        if !matches!(name.as_str(), "MarshalJSON" | "MarshalText") {
            return;
        }
        let receiver = node.child_by_field_name("receiver").and_then(|list| list.named_child(0));
        let kind = receiver.and_then(|parameter| parameter.child_by_field_name("type"));
        if let Some(Type::Named(of)) = kind.map(|kind| self.kind(kind, 0)) {
            self.file.methods.push((name, of.name));
        }
    }

    /// The types or constants of a declaration, in parentheses or alone.
    fn specs(&mut self, node: Node<'_>, before: usize) {
        let is_list = node.children(&mut node.walk()).any(|child| child.kind() == "(");
        let mut previous = if is_list { node.start_byte() } else { before };
        let first = self.file.comments.above(self.text, before, node.start_byte());
        let start = self.file.comments.groups.get(first.start).filter(|_| !first.is_empty());
        let start = start.map_or(node.start_byte(), |group| group.range.start);
        let end = self.text[node.end_byte()..].find('\n').map_or(self.text.len(), |end| node.end_byte() + end);
        self.file.declarations.push(start..end);
        for spec in named(node) {
            let start = if is_list { spec.start_byte() } else { node.start_byte() };
            let comments = self.file.comments.above(self.text, previous, start);
            previous = spec.end_byte();
            match spec.kind() {
                "type_spec" | "type_alias" => self.declared(spec, comments),
                "const_spec" => self.constants(spec, &comments),
                _ => {}
            }
        }
    }

    fn declared(&mut self, spec: Node<'_>, comments: Attached) {
        let (Some(name), Some(kind)) = (spec.child_by_field_name("name"), spec.child_by_field_name("type")) else {
            return;
        };
        let is_generic = spec.child_by_field_name("type_parameters").is_some();
        let kind = match kind.kind() {
            _ if is_generic => Type::Opaque,
            "struct_type" => Type::Struct(self.members(kind)),
            _ => self.kind(kind, 0),
        };
        self.file.types.push(Declared {
            name: self.text(name).to_owned(),
            at: name.start_byte(),
            is_alias: spec.kind() == "type_alias",
            kind,
            comments,
        });
    }

    fn constants(&mut self, spec: Node<'_>, comments: &Attached) {
        let values: Vec<Node<'_>> = spec.child_by_field_name("value").into_iter().flat_map(named).collect();
        for (index, name) in names(spec).into_iter().enumerate() {
            let mut value = values.get(index).copied();
            let mut kind = self.owned(spec.child_by_field_name("type"));
            // `Kind("value")`
            if kind.is_empty()
                && let Some(call) = value.filter(|value| value.kind() == "call_expression")
                && let Some(arguments) = call.child_by_field_name("arguments").filter(|list| named(*list).count() == 1)
            {
                kind = self.owned(call.child_by_field_name("function"));
                value = named(arguments).next();
            }
            let value = value.and_then(|value| self.string(value));
            let (name, at) = (self.text(name).to_owned(), name.start_byte());
            self.file.constants.push(Constant { name, at, kind, value, comments: comments.clone() });
        }
    }

    fn members(&self, node: Node<'_>) -> Vec<Member> {
        let Some(list) = named(node).next() else { return Vec::new() };
        let mut previous = list.start_byte();
        let mut members = Vec::new();
        for field in named(list).filter(|child| child.kind() == "field_declaration") {
            let comments = self.file.comments.above(self.text, previous, field.start_byte());
            previous = field.end_byte();
            let tag = field.child_by_field_name("tag").and_then(|tag| self.string(tag)).unwrap_or_default();
            let names = names(field).into_iter().map(|name| (self.text(name).to_owned(), name.start_byte()));
            let kind = field.child_by_field_name("type").map_or(Type::Opaque, |kind| self.kind(kind, 0));
            members.push(Member { names: names.collect(), at: field.start_byte(), kind, tag, comments });
        }
        members
    }

    fn kind(&self, node: Node<'_>, depth: usize) -> Type {
        let boxed = |node: Option<Node<'_>>| {
            Box::new(node.filter(|_| depth < DEEPEST).map_or(Type::Opaque, |node| self.kind(node, depth + 1)))
        };
        let of = |field: &str| boxed(node.child_by_field_name(field));
        match node.kind() {
            "type_identifier" | "identifier" => {
                Type::Named(Name { package: String::new(), name: self.text(node).to_owned(), at: node.start_byte() })
            }
            "qualified_type" => Type::Named(Name {
                package: self.owned(node.child_by_field_name("package")),
                name: self.owned(node.child_by_field_name("name")),
                at: node.start_byte(),
            }),
            "pointer_type" | "parenthesized_type" => *boxed(named(node).next()),
            "slice_type" | "array_type" => Type::List(of("element")),
            "map_type" => Type::Map(of("key"), of("value")),
            _ => Type::Opaque,
        }
    }

    /// The value of a string.
    fn string(&self, node: Node<'_>) -> Option<String> {
        let text = self.text(node);
        match node.kind() {
            "raw_string_literal" => Some(text.strip_prefix('`')?.strip_suffix('`')?.replace('\r', "")),
            "interpreted_string_literal" => unquoted(text.strip_prefix('"')?.strip_suffix('"')?),
            "parenthesized_expression" => self.string(named(node).next()?),
            _ => None,
        }
    }
}

/// What a string in double quotes has between them. Escapes by number are not read: names on the wire have none.
pub(crate) fn unquoted(text: &str) -> Option<String> {
    let mut characters = text.chars();
    let mut result = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        result.push(match character {
            '\\' => match characters.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                escaped @ ('\\' | '"') => escaped,
                _ => return None,
            },
            other => other,
        });
    }
    Some(result)
}
