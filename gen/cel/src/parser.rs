//! From tokens to a syntax tree.
//!
//! Invariants: it accepts what cel-go's parser accepts with the macros of a Kubernetes server (optional types, two-variable
//! comprehensions, `sortBy`) and with `cel.bind`. Its limits are those of the server, so neither the parser nor a reader of the tree can
//! run out of stack. All errors that leave the structure intact are reported; the first other error ends parsing.

use super::lexer::{Lexer, Token, TokenKind, Unreadable};
use super::literals;
use super::problem::{CelProblem, ProblemKind};
use super::shapes::{OLDEST_MINOR, Scalar};

/// How deep expressions can be nested: the limit of the API server.
pub(super) const DEPTH_LIMIT: u32 = 250;
/// The length of an expression in characters: the limit of the API server.
pub(super) const LENGTH_LIMIT: usize = 100_000;

/// Words that the language reserves: variables cannot have these names. Fields can, but older parsers do not accept them after a dot.
pub const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// The index of a node in [`Tree::nodes`].
pub(super) type NodeId = u32;

/// A run of [`Tree::children`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Children {
    start: u32,
    end: u32,
}

/// A piece of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Offset of the first byte.
    pub(super) start: u32,
    /// Offset after the last byte.
    pub(super) end: u32,
}

/// A call that binds variables, or that does not only evaluate its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Macro {
    /// `all`
    All,
    /// `exists`
    Exists,
    /// `exists_one`, `existsOne`
    ExistsOne,
    /// `map`, also with a condition.
    Map,
    /// `filter`
    Filter,
    /// `sortBy`
    SortBy,
    /// `transformList`
    TransformList,
    /// `transformMap`
    TransformMap,
    /// `transformMapEntry`
    TransformMapEntry,
    /// `optMap`
    OptionalMap,
    /// `optFlatMap`
    OptionalFlatMap,
    /// `cel.bind`
    Bind,
}

impl Macro {
    /// The first Kubernetes minor that accepts it in new rules.
    pub(super) fn since(self, variables: u8) -> u32 {
        match (self, variables) {
            (Self::SortBy, _) => 35,
            (_, 2) => 33,
            _ => OLDEST_MINOR,
        }
    }

    /// Whether its result is true or false.
    pub(super) fn is_quantifier(self) -> bool {
        matches!(self, Self::All | Self::Exists | Self::ExistsOne)
    }
}

/// A macro on a target with its variables (1 or 2) and the other arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct MacroCall {
    pub(super) kind: Macro,
    pub(super) variables: u8,
    pub(super) target: NodeId,
    pub(super) name: Span,
    pub(super) arguments: Children,
}

impl MacroCall {
    /// Whether it is `all`, `exists` or `exists_one` with one variable.
    pub(super) fn is_over_items(self) -> bool {
        self.variables == 1 && self.kind.is_quantifier()
    }
}

/// The parts of a macro, as every reader of it needs them.
#[derive(Clone, Copy)]
pub(super) struct MacroParts<'s> {
    pub(super) kind: Macro,
    /// The names of the variables; the second one is empty if there is only one.
    pub(super) names: [&'s str; 2],
    pub(super) is_pair: bool,
    /// What decides about an item; of `cel.bind` the value of the variable.
    pub(super) condition: Option<NodeId>,
    /// What an item becomes; of `cel.bind` the result.
    pub(super) result: Option<NodeId>,
}

