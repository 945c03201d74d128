//! From tokens to the nodes of a document, as go-yaml v2 does (`parserc.go` and `decode.go`).
//!
//! Invariants: nesting is limited, so that readers can recurse; an alias refers to a finished node before it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::parse::{DEEPEST, YamlError, too_deep};
use super::scan::{Scanner, Token};
use super::section::TextPosition;

/// A value as it is written.
pub(super) struct Node {
    pub(super) content: Content,
    /// Without the short form: `tag:yaml.org,2002:str`.
    pub(super) tag: Option<String>,
    pub(super) position: TextPosition,
}

pub(super) enum Content {
    Scalar(String, Style),
    List(Vec<Rc<Node>>),
    Map(Vec<(Rc<Node>, Rc<Node>)>),
    Alias(Rc<Node>),
}

/// What decides the meaning of a scalar without a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// Any other scalar of YAML, and strings of JSON.
    Text,
    /// A number, a boolean or null of JSON, which stays as it is written.
    Json,
}

impl Node {
    fn empty(position: TextPosition) -> Rc<Self> {
        Rc::new(Self { content: Content::Scalar(String::new(), Style::Plain), tag: None, position })
    }
}

/// The first document of a text whose first line has this number; none if it has no content. What follows is not read.
pub(super) fn compose(text: &str, line: usize) -> Result<Option<Rc<Node>>, YamlError> {
    // Clients end the last line.
    let text = match text.ends_with('\n') {
        true => Cow::Borrowed(text),
        false => Cow::Owned(format!("{text}\n")),
    };
    let scanner = Scanner::new(&text, line)?;
    Composer { scanner, anchors: HashMap::new(), depth: 0 }.document()
}

type Composed<T> = Result<T, YamlError>;

struct Composer<'t> {
    scanner: Scanner<'t>,
    /// Nodes by their anchors; none for a node that is not finished.
    anchors: HashMap<String, Option<Rc<Node>>>,
    depth: usize,
}

