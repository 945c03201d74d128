//! Parts of an expression with what Go's limits ask about them.
//!
//! `parse` builds larger parts from smaller ones here and checks each against the limits. Invariant: height, size and
//! runes are those of the tree that Go keeps while parsing (adjacent literal text is one leaf, alternatives of one
//! character each are one class), not of the [`Node`]; and no part above the limit becomes part of a larger one, which
//! bounds the recursion over nodes.

use super::mistakes;
use super::node::Node;

/// Levels of the tree.
const MAX_HEIGHT: u32 = 1000;
/// Counts of a repetition, multiplied where they are nested.
pub(super) const MAX_REPEAT: u32 = 1000;
/// Instructions: 128 MiB of 40 bytes each.
const MAX_SIZE: u64 = (128 << 20) / 40;
/// Characters and class bounds: 128 MiB of 4 bytes each.
const MAX_RUNES: u64 = (128 << 20) / 4;

/// Whether Go keeps a part as literal text, which it merges with its neighbours of the same kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    No,
    Plain,
    Folded,
}

/// A part of the expression with what Go's limits ask about it.
pub(super) struct Item {
    pub(super) node: Node,
    /// Levels of Go's tree.
    height: u32,
    /// Instructions, with repetitions written out.
    size: u64,
    /// Characters and class bounds directly in it, not in its parts.
    runes: u64,
    /// The largest product of nested counts.
    pub(super) product: u32,
    pub(super) text: Text,
    /// Whether it matches exactly one character: alternatives of this kind are one class in Go.
    single: bool,
}

impl Item {
    /// A part without parts.
    pub(super) fn leaf(node: Node) -> Self {
        Self { node, height: 1, size: 1, runes: 0, product: 1, text: Text::No, single: false }
    }

    /// A part that matches one character, with that many characters or class bounds in it.
    pub(super) fn single(node: Node, text: Text, runes: usize) -> Self {
        Self { runes: runes as u64, text, single: true, ..Self::leaf(node) }
    }

    /// A group that captures this part.
    pub(super) fn captured(self, name: Option<String>) -> Self {
        let (height, size, product) = (self.height + 1, self.size + 2, self.product);
        let node = Node::Capture { name, inner: Box::new(self.node) };
        Self { height, size, product, ..Self::leaf(node) }
    }

    /// This part the given number of times.
    pub(super) fn repeated(self, min: u32, max: Option<u32>, lazy: bool) -> Self {
        // One copy after the other and a choice before each that may be left out; an endless one jumps back instead.
        let size = match (min, max) {
            (0, None) => self.size + 2,
            (_, None) => self.size * u64::from(min) + 1,
            (_, Some(max)) => (self.size * u64::from(max) + u64::from(max - min)).max(1),
        };
        let product = match max {
            Some(0) => 1,
            _ => self.product.saturating_mul(max.unwrap_or(min).max(1)),
        };
        let height = self.height + 1;
        let node = Node::Repeat { inner: Box::new(self.node), min, max, lazy };
        Self { height, size, product, ..Self::leaf(node) }
    }
}

/// The only item, or all of them.
fn only(items: Vec<Item>) -> Result<Item, Vec<Item>> {
    if items.len() > 1 {
        return Err(items);
    }
    Ok(items.into_iter().next().unwrap_or_else(|| Item::leaf(Node::Empty)))
}

/// Parts one after the other.
pub(super) fn concat(items: Vec<Item>) -> Item {
    let items = match only(items) {
        Ok(item) => return item,
        Err(items) => items,
    };
    let first = items.first().map_or(Text::No, |item| item.text);
    let text = if items.iter().all(|item| item.text == first) { first } else { Text::No };
    let (mut height, mut size, mut runes, mut product) = (1, 0, 0, 1);
    let mut nodes = Vec::with_capacity(items.len());
    for item in items {
        size += item.size;
        runes += item.runes;
        product = product.max(item.product);
        match item.node {
            Node::Concat(inner) => {
                height = height.max(if item.text == Text::No { item.height - 1 } else { item.height });
                nodes.extend(inner);
            }
            node => {
                height = height.max(item.height);
                nodes.push(node);
            }
        }
    }
    let (height, runes) = if text == Text::No { (height + 1, 0) } else { (1, runes) };
    Item { node: Node::Concat(nodes), height, size, runes, product, text, single: false }
}

/// Any of several parts.
pub(super) fn alternate(branches: Vec<Item>) -> Item {
    let branches = match only(branches) {
        Ok(item) => return item,
        Err(branches) => branches,
    };
    let single = branches.iter().all(|item| item.single);
    let (mut height, mut size, mut runes, mut product) = (1, branches.len() as u64 - 1, 0, 1);
    let mut nodes = Vec::with_capacity(branches.len());
    for item in branches {
        size += item.size;
        runes = runes.max(item.runes);
        product = product.max(item.product);
        match item.node {
            Node::Alternate(inner) => {
                height = height.max(if item.single { item.height } else { item.height - 1 });
                nodes.extend(inner);
            }
            node => {
                height = height.max(item.height);
                nodes.push(node);
            }
        }
    }
    let (height, size, runes) = if single { (1, 1, runes) } else { (height + 1, size, 0) };
    Item { node: Node::Alternate(nodes), height, size, runes, product, text: Text::No, single }
}

/// What adds up over the whole expression.
pub(super) struct Limits {
    /// Nodes that Go has made so far, and the product of all counts: Go looks at sizes only once these could matter.
    nodes: u64,
    repeats: u64,
    /// Characters and class bounds so far, counted again with every group around them, as Go does.
    runes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { nodes: 0, repeats: 1, runes: 0 }
    }
}

impl Limits {
    /// A group has been opened.
    pub(super) fn open(&mut self) {
        self.nodes += 1;
    }

    /// Adds a complete part with the number of its nodes in Go.
    pub(super) fn add(&mut self, item: &Item, nodes: u64) -> Result<(), &'static str> {
        self.nodes += nodes;
        self.runes += item.runes;
        if let Node::Repeat { min, max, .. } = &item.node {
            let count = u64::from(max.unwrap_or(*min).max(1));
            self.repeats = (self.repeats * count).min(MAX_SIZE);
        }
        if item.height > MAX_HEIGHT {
            return Err(mistakes::TOO_DEEP);
        }
        if self.runes > MAX_RUNES || (self.nodes >= MAX_SIZE / self.repeats && item.size > MAX_SIZE) {
            return Err(mistakes::TOO_LARGE);
        }
        Ok(())
    }
}