/// One node of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// The name of a variable or a type. An absolute one begins with a dot, which is not part of the span.
    Name {
        name: Span,
        absolute: bool,
    },
    /// A literal of this type.
    Literal(Scalar),
    /// `of.name`, `of.?name`
    Select {
        of: NodeId,
        name: Span,
        optional: bool,
    },
    /// `has(field)`: the selected field.
    Has {
        field: NodeId,
    },
    /// `of[key]`, `of[?key]`; `at` is the bracket.
    Index {
        of: NodeId,
        key: NodeId,
        optional: bool,
        at: u32,
    },
    /// `name(…)`, `target.name(…)`
    Call {
        target: Option<NodeId>,
        name: Span,
        arguments: Children,
    },
    Macro(MacroCall),
    /// `[…]`
    List {
        items: Children,
    },
    /// `{key: value, …}`: keys and values alternate.
    Map {
        entries: Children,
    },
    /// An entry of a literal with `?`: `[?of]`, `{?key: of}`.
    OptionalEntry {
        of: NodeId,
    },
    /// `Name{field: value, …}`: the values.
    Message {
        values: Children,
    },
    /// Operands of `&&`, or of `||`.
    Logic {
        terms: Children,
        is_or: bool,
    },
    /// An odd number of `!`.
    Not {
        of: NodeId,
    },
    /// An odd number of `-`.
    Negate {
        of: NodeId,
    },
    /// `==`, `!=`, `<`, `<=`, `>`, `>=`; `at` is the operator.
    Comparison {
        operator: TokenKind,
        left: NodeId,
        right: NodeId,
        at: u32,
    },
    /// `left in right`; `at` is the operator.
    In {
        left: NodeId,
        right: NodeId,
        at: u32,
    },
    /// `left + right`; `at` is the operator.
    Sum {
        left: NodeId,
        right: NodeId,
        at: u32,
    },
    /// `-`, `*`, `/`, `%`; `at` is the operator.
    Calculation {
        operator: TokenKind,
        left: NodeId,
        right: NodeId,
        at: u32,
    },
    /// `test ? yes : no`
    Conditional {
        test: NodeId,
        yes: NodeId,
        no: NodeId,
    },
}

#[derive(Debug)]
pub(super) struct Tree<'s> {
    /// The text of the expression.
    pub(super) source: &'s str,
    /// All nodes; children before their parents.
    pub(super) nodes: Vec<Node>,
    /// The node of the whole expression.
    pub(super) root: NodeId,
    children: Vec<NodeId>,
    /// The offset of the first byte of each node, without brackets around it.
    starts: Vec<u32>,
}

impl<'s> Tree<'s> {
    /// A piece of the source.
    pub(super) fn text(&self, span: Span) -> &'s str {
        // Spans come from tokens of this source.
        self.source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The name of a field, which can be in backticks.
    pub(super) fn field(&self, span: Span) -> &'s str {
        let name = self.text(span);
        name.strip_prefix('`').and_then(|inner| inner.strip_suffix('`')).unwrap_or(name)
    }

    /// The source from a node on.
    pub(super) fn source_from(&self, id: NodeId) -> &'s str {
        self.source.get(self.start(id)..).unwrap_or_default()
    }

    /// The names of a value, with dots between them, if it consists only of names.
    pub(super) fn qualified(&self, of: NodeId) -> Option<String> {
        match self.node(of) {
            Node::Name { name, .. } => Some(self.text(name).to_owned()),
            Node::Select { of, name, optional: false } => Some(format!("{}.{}", self.qualified(of)?, self.text(name))),
            _ => None,
        }
    }

    /// The parts of a macro.
    pub(super) fn macro_parts(&self, call: MacroCall) -> MacroParts<'s> {
        let arguments = self.children(call.arguments);
        let (variables, rest) = arguments.split_at(usize::from(call.variables).min(arguments.len()));
        let name = |at: usize| match variables.get(at).map(|id| self.node(*id)) {
            Some(Node::Name { name, .. }) => self.text(name),
            _ => "",
        };
        let (condition, result) = match rest {
            [condition] if call.kind.is_quantifier() || call.kind == Macro::Filter => (Some(*condition), None),
            [condition, result] => (Some(*condition), Some(*result)),
            rest => (None, rest.first().copied()),
        };
        MacroParts { kind: call.kind, names: [name(0), name(1)], is_pair: call.variables == 2, condition, result }
    }

    /// The nodes of a run.
    pub(super) fn children(&self, run: Children) -> &[NodeId] {
        &self.children[run.start as usize..run.end as usize]
    }

    pub(super) fn node(&self, id: NodeId) -> Node {
        self.nodes[id as usize]
    }

    /// The offset of its first byte.
    pub(super) fn start(&self, id: NodeId) -> usize {
        self.starts[id as usize] as usize
    }
}