impl Composer<'_> {
    fn document(mut self) -> Composed<Option<Rc<Node>>> {
        let is_explicit = self.take_if(&Token::DocumentStart)?;
        let is_empty = match self.peek()? {
            Token::StreamEnd => true,
            Token::Directive if !is_explicit => {
                return Err(self.unexpected("did not find expected <document start>"));
            }
            Token::Directive | Token::DocumentStart | Token::DocumentEnd => is_explicit,
            _ => false,
        };
        let node = if is_empty { None } else { Some(self.node(true, false)?) };
        self.peek()?;
        Ok(node)
    }

    fn peek(&mut self) -> Composed<&Token> {
        self.scanner.peek().map(|(token, _)| token)
    }

    fn position(&mut self) -> TextPosition {
        self.scanner.peek().map_or(TextPosition { line: 1, column: 1 }, |(_, position)| *position)
    }

    fn take_if(&mut self, wanted: &Token) -> Composed<bool> {
        let is_wanted = self.peek()? == wanted;
        if is_wanted {
            self.scanner.take()?;
        }
        Ok(is_wanted)
    }

    fn unexpected(&mut self, problem: &str) -> YamlError {
        YamlError::syntax(self.position(), problem)
    }

    fn node(&mut self, is_block: bool, may_be_indentless: bool) -> Composed<Rc<Node>> {
        let position = self.position();
        let (mut anchor, mut tag) = (None, None);
        loop {
            match self.peek()? {
                Token::Alias(_) if anchor.is_none() && tag.is_none() => return self.alias(),
                Token::Anchor(_) if anchor.is_none() => {
                    if let (Token::Anchor(name), _) = self.scanner.take()? {
                        self.anchors.insert(name.clone(), None);
                        anchor = Some(name);
                    }
                }
                Token::Tag { .. } if tag.is_none() => {
                    if let (Token::Tag { handle, suffix }, position) = self.scanner.take()? {
                        tag = Some(match &*handle {
                            "" => suffix,
                            "!" => format!("!{suffix}"),
                            "!!" => format!("tag:yaml.org,2002:{suffix}"),
                            _ => return Err(YamlError::syntax(position, "found undefined tag handle")),
                        });
                    }
                }
                _ => break,
            }
        }
        self.depth += 1;
        if self.depth > DEEPEST && !matches!(self.peek()?, Token::Scalar { .. }) {
            return Err(YamlError::at(position, too_deep()));
        }
        let content = match self.peek()? {
            Token::BlockEntry if may_be_indentless => self.indentless_list()?,
            Token::Scalar { .. } => match self.scanner.take()?.0 {
                Token::Scalar { text, is_plain: true } => Content::Scalar(text, Style::Plain),
                Token::Scalar { text, .. } => Content::Scalar(text, Style::Text),
                _ => Content::List(Vec::new()),
            },
            Token::FlowSequenceStart => self.flow_list()?,
            Token::FlowMappingStart => self.flow_map()?,
            Token::BlockSequenceStart if is_block => self.block_list()?,
            Token::BlockMappingStart if is_block => self.block_map()?,
            _ if anchor.is_some() || tag.is_some() => Content::Scalar(String::new(), Style::Plain),
            _ => return Err(self.unexpected("did not find expected node content")),
        };
        self.depth -= 1;
        let node = Rc::new(Node { content, tag, position });
        // A node inside may have the same anchor, which began later.
        if let Some(unfinished @ None) = anchor.and_then(|anchor| self.anchors.get_mut(&anchor)) {
            *unfinished = Some(Rc::clone(&node));
        }
        Ok(node)
    }

    fn alias(&mut self) -> Composed<Rc<Node>> {
        let (token, position) = self.scanner.take()?;
        let name = if let Token::Alias(name) = token { name } else { String::new() };
        let target = match self.anchors.get(&name) {
            Some(Some(target)) => Rc::clone(target),
            Some(None) => {
                return Err(YamlError::at(position, "this alias is inside the value that it refers to"));
            }
            None => return Err(YamlError::syntax(position, &format!("found unknown anchor `{name}`"))),
        };
        Ok(Rc::new(Node { content: Content::Alias(target), tag: None, position }))
    }

    /// A node, or nothing before one of these tokens.
    fn node_unless(&mut self, ends: &[Token], is_block: bool, may_be_indentless: bool) -> Composed<Rc<Node>> {
        if ends.contains(self.peek()?) {
            return Ok(Node::empty(self.position()));
        }
        self.node(is_block, may_be_indentless)
    }

    fn indentless_list(&mut self) -> Composed<Content> {
        self.block_items(&[Token::BlockEntry, Token::Key, Token::Value, Token::BlockEnd]).map(Content::List)
    }

    fn block_list(&mut self) -> Composed<Content> {
        self.scanner.take()?;
        let items = self.block_items(&[Token::BlockEntry, Token::BlockEnd])?;
        match self.take_if(&Token::BlockEnd)? {
            true => Ok(Content::List(items)),
            false => Err(self.unexpected("did not find expected '-' indicator")),
        }
    }

    /// Items, each empty before one of these tokens.
    fn block_items(&mut self, ends: &[Token]) -> Composed<Vec<Rc<Node>>> {
        let mut items = Vec::new();
        while self.take_if(&Token::BlockEntry)? {
            items.push(self.node_unless(ends, true, false)?);
        }
        Ok(items)
    }

    fn block_map(&mut self) -> Composed<Content> {
        const ENDS: [Token; 3] = [Token::Key, Token::Value, Token::BlockEnd];
        self.scanner.take()?;
        let mut entries = Vec::new();
        while self.take_if(&Token::Key)? {
            let key = self.node_unless(&ENDS, true, true)?;
            let value = match self.take_if(&Token::Value)? {
                true => self.node_unless(&ENDS, true, true)?,
                false => Node::empty(self.position()),
            };
            entries.push((key, value));
        }
        match self.take_if(&Token::BlockEnd)? {
            true => Ok(Content::Map(entries)),
            false => Err(self.unexpected("did not find expected key")),
        }
    }

    fn flow_list(&mut self) -> Composed<Content> {
        let (_, start) = self.scanner.take()?;
        let mut items = Vec::new();
        while !self.take_if(&Token::FlowSequenceEnd)? {
            self.separator(items.is_empty(), ('[', ']'), start)?;
            if self.take_if(&Token::FlowSequenceEnd)? {
                break;
            }
            let position = self.position();
            items.push(match self.take_if(&Token::Key)? {
                true => {
                    let content = Content::Map(vec![self.flow_entry(&Token::FlowSequenceEnd)?]);
                    Rc::new(Node { content, tag: None, position })
                }
                false => self.node(false, false)?,
            });
        }
        Ok(Content::List(items))
    }

    fn flow_map(&mut self) -> Composed<Content> {
        let (_, start) = self.scanner.take()?;
        let mut entries = Vec::new();
        while !self.take_if(&Token::FlowMappingEnd)? {
            self.separator(entries.is_empty(), ('{', '}'), start)?;
            if self.take_if(&Token::FlowMappingEnd)? {
                break;
            }
            entries.push(match self.take_if(&Token::Key)? {
                true => self.flow_entry(&Token::FlowMappingEnd)?,
                false => (self.node(false, false)?, Node::empty(self.position())),
            });
        }
        Ok(Content::Map(entries))
    }

    /// A key, whose indicator was taken, and its value.
    fn flow_entry(&mut self, end: &Token) -> Composed<(Rc<Node>, Rc<Node>)> {
        let key = self.node_unless(&[Token::Value, Token::FlowEntry, end.clone()], false, false)?;
        let value = match self.take_if(&Token::Value)? {
            true => self.node_unless(&[Token::FlowEntry, end.clone()], false, false)?,
            false => Node::empty(self.position()),
        };
        Ok((key, value))
    }

    /// The comma before an item that is not the first one.
    fn separator(&mut self, is_first: bool, (open, close): (char, char), start: TextPosition) -> Composed<()> {
        let is_separated = is_first || self.take_if(&Token::FlowEntry)?;
        if self.peek()? == &Token::StreamEnd {
            return Err(YamlError::syntax(start, &format!("unclosed bracket '{open}', and the text ends")));
        }
        match is_separated {
            true => Ok(()),
            false => Err(self.unexpected(&format!("did not find expected ',' or '{close}'"))),
        }
    }
}
