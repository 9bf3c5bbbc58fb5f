//! Slow by design, with a command of its own, `cargo test --test slow`: large parents, and random documents of many models. The
//! other tests of these folders are in `deletions.rs` and `derived.rs`.

mod common;

mod deleting {
    mod large;
    mod refusing;
    #[allow(dead_code, reason = "shared with the tests of copies")]
    #[path = "../copying/settled.rs"]
    mod settled;
}

mod keeping {
    mod large;
    #[allow(dead_code, reason = "shared with the other tests of lists")]
    mod settled;
}
