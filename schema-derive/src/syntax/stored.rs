//! The names of fields that the library stores, as far as the derive speaks of them. The runtime has the whole table; a test compares
//! the two.

/// The library's subdocument.
pub(crate) const OWN: &str = "_dn";

/// The parts of texts, by which `#[index(contains)]` finds them.
pub(crate) const PARTS: &str = "_ng";

/// The children that have an extreme.
pub(crate) const EXTREMES: &str = "_dn.e";

/// The prefix of the collections in which the library stores documents of its own.
pub(crate) const OWN_COLLECTIONS: &str = "_dn.";

/// The revision that the copies in an embedded document were taken from.
pub(crate) const COPY_REVISION: &str = "_r";

/// The revision of copies beside a reference, whose name follows.
pub(crate) const COPY_REVISION_PREFIX: &str = "_r_";

/// The version of a document of a model with `schema_version`.
pub(crate) const SCHEMA_VERSION: &str = "schema_version";

/// The Rust name of the field that is true if the document's array overflows into buckets.
pub(crate) const HAS_EXTRAS: &str = "has_extras";

#[test]
fn the_runtime_stores_the_same_names() {
    let runtime = |file: &str| {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = root.join("../schema-runtime/src").join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    for (file, declared) in [
        ("schema/stored.rs", format!("    OWN = \"{OWN}\";")),
        (
            "schema/stored.rs",
            format!("    EXTREMES = \"{EXTREMES}\";"),
        ),
        (
            "schema/stored.rs",
            format!("    COPY_REVISION = \"{COPY_REVISION}\";"),
        ),
        (
            "schema/stored.rs",
            format!("const COPY_REVISION_PREFIX: &str = \"{COPY_REVISION_PREFIX}\";"),
        ),
        (
            "codec/outdated.rs",
            format!("const FIELD: &str = \"{SCHEMA_VERSION}\";"),
        ),
        (
            "bucket/overflow.rs",
            format!("const FLAG: &str = \"{HAS_EXTRAS}\";"),
        ),
    ] {
        assert!(runtime(file).contains(&declared), "{file}: {declared}");
    }
}
