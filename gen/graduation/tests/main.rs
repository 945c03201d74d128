//! Graduation: all tests in one program.

mod evidence;
mod history;
mod rules;
