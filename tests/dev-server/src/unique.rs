//! Names that no other test, process or earlier run uses.

use std::{
    process,
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

/// The longest name of a database, in bytes.
const MAX_DATABASE: usize = 63;

/// Process id, a counter and the time, in hexadecimal: the counter tells calls apart, the id
/// processes, and the time runs and machines that share a server.
pub(crate) fn suffix() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    // A clock before 1970 costs one of three guards against a clash, which is no reason to fail.
    let micros = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_micros());
    format!("{:x}_{call:x}_{micros:x}", process::id())
}

/// A database name that starts with as much of `prefix` as fits, made of what such a name allows.
pub(crate) fn database(prefix: &str) -> String {
    let suffix = suffix();
    // The underscore before the suffix takes the last byte.
    let room = MAX_DATABASE.saturating_sub(suffix.len() + 1);
    let mut name: String = prefix
        .chars()
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => c,
            _ => '_',
        })
        .take(room)
        .collect();
    name.push('_');
    name.push_str(&suffix);
    name
}

#[cfg(test)]
mod tests {
    use super::database;

    #[test]
    fn a_name_fits_and_is_used_once() {
        let long = "a::long/prefix.of \"a\" tést ".repeat(9);
        let first = database(&long);
        assert!(first.starts_with("a__long_prefix_of__a__t_st"), "{first}");
        assert!(first.len() < 64, "{first}");
        assert_ne!(first, database(&long));
    }
}
