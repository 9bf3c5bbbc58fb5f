use super::kinds::*;
use super::*;
use crate::schema::index_row::{IndexRow, KeyKind, KeyRow};

const fn row(rust: &'static str, kind: Kind, shape: Option<&'static Shape>) -> FieldRow {
    FieldRow::new(
        rust,
        rust,
        kind,
        false,
        shape,
        crate::schema::value::Facts::UNKNOWN,
    )
}

static SIZE: Shape = Shape {
    name: "Size",
    fields: &[
        row("codes", Kind::Array, None),
        row("width", Kind::Int, None),
    ],
};
static ADDRESS: Shape = Shape {
    name: "Address",
    fields: &[
        row("street", Kind::String, None),
        row("city", Kind::String, None),
        row("since", Kind::Date, None),
        row("sizes", Kind::Array, Some(&SIZE)),
    ],
};
static NOTE: Shape = Shape {
    name: "Note",
    fields: &[
        row("body", Kind::String, None),
        row("language", Kind::String, None),
    ],
};
static PRODUCT: Shape = Shape {
    name: "Product",
    fields: &[
        row("id", Kind::ObjectId, None),
        row("name", Kind::String, None),
        row("created", Kind::Date, None),
        row("seen", Kind::Timestamp, None),
        row("tags", Kind::Array, None),
        row("address", Kind::Document, Some(&ADDRESS)),
        row("items", Kind::Array, Some(&ADDRESS)),
        row("by_country", Kind::Map, Some(&ADDRESS)),
        row("extra", Kind::Any, None),
        row("note", Kind::Document, Some(&NOTE)),
    ],
};

// These cases must compile; `cargo check` evaluates them.
const _: () = key(&PRODUCT, "name");
const _: () = key(&PRODUCT, "address.sizes.width");
const _: () = parallel(
    &PRODUCT,
    &["items.street", "items.city", "name", "address.city"],
);
const _: () = parallel(&PRODUCT, &["items", "items.sizes.codes"]);
const _: () = parallel(
    &PRODUCT,
    &["items.sizes.width", "items.sizes.codes", "items.city"],
);
const _: () = parallel(&PRODUCT, &["tags", "address.sizeless"]);
const _: () = ttl(&PRODUCT, "created");
const _: () = ttl(&PRODUCT, "items.since");
const _: () = ttl(&PRODUCT, "tags");
const _: () = ttl(&PRODUCT, "extra");
const _: () = geo(&PRODUCT, "address");
const _: () = geo(&PRODUCT, "tags");
const _: () = language(&PRODUCT, "note");
const _: () = language(&PRODUCT, "address.city");
const _: () = no_array(&PRODUCT, "address.city", "", "");

/// The message of a check, at run time.
fn message(check: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(check).expect_err("the check passed");
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()))
        .expect("a text")
}

fn first_line(check: impl FnOnce() + std::panic::UnwindSafe) -> String {
    message(check).lines().next().expect("a line").to_owned()
}

#[test]
fn unknown_segments_are_named_with_what_is_there() {
    assert_eq!(
        message(|| key(&PRODUCT, "address.cty")),
        "`Product::address.cty` is no index key: `Address` has no field `cty` [IDX_UNKNOWN_FIELD]\n\
         help: did you mean `city`?\n\
         note: the server builds an index on a name that no document has, and it finds nothing"
    );
    assert!(
        message(|| key(&PRODUCT, "items.country"))
            .contains("help: fields of `Address` are `street`, `city`, `since`, `sizes`\n")
    );
    assert!(message(|| key(&PRODUCT, "items.sizes.witdh")).contains("`Size` has no field `witdh`"));
    assert!(message(|| key(&PRODUCT, "nam")).contains("did you mean `name`?"));
}

#[test]
fn paths_do_not_lead_into_what_has_no_fields() {
    assert_eq!(
        first_line(|| key(&PRODUCT, "name.first")),
        "`Product::name.first` is no index key: `name` is a string, whose fields are not declared [IDX_UNKNOWN_FIELD]"
    );
    assert!(message(|| key(&PRODUCT, "by_country.city")).contains("`wildcard(by_country)`"));
    assert!(message(|| key(&PRODUCT, "address.city.x.y")).contains("`address.city` is a string"));
    assert!(
        message(|| key(&PRODUCT, "extra.a")).contains("`extra` is of a type that is not known")
    );
}

