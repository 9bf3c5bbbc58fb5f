//! The compiler's messages for bad schemas, word for word; the schemas that it accepts are in `accepted.rs`.
//!
//! The cases lie in `tests/ui`; the `.stderr` files are the goldens. One cargo checks all of them: with a case that has to run
//! among them each would have a cargo of its own. `TRYBUILD=overwrite cargo test --test ui` writes the goldens anew.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/**/*.rs");
}