pub(super) fn parse(source: &str) -> Result<Tree<'_>, Vec<CelProblem>> {
    // Characters are counted only where there are enough bytes for too many of them.
    if source.len() > LENGTH_LIMIT && source.chars().count() > LENGTH_LIMIT {
        return Err(vec![CelProblem { at: 0, kind: ProblemKind::TooLong { limit: LENGTH_LIMIT } }]);
    }
    let mut parser = Parser {
        lexer: Lexer::new(source),
        token: Token { kind: TokenKind::End, start: 0, end: 0 },
        tree: Tree {
            source,
            nodes: Vec::with_capacity(source.len() / 4 + 4),
            root: 0,
            children: Vec::new(),
            starts: Vec::with_capacity(source.len() / 4 + 4),
        },
        unfinished: Vec::new(),
        problems: Vec::new(),
        expressions: 0,
        comparisons: 0,
        calculations: 0,
        too_deep_at: None,
    };
    let root = parser.whole();
    if let (Ok(root), true) = (root, parser.problems.is_empty()) {
        parser.tree.root = root;
        return Ok(parser.tree);
    }
    parser.problems.sort_by_key(|problem| problem.at);
    Err(parser.problems)
}

/// Parsing ended; the reason is among the problems.
struct Stopped;

#[derive(Clone, Copy)]
struct Part {
    node: NodeId,
    /// How many operators, selections, calls and indexings are nested in it. cel-go counts these, but not parentheses, lists, `&&`
    /// and `||`.
    depth: u32,
}

struct Parser<'s> {
    lexer: Lexer<'s>,
    /// The token that comes next.
    token: Token,
    tree: Tree<'s>,
    /// Children of nodes that are still being read, innermost last.
    unfinished: Vec<NodeId>,
    problems: Vec<CelProblem>,
    // The nesting of expressions, comparisons and calculations at the current token. cel-go counts every rule of the grammar
    // separately; the other rules cannot be deeper than these three.
    expressions: u32,
    comparisons: u32,
    calculations: u32,
    /// Where [`Part::depth`] first exceeded the limit.
    too_deep_at: Option<usize>,
}

impl<'s> Parser<'s> {
    fn whole(&mut self) -> Result<NodeId, Stopped> {
        self.advance()?;
        let part = self.expression()?;
        if self.token.kind != TokenKind::End {
            return Err(self.expected("an operator or the end of the rule"));
        }
        if let Some(at) = self.too_deep_at {
            return Err(self.too_deep(at));
        }
        Ok(part.node)
    }

    // ---- tokens, problems, nodes ----

    fn advance(&mut self) -> Result<Token, Stopped> {
        let consumed = self.token;
        match self.lexer.next_token() {
            Ok(token) => {
                self.token = token;
                Ok(consumed)
            }
            Err(Unreadable { at, message, help }) => {
                self.find(at, ProblemKind::Unreadable { message, help });
                Err(Stopped)
            }
        }
    }

    fn skip(&mut self, kind: TokenKind) -> Result<bool, Stopped> {
        let present = self.token.kind == kind;
        if present {
            self.advance()?;
        }
        Ok(present)
    }

    fn find(&mut self, at: usize, kind: ProblemKind) {
        self.problems.push(CelProblem { at, kind });
    }

    fn expected(&mut self, expected: impl Into<String>) -> Stopped {
        let found = match self.token.kind {
            TokenKind::End => None,
            _ => Some(self.tree.text(span_of(self.token)).to_owned()),
        };
        self.find(self.token.start, ProblemKind::Syntax { expected: expected.into(), found });
        Stopped
    }

    fn too_deep(&mut self, at: usize) -> Stopped {
        self.find(at, ProblemKind::TooDeep { limit: DEPTH_LIMIT });
        Stopped
    }

