//! Nothing: only the dependency counts, and of that only one file.
