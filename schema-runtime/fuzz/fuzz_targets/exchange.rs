//! Any bytes as the JSON of a new document and of a patch: nothing panics, and the JSON of an answer is read back.
#![no_main]

#[path = "../../tests/codec/exchange.rs"]
mod exchange;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    exchange::fuzz(input);
});