#[test]
fn two_arrays_are_parallel() {
    assert_eq!(
        first_line(|| parallel(&PRODUCT, &["name", "tags", "items.city"])),
        "index on `Product::tags` and `Product::items.city` crosses two arrays, `tags` and `items` [IDX_PARALLEL]"
    );
    assert!(
        message(|| parallel(&PRODUCT, &["address.sizes.codes", "tags"]))
            .contains("`address.sizes` and `tags`")
    );
    assert!(
        message(|| parallel(&PRODUCT, &["items.sizes", "tags"])).contains("`items` and `tags`")
    );
}

#[test]
fn two_arrays_in_one_element_are_parallel() {
    static PAIR: Shape = Shape {
        name: "Pair",
        fields: &[
            row("a", Kind::Array, None),
            row("b", Kind::Array, None),
            row("ab", Kind::Int, None),
        ],
    };
    static MODEL: Shape = Shape {
        name: "Model",
        fields: &[row("pairs", Kind::Array, Some(&PAIR))],
    };
    assert!(
        message(|| parallel(&MODEL, &["pairs.a", "pairs.b"])).contains("`pairs.a` and `pairs.b`")
    );
    parallel(&MODEL, &["pairs.a", "pairs.ab"]);
}

#[test]
fn expiry_needs_a_date() {
    assert_eq!(
        first_line(|| ttl(&PRODUCT, "seen")),
        "expiry by `Product::seen` would never delete anything: it is stored as an internal timestamp [IDX_TTL_TYPE]"
    );
    assert!(first_line(|| ttl(&PRODUCT, "address.city")).contains("stored as a string"));
}

#[test]
fn arrays_are_neither_hashed_nor_unique() {
    assert_eq!(
        first_line(|| no_array(
            &PRODUCT,
            "items.city",
            "a unique index",
            " [IDX_UNIQUE_ARRAY]"
        )),
        "a unique index on `Product::items.city` runs over the array `items` [IDX_UNIQUE_ARRAY]"
    );
    assert!(
        first_line(|| no_array(&PRODUCT, "address.sizes.width", "a hashed index", ""))
            .ends_with("runs over the array `address.sizes`")
    );
}

#[test]
fn elements_declare_no_index_that_an_array_cannot_have() {
    const UNIQUE: &[IndexRow] = &[IndexRow {
        unique: true,
        ..IndexRow::PLAIN
    }];
    const HASHED: &[IndexRow] = &[
        IndexRow::PLAIN,
        IndexRow {
            keys: &[KeyRow {
                path: "",
                kind: KeyKind::Hashed,
            }],
            ..IndexRow::PLAIN
        },
    ];
    static LABEL: Shape = Shape {
        name: "Label",
        fields: &[row("text", Kind::String, None).indexes(UNIQUE)],
    };
    static LINE: Shape = Shape {
        name: "Line",
        fields: &[
            row("sku", Kind::String, None),
            row("label", Kind::Document, Some(&LABEL)),
        ],
    };
    static OTHER: Shape = Shape {
        name: "Other",
        fields: &[
            row("key", Kind::Int, None).indexes(HASHED),
            row("labels", Kind::Array, Some(&LABEL)),
        ],
    };
    assert_eq!(
        first_line(|| inside("Order::lines", &LINE, false)),
        "`Order::lines` is an array, and `Label::text` in it has a unique index [IDX_UNIQUE_ARRAY]"
    );
    inside("Order::lines", &LINE, true);
    inside("Order::lines", &SIZE, false);
    assert_eq!(
        first_line(|| inside("Order::lines", &OTHER, false)),
        "`Order::lines` is an array, and `Other::key` in it has a hashed index [IDX_HASHED]"
    );
}

#[test]
fn geo_is_no_scalar() {
    assert_eq!(
        first_line(|| geo(&PRODUCT, "name")),
        "geo index on `Product::name`, which is stored as a string [IDX_GEO]"
    );
}

#[test]
fn a_language_field_beside_a_text_is_its_language() {
    assert_eq!(
        first_line(|| language(&PRODUCT, "note.body")),
        "`Note::language` would be read as the language of the text index on `Product::note.body` [IDX_TEXT_LANGUAGE]"
    );
}

#[test]
#[should_panic(expected = "`Part` has no field `x`")]
fn a_field_of_one_letter_is_near_nothing() {
    static PART: Shape = Shape {
        name: "Part",
        fields: &[row("id", Kind::Int, None)],
    };
    key(&PART, "x");
}
