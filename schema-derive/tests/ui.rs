//! What the compiler says to a bad schema, word for word, and that it accepts the nearest good one.
//!
//! The cases lie in the repository's `tests/ui` (refused; the `.stderr` files are the goldens) and `tests/ui-pass` (accepted).
//! The links of the same names beside this file make the goldens name files relative to the package. They are built without the
//! driver. `TRYBUILD=overwrite cargo test -p mongo-model-derive --test ui` writes the goldens anew.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/**/*.rs");
    cases.pass("tests/ui-pass/**/*.rs");
}
