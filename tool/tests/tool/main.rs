//! The tool as its users run it: the built programs, against a real server.

mod catalogue;