    /// Adds a node that starts where its first part does, or its name.
    fn add(&mut self, node: Node) -> NodeId {
        let first = match node {
            Node::Name { name, .. } | Node::Call { target: None, name, .. } => return self.add_at(node, name.start),
            Node::Select { of: first, .. }
            | Node::Has { field: first }
            | Node::Index { of: first, .. }
            | Node::Call { target: Some(first), .. }
            | Node::Macro(MacroCall { target: first, .. })
            | Node::Not { of: first }
            | Node::Negate { of: first }
            | Node::OptionalEntry { of: first }
            | Node::Comparison { left: first, .. }
            | Node::In { left: first, .. }
            | Node::Sum { left: first, .. }
            | Node::Calculation { left: first, .. }
            | Node::Conditional { test: first, .. } => Some(first),
            Node::List { items: parts }
            | Node::Map { entries: parts }
            | Node::Message { values: parts }
            | Node::Logic { terms: parts, .. } => self.tree.children(parts).first().copied(),
            Node::Literal(_) => None,
        };
        let start = first.map_or(0, |first| self.tree.starts[first as usize]);
        self.add_at(node, start)
    }

    fn add_at(&mut self, node: Node, start: u32) -> NodeId {
        let id = index(self.tree.nodes.len());
        self.tree.nodes.push(node);
        self.tree.starts.push(start);
        id
    }

    /// Adds a node that cel-go counts when it measures depth.
    fn add_counted(&mut self, node: Node, depth_below: u32) -> Part {
        let depth = depth_below + 1;
        if depth > DEPTH_LIMIT && self.too_deep_at.is_none() {
            self.too_deep_at = Some(self.token.start);
        }
        Part { node: self.add(node), depth }
    }

    /// Makes a run of all unfinished children from index `first`.
    fn finish_children(&mut self, first: usize) -> Children {
        let start = index(self.tree.children.len());
        self.tree.children.extend(self.unfinished.drain(first..));
        Children { start, end: index(self.tree.children.len()) }
    }

    // ---- operators, loosest first ----

    fn expression(&mut self) -> Result<Part, Stopped> {
        self.expressions += 1;
        if self.expressions > DEPTH_LIMIT {
            return Err(self.too_deep(self.token.start));
        }
        let mut part = self.alternatives()?;
        if self.skip(TokenKind::QuestionMark)? {
            let yes = self.alternatives()?;
            if !self.skip(TokenKind::Colon)? {
                return Err(self.expected("`:` and the value for the other case"));
            }
            let no = self.expression()?;
            let depth = part.depth.max(yes.depth).max(no.depth);
            part = self.add_counted(Node::Conditional { test: part.node, yes: yes.node, no: no.node }, depth);
        }
        self.expressions -= 1;
        Ok(part)
    }

    fn alternatives(&mut self) -> Result<Part, Stopped> {
        self.logic(TokenKind::Or, |parser| parser.logic(TokenKind::And, Self::comparison))
    }

    /// Terms with this operator between them.
    fn logic(
        &mut self,
        operator: TokenKind,
        read_term: impl Fn(&mut Self) -> Result<Part, Stopped>,
    ) -> Result<Part, Stopped> {
        let first = read_term(self)?;
        if self.token.kind != operator {
            return Ok(first);
        }
        let (mark, mut depth) = (self.unfinished.len(), first.depth);
        self.unfinished.push(first.node);
        while self.skip(operator)? {
            let term = read_term(self)?;
            depth = depth.max(term.depth);
            self.unfinished.push(term.node);
        }
        let terms = self.finish_children(mark);
        Ok(Part { node: self.add(Node::Logic { terms, is_or: operator == TokenKind::Or }), depth })
    }

