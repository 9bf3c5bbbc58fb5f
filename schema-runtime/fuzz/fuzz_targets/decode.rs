//! Any bytes as any model: the generated codec and serde read the same, or both nothing; nothing panics.
#![no_main]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../../tests/codec/compare.rs"]
mod compare;
#[allow(dead_code, unused_imports, reason = "shared with the tests")]
#[path = "../../tests/codec/types.rs"]
mod types;

libfuzzer_sys::fuzz_target!(|input: &[u8]| compare::fuzz(input));
