//! Answers to objects: all tests in one program.

mod answers;
mod hostile;
mod limits;
mod metadata;