    fn comparison(&mut self) -> Result<Part, Stopped> {
        self.comparisons += 1;
        if self.comparisons > DEPTH_LIMIT {
            return Err(self.too_deep(self.token.start));
        }
        let mut left = self.calculation(0)?;
        loop {
            let operator = self.token.kind;
            let membership = match operator {
                TokenKind::In => true,
                TokenKind::Equal
                | TokenKind::NotEqual
                | TokenKind::Less
                | TokenKind::LessEqual
                | TokenKind::Greater
                | TokenKind::GreaterEqual => false,
                _ => break,
            };
            let at = index(self.advance()?.start);
            // The right operand is one more comparison to cel-go.
            self.comparisons += 1;
            if self.comparisons > DEPTH_LIMIT {
                return Err(self.too_deep(self.token.start));
            }
            let right = self.calculation(0)?;
            self.comparisons -= 1;
            let node = if membership {
                Node::In { left: left.node, right: right.node, at }
            } else {
                Node::Comparison { operator, left: left.node, right: right.node, at }
            };
            left = self.add_counted(node, left.depth.max(right.depth));
        }
        self.comparisons -= 1;
        Ok(left)
    }

    fn calculation(&mut self, loosest: u8) -> Result<Part, Stopped> {
        self.calculations += 1;
        if self.calculations > DEPTH_LIMIT {
            return Err(self.too_deep(self.token.start));
        }
        let mut left = self.unary()?;
        loop {
            let operator = self.token.kind;
            let binds = match operator {
                TokenKind::Plus | TokenKind::Minus => 1,
                TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 2,
                _ => break,
            };
            if binds < loosest {
                break;
            }
            let at = index(self.advance()?.start);
            let right = self.calculation(binds + 1)?;
            let node = if operator == TokenKind::Plus {
                Node::Sum { left: left.node, right: right.node, at }
            } else {
                Node::Calculation { operator, left: left.node, right: right.node, at }
            };
            left = self.add_counted(node, left.depth.max(right.depth));
        }
        self.calculations -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Part, Stopped> {
        let operator = self.token.kind;
        if !matches!(operator, TokenKind::Exclamation | TokenKind::Minus) {
            return self.member(None);
        }
        let mut odd = false;
        let first = self.token;
        let mut count = 0_usize;
        while self.skip(operator)? {
            odd = !odd;
            count += 1;
        }
        let number_follows = matches!(self.token.kind, TokenKind::Integer | TokenKind::Double);
        if operator == TokenKind::Minus && count == 1 && number_follows {
            // One minus before a number belongs to the number: -9223372036854775808 has no positive counterpart.
            return self.member(Some(first));
        }
        let sign = if operator == TokenKind::Exclamation && self.token.kind == TokenKind::Minus {
            let minus = self.advance()?;
            if !matches!(self.token.kind, TokenKind::Integer | TokenKind::Double) {
                return Err(self.expected("a number after `!-` (for anything else write parentheses: `!(-x)`)"));
            }
            Some(minus)
        } else {
            None
        };
        let part = self.member(sign)?;
        // An even number of them cancels out, as in cel-go, where `has(!!self.a)` is the same as `has(self.a)`.
        Ok(match operator {
            _ if !odd => part,
            TokenKind::Minus => {
                Part { node: self.add_at(Node::Negate { of: part.node }, index(first.start)), depth: part.depth }
            }
            _ => Part { node: self.add_at(Node::Not { of: part.node }, index(first.start)), depth: part.depth },
        })
    }

    // ---- values and what follows them ----

    fn member(&mut self, sign: Option<Token>) -> Result<Part, Stopped> {
        let too_deep_before = self.too_deep_at;
        let first = self.token;
        let mut part = self.primary(sign)?;
        // Names joined by dots can be the name of a message, which may contain reserved words and has no depth.
        let mut only_names = match self.tree.node(part.node) {
            Node::Name { .. } if matches!(first.kind, TokenKind::Identifier | TokenKind::Dot) => Some(part.node),
            _ => None,
        };
        loop {
            match self.token.kind {
                TokenKind::Dot => {
                    self.advance()?;
                    let optional = self.skip(TokenKind::QuestionMark)?;
                    let name = self.field_name()?;
                    let is_call = !optional
                        && name.kind == TokenKind::Identifier
                        && self.token.kind == TokenKind::LeftParenthesis;
                    if is_call || optional || name.kind == TokenKind::QuotedIdentifier {
                        self.refuse_reserved(only_names.take());
                    }
                    let span = span_of(name);
                    if is_call {
                        part = self.call(part, span)?;
                    } else {
                        let node = Node::Select { of: part.node, name: span, optional };
                        part = self.add_counted(node, part.depth);
                    }
                }
                TokenKind::LeftBracket => {
                    self.refuse_reserved(only_names.take());
                    part = self.index(part)?;
                }
                TokenKind::LeftBrace if only_names.is_some() => {
                    only_names = None;
                    self.too_deep_at = too_deep_before;
                    part = self.message(index(first.start))?;
                }
                _ => break,
            }
        }
        self.refuse_reserved(only_names);
        Ok(part)
    }

    /// Reports a variable that has the name of a reserved word.
    fn refuse_reserved(&mut self, name: Option<NodeId>) {
        if let Some(Node::Name { name, .. }) = name.map(|id| self.tree.node(id)) {
            self.refuse_reserved_word(name);
        }
    }

    fn refuse_reserved_word(&mut self, name: Span) {
        let word = self.tree.text(name);
        if RESERVED.binary_search(&word).is_ok() {
            let word = word.to_owned();
            self.find(name.start as usize, ProblemKind::ReservedWord { word });
        }
    }

    fn field_name(&mut self) -> Result<Token, Stopped> {
        match self.token.kind {
            TokenKind::Identifier | TokenKind::QuotedIdentifier => self.advance(),
            TokenKind::In | TokenKind::Boolean | TokenKind::Null => {
                let word = self.tree.text(span_of(self.token)).to_owned();
                Err(self.expected(format!("a field name (a field called `{word}` is written `__{word}__`)")))
            }
            _ => Err(self.expected("a field name")),
        }
    }

    fn index(&mut self, of: Part) -> Result<Part, Stopped> {
        let bracket = self.advance()?.start;
        let optional = self.skip(TokenKind::QuestionMark)?;
        let key = self.expression()?;
        self.close(TokenKind::RightBracket, "]", "[", bracket)?;
        let node = Node::Index { of: of.node, key: key.node, optional, at: index(bracket) };
        Ok(self.add_counted(node, of.depth.max(key.depth)))
    }

    /// Consumes a closing bracket.
    fn close(&mut self, kind: TokenKind, closing: &str, opening: &str, opened_at: usize) -> Result<(), Stopped> {
        if self.skip(kind)? {
            return Ok(());
        }
        Err(self.expected(format!("`{closing}` for the `{opening}` at byte {opened_at}")))
    }

    fn primary(&mut self, sign: Option<Token>) -> Result<Part, Stopped> {
        let token = self.token;
        let literal = match token.kind {
            TokenKind::Identifier => return self.name_or_call(false),
            TokenKind::Dot => {
                self.advance()?;
                if self.token.kind != TokenKind::Identifier {
                    return Err(self.expected("a name after the leading `.`"));
                }
                return self.name_or_call(true);
            }
            TokenKind::LeftParenthesis => {
                self.advance()?;
                let part = self.expression()?;
                self.close(TokenKind::RightParenthesis, ")", "(", token.start)?;
                return Ok(part);
            }
            TokenKind::LeftBracket => return self.list(),
            TokenKind::LeftBrace => return self.map(),
            TokenKind::Integer => Scalar::Integer,
            TokenKind::Unsigned => Scalar::Unsigned,
            TokenKind::Double => Scalar::Double,
            TokenKind::Text => Scalar::Text,
            TokenKind::Bytes => Scalar::Bytes,
            TokenKind::Boolean => Scalar::Boolean,
            TokenKind::Null => Scalar::Null,
            _ => return Err(self.expected("a value: a name, a literal, `(`, `[` or `{`")),
        };
        self.check_number(literal, token, sign);
        self.advance()?;
        let start = index(sign.unwrap_or(token).start);
        Ok(Part { node: self.add_at(Node::Literal(literal), start), depth: 0 })
    }

    fn check_number(&mut self, literal: Scalar, token: Token, sign: Option<Token>) {
        let text = self.tree.text(span_of(token));
        let whole = || literals::integer(text);
        let limit = if sign.is_some() { i64::MIN.unsigned_abs() } else { i64::MAX.unsigned_abs() };
        let fits = match literal {
            Scalar::Integer => whole().is_some_and(|value| value <= limit),
            Scalar::Unsigned => whole().is_some(),
            Scalar::Double => text.parse::<f64>().is_ok_and(f64::is_finite),
            _ => return,
        };
        if !fits {
            let number = text.to_owned();
            self.find(token.start, ProblemKind::NumberOutOfRange { number });
        }
    }

    fn name_or_call(&mut self, absolute: bool) -> Result<Part, Stopped> {
        let name = span_of(self.advance()?);
        if self.token.kind != TokenKind::LeftParenthesis {
            return Ok(Part { node: self.add(Node::Name { name, absolute }), depth: 0 });
        }
        self.refuse_reserved_word(name);
        let opened_at = self.token.start;
        let (arguments, depth) = self.arguments(opened_at)?;
        let single = match self.tree.children(arguments) {
            [single] if !absolute && self.tree.text(name) == "has" => Some(*single),
            _ => None,
        };
        let Some(field) = single else {
            return Ok(Part { node: self.add(Node::Call { target: None, name, arguments }), depth });
        };
        match self.tree.node(field) {
            Node::Select { optional: false, .. } => {}
            // cel-go reads `has(has(self.a))` as `has(self.a)`.
            Node::Has { .. } => return Ok(Part { node: field, depth }),
            _ => {
                let message = "`has` needs one field: `has(self.field)`";
                self.find(name.start as usize, ProblemKind::MacroArgument { message });
            }
        }
        Ok(Part { node: self.add_at(Node::Has { field }, name.start), depth })
    }

    /// The arguments of a call, from `(` to `)`, and their depth.
    fn arguments(&mut self, opened_at: usize) -> Result<(Children, u32), Stopped> {
        self.advance()?;
        let (mark, mut depth) = (self.unfinished.len(), 0);
        if self.token.kind != TokenKind::RightParenthesis {
            loop {
                let argument = self.expression()?;
                depth = depth.max(argument.depth);
                self.unfinished.push(argument.node);
                if !self.skip(TokenKind::Comma)? {
                    break;
                }
            }
        }
        self.close(TokenKind::RightParenthesis, ")", "(", opened_at)?;
        Ok((self.finish_children(mark), depth))
    }

    fn call(&mut self, target: Part, name: Span) -> Result<Part, Stopped> {
        let (arguments, depth) = self.arguments(self.token.start)?;
        let node = match self.macro_call(target.node, name, arguments) {
            Some(call) => call,
            None => Node::Call { target: Some(target.node), name, arguments },
        };
        Ok(self.add_counted(node, depth.max(target.depth)))
    }

    /// The call as a macro, if it is one. An invalid variable is reported.
    fn macro_call(&mut self, target: NodeId, name: Span, arguments: Children) -> Option<Node> {
        let count = arguments.end - arguments.start;
        let one_or_two = if count == 3 { 2 } else { 1 };
        let (kind, variables) = match (self.tree.text(name), count) {
            ("all", 2 | 3) => (Macro::All, one_or_two),
            ("exists", 2 | 3) => (Macro::Exists, one_or_two),
            ("exists_one" | "existsOne", 2 | 3) => (Macro::ExistsOne, one_or_two),
            ("map", 2 | 3) => (Macro::Map, 1),
            ("filter", 2) => (Macro::Filter, 1),
            ("sortBy", 2) => (Macro::SortBy, 1),
            ("transformList", 3 | 4) => (Macro::TransformList, 2),
            ("transformMap", 3 | 4) => (Macro::TransformMap, 2),
            ("transformMapEntry", 3 | 4) => (Macro::TransformMapEntry, 2),
            ("optMap", 2) => (Macro::OptionalMap, 1),
            ("optFlatMap", 2) => (Macro::OptionalFlatMap, 1),
            ("bind", 3) if self.name_of(target) == Some((false, "cel")) => (Macro::Bind, 1),
            _ => return None,
        };
        let nodes = self.tree.children(arguments);
        let (first, second) = (*nodes.first()?, nodes.get(1).copied().filter(|_| variables == 2));
        let names = (self.name_of(first), second.map(|second| self.name_of(second)));
        let accumulator = Some((false, "__result__"));
        let message = match names {
            (None, _) | (_, Some(None)) => {
                "the variable of this macro must be a simple name, as in `self.list.all(item, …)`"
            }
            (first, Some(second)) if first == second => "the two variables of this macro must have different names",
            (first, second)
                if !matches!(kind, Macro::OptionalMap | Macro::OptionalFlatMap | Macro::Bind)
                    && (first == accumulator || second == Some(accumulator)) =>
            {
                "`__result__` cannot be a variable, because CEL uses this name itself"
            }
            _ if kind == Macro::SortBy
                && matches!(self.tree.node(target), Node::Literal(_) | Node::Map { .. } | Node::Message { .. }) =>
            {
                "`sortBy` needs a list"
            }
            _ => return Some(Node::Macro(MacroCall { kind, variables, target, name, arguments })),
        };
        // In Kubernetes `existsOne` is a macro only with two variables. With one it is a call, and its syntax is valid.
        if (self.tree.text(name), count) != ("existsOne", 2) {
            self.find(name.start as usize, ProblemKind::MacroArgument { message });
        }
        None
    }

    /// Whether the name begins with a dot, and the name, where the node is a name.
    fn name_of(&self, node: NodeId) -> Option<(bool, &'s str)> {
        match self.tree.node(node) {
            Node::Name { name, absolute } => Some((absolute, self.tree.text(name))),
            _ => None,
        }
    }

    fn list(&mut self) -> Result<Part, Stopped> {
        let start = index(self.token.start);
        let (items, depth) = self.entries("[", |_| Ok(None))?;
        Ok(Part { node: self.add_at(Node::List { items }, start), depth })
    }

    fn map(&mut self) -> Result<Part, Stopped> {
        let start = index(self.token.start);
        let (entries, depth) = self.entries("{", |parser| parser.expression().map(Some))?;
        Ok(Part { node: self.add_at(Node::Map { entries }, start), depth })
    }

    fn message(&mut self, start: u32) -> Result<Part, Stopped> {
        // The names of fields are not part of the result.
        let (values, depth) = self.entries("{", |parser| parser.field_name().map(|_| None))?;
        Ok(Part { node: self.add_at(Node::Message { values }, start), depth })
    }

    /// Entries from a bracket to the closing one: the values, after the keys that `read_key` returns.
    fn entries(
        &mut self,
        opening: &str,
        read_key: impl Fn(&mut Self) -> Result<Option<Part>, Stopped>,
    ) -> Result<(Children, u32), Stopped> {
        let (end, closing) = if opening == "[" { (TokenKind::RightBracket, "]") } else { (TokenKind::RightBrace, "}") };
        let opened_at = self.advance()?.start;
        let (mark, mut depth) = (self.unfinished.len(), 0);
        let mut comma = true;
        while comma && self.token.kind != end && self.token.kind != TokenKind::Comma {
            let optional = self.skip(TokenKind::QuestionMark)?;
            if let Some(key) = read_key(self)? {
                depth = depth.max(key.depth);
                self.unfinished.push(key.node);
            }
            if opening == "{" && !self.skip(TokenKind::Colon)? {
                return Err(self.expected("`:` and a value"));
            }
            let value = self.expression()?;
            depth = depth.max(value.depth);
            let value = if optional { self.add(Node::OptionalEntry { of: value.node }) } else { value.node };
            self.unfinished.push(value);
            comma = self.skip(TokenKind::Comma)?;
        }
        if comma && self.unfinished.len() == mark {
            // `[,]` and `{,}` are valid: the grammar accepts a trailing comma without an item.
            self.skip(TokenKind::Comma)?;
        }
        self.close(end, closing, opening, opened_at)?;
        Ok((self.finish_children(mark), depth))
    }
}

fn span_of(token: Token) -> Span {
    Span { start: index(token.start), end: index(token.end) }
}

/// Offsets and node numbers stay far below the limit: an expression has at most 100,000 characters.
fn index(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
