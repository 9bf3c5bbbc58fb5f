//! The soak program, and what it starts.

fn main() {}
