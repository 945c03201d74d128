//! Texts and what kubectl reads from them.
