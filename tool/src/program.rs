//! The name of the program as a user types it.

use std::sync::OnceLock;

static PROGRAM: OnceLock<String> = OnceLock::new();

/// Sets what a user types to run a command; the first call counts.
pub(crate) fn set_program(name: &str) {
    PROGRAM.get_or_init(|| name.to_owned());
}

/// The name of the program as a user types it.
pub(crate) fn program() -> &'static str {
    PROGRAM.get().map_or("mongo-model", String::as_str)
}

/// The text with commands as they are typed: `` `mongo-model check` `` under cargo is `` `cargo mongo-model check` ``.
pub(crate) fn as_typed(text: &str) -> String {
    text.replace("`mongo-model ", &format!("`{} ", program()))
}
