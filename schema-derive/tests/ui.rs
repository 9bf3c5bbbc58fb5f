//! The compiler's messages for bad schemas, word for word; the schemas that it accepts are in `accepted.rs`.
//!
//! The cases lie in the repository's `tests/ui`; the `.stderr` files are the goldens. The link of the same name beside this file
//! makes the goldens name files relative to the package. All of them are checked by one cargo: with a
//! case that has to run among them each would have a cargo of its own. `TRYBUILD=overwrite cargo test -p mongo-model-derive
//! --test ui` writes the goldens anew.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/**/*.rs");
}
