//! Limits of reading source, so that no source takes unexpected memory, time or stack.
//!
//! Measured against Gateway API v1.6.1: 0.3 MB of source, whose items nest 6 deep and have at most 60 tokens between two separators.
//!
//! Invariant: what parses tokens by recursion has checked their depth.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::Parse;
use syn::{Error, LitStr};

/// How deep brackets can be in each other.
pub const DEEPEST: usize = 100;
/// The most tokens without a separator, in brackets that are in each other: each can begin a type or an expression in the one before.
const LONGEST: usize = 256;
/// The most bytes of one source file: those that a server stores of one CRD.
pub const MOST_BYTES: usize = 1_572_864;
/// The most bytes of all source files.
pub const MOST_BYTES_OF_ALL: usize = 8 << 20;
/// The most tokens of one source file.
pub const MOST_TOKENS_OF_FILE: usize = 300_000;
/// The most source files.
pub const MOST_FILES: usize = 10_000;
/// The most tokens of all instances of a generic type.
pub const MOST_TOKENS: usize = 200_000;

/// Checks the text of a file before it is made tokens: a bracket needs much more memory than its character.
///
/// # Errors
/// What the text has too much of.
pub fn file(text: &str) -> Result<(), String> {
    if text.len() > MOST_BYTES {
        return Err(format!("the file has more than {MOST_BYTES} bytes, the limit for source"));
    }
    let deepest = text.bytes().try_fold(0_usize, |depth, byte| match byte {
        b'(' | b'[' | b'{' => Some(depth + 1).filter(|depth| *depth < 100 * DEEPEST),
        b')' | b']' | b'}' => Some(depth.saturating_sub(1)),
        _ => Some(depth),
    });
    deepest.map(drop).ok_or_else(|| format!("more than {DEEPEST} brackets are in each other"))
}

/// Checks the tokens of a file.
///
/// # Errors
/// What is too much, and its place.
pub fn tokens(tokens: TokenStream) -> Result<(), (Span, String)> {
    let mut left = MOST_TOKENS_OF_FILE;
    brackets(tokens, DEEPEST, &mut left)
}

fn brackets(tokens: TokenStream, depth: usize, left: &mut usize) -> Result<(), (Span, String)> {
    for token in tokens {
        *left -= 1;
        let message = match token {
            _ if *left == 0 => format!("the file has more than {MOST_TOKENS_OF_FILE} tokens, the limit for source"),
            TokenTree::Group(_) if depth == 0 => format!("more than {DEEPEST} brackets are in each other"),
            TokenTree::Group(group) => {
                brackets(group.stream(), depth - 1, left)?;
                continue;
            }
            _ => continue,
        };
        return Err((token.span(), message));
    }
    Ok(())
}

/// Checks tokens that are parsed next.
///
/// # Errors
/// The place where they are too deep for a parser that calls itself.
pub fn parsed(tokens: TokenStream) -> Result<(), Error> {
    depth(tokens, 0).map_err(|span| {
        Error::new(span, format!("more than {LONGEST} tokens are in each other, or without a separator"))
    })
}

/// `above`: the tokens before the brackets that are around these.
fn depth(tokens: TokenStream, above: usize) -> Result<(), Span> {
    let mut here = above;
    for token in tokens {
        here += 1;
        match &token {
            _ if here > LONGEST => return Err(token.span()),
            TokenTree::Group(group) => depth(group.stream(), here)?,
            TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';' | '#') => here = above,
            _ => {}
        }
    }
    Ok(())
}

/// What a string in an attribute contains.
///
/// # Errors
/// The string is too deep, or means something else.
pub fn text<T: Parse>(text: &LitStr) -> syn::Result<T> {
    let tokens: TokenStream = text.parse()?;
    parsed(tokens)?;
    text.parse()
}
