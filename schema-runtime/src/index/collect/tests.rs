mod references;

use super::*;
use crate::index_spec::definition::Source;
use crate::schema::index_row::{CollationRow, ConditionRow, KeyRow, Literal, TextRow};
use crate::schema::relation::RelationRow;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::Facts;

const ASC: KeyKind = KeyKind::Asc;
const DESC: KeyKind = KeyKind::Desc;
/// A field's own index.
const OWN: &[IndexRow] = &[IndexRow::PLAIN];

const fn row(
    rust: &'static str,
    name: &'static str,
    kind: Kind,
    shape: Option<&'static Shape>,
) -> FieldRow {
    FieldRow::new(rust, name, kind, false, shape, Facts::UNKNOWN)
}

const fn id() -> FieldRow {
    row("id", "_id", Kind::ObjectId, None)
}

const fn key(path: &'static str, kind: KeyKind) -> KeyRow {
    KeyRow { path, kind }
}

const fn model(shape: &'static Shape, indexes: &'static [IndexRow]) -> ModelMeta {
    let mut meta = ModelMeta::new("Order", "orders", shape);
    meta.indexes = indexes;
    meta
}

/// The keys of every definition, as text.
fn keys(meta: &ModelMeta) -> Vec<String> {
    definitions(meta).iter().map(ToString::to_string).collect()
}

#[test]
fn paths_are_stored_paths_at_any_depth() {
    static CODE: Shape = Shape {
        name: "Code",
        fields: &[row("value", "v", Kind::String, None).indexes(OWN)],
    };
    static ITEM: Shape = Shape {
        name: "Item",
        fields: &[
            row("sku", "sku", Kind::String, None).indexes(OWN),
            row("code", "code", Kind::Document, Some(&CODE)),
        ],
    };
    static AUDIT: Shape = Shape {
        name: "Audit",
        fields: &[row("created_at", "createdAt", Kind::Date, None).indexes(OWN)],
    };
    static SHAPE: Shape = Shape {
        name: "Order",
        fields: &[
            id(),
            row("items", "lineItems", Kind::Array, Some(&ITEM)),
            row("audit", "", Kind::Document, Some(&AUDIT)),
            row("by_region", "by_region", Kind::Map, Some(&ITEM)),
        ],
    };
    const MODEL_ROW: IndexRow = IndexRow {
        keys: &[
            key("items.code.value", ASC),
            key("audit.created_at", DESC),
            key("by_region.eu", ASC),
        ],
        ..IndexRow::PLAIN
    };
    static MODEL: ModelMeta = model(&SHAPE, &[MODEL_ROW]);
    assert_eq!(
        keys(&MODEL),
        [
            "{ lineItems.code.v: 1, createdAt: -1, by_region.eu: 1 }",
            "{ lineItems.sku: 1 }",
            "{ lineItems.code.v: 1 }",
            "{ createdAt: 1 }"
        ]
    );
}

#[test]
fn a_row_on_a_field_names_the_field_and_its_siblings() {
    const ROW: IndexRow = IndexRow {
        keys: &[key("", DESC)],
        partial: &[
            ConditionRow {
                path: "",
                op: ConditionOp::Gt(Literal::Int(1)),
            },
            ConditionRow {
                path: "",
                op: ConditionOp::Lte(Literal::Double(2.5)),
            },
            ConditionRow {
                path: "",
                op: ConditionOp::Gt(Literal::Int(0)),
            },
            ConditionRow {
                path: "state",
                op: ConditionOp::Eq(Literal::Str("open")),
            },
        ],
        ..IndexRow::PLAIN
    };
    static ITEM: Shape = Shape {
        name: "Item",
        fields: &[
            row("qty", "n", Kind::Int, None).indexes(&[ROW]),
            row("state", "s", Kind::String, None),
        ],
    };
    static SHAPE: Shape = Shape {
        name: "Order",
        fields: &[id(), row("items", "items", Kind::Array, Some(&ITEM))],
    };
    static MODEL: ModelMeta = model(&SHAPE, &[]);
    let found = definitions(&MODEL);
    assert_eq!(found[0].keys, [("items.n".to_owned(), DESC)]);
    assert_eq!(
        found[0].partial,
        Some(doc! {
            "items.n": { "$gt": 1_i64, "$lte": 2.5 },
            "items.s": { "$eq": "open" },
            "$and": [{ "items.n": { "$gt": 0_i64 } }],
        })
    );
}

#[test]
fn every_option_arrives() {
    const TEXT: TextRow = TextRow {
        weights: &[("title", 10), ("", 2)],
        default_language: Some("german"),
        language_override: Some("_lang"),
    };
    const COLLATION: CollationRow = CollationRow {
        locale: "en",
        strength: Some(2),
        case_level: None,
        numeric_ordering: None,
    };
    const WORDS: IndexRow = IndexRow {
        keys: &[key("", KeyKind::Text), key("title", KeyKind::Text)],
        text: Some(&TEXT),
        ..IndexRow::PLAIN
    };
    const OTHER: &[IndexRow] = &[
        IndexRow {
            unique: true,
            collation: Some(&COLLATION),
            name: Some("mail"),
            ..IndexRow::PLAIN
        },
        IndexRow {
            sparse: true,
            expire_after: Some(60),
            ..IndexRow::PLAIN
        },
        IndexRow {
            keys: &[key("", KeyKind::Hashed)],
            ..IndexRow::PLAIN
        },
        IndexRow {
            keys: &[key("", KeyKind::Geo)],
            ..IndexRow::PLAIN
        },
        IndexRow {
            keys: &[key("", KeyKind::Wildcard)],
            ..IndexRow::PLAIN
        },
    ];
    const ALL: IndexRow = IndexRow {
        keys: &[key("", KeyKind::Wildcard)],
        ..IndexRow::PLAIN
    };
    static SHAPE: Shape = Shape {
        name: "Order",
        fields: &[
            row("title", "t", Kind::String, None),
            row("body", "b", Kind::String, None).indexes(&[WORDS]),
            row("other", "o", Kind::Any, None).indexes(OTHER),
        ],
    };
    static MODEL: ModelMeta = model(&SHAPE, &[ALL]);
    let found = definitions(&MODEL);
    let specs: Vec<Document> = found.iter().map(Definition::spec).collect();
    assert_eq!(
        specs,
        [
            doc! { "key": { "$**": 1 } },
            doc! {
                "key": { "b": "text", "t": "text" }, "weights": { "t": 10_i64, "b": 2_i64 },
                "default_language": "german", "language_override": "_lang",
            },
            doc! { "key": { "o": 1 }, "unique": true, "collation": { "locale": "en", "strength": 2 } },
            doc! { "key": { "o": 1 }, "sparse": true, "expireAfterSeconds": 60_i64 },
            doc! { "key": { "o": "hashed" } },
            doc! { "key": { "o": "2dsphere" } },
            doc! { "key": { "o.$**": 1 } },
        ]
    );
    let names: Vec<String> = found.iter().map(Definition::default_name).collect();
    assert_eq!(
        names,
        [
            "$**_1",
            "b_text_t_text",
            "o_1_unique_en_2",
            "o_1_sparse",
            "o_hashed",
            "o_2dsphere",
            "o.$**_1"
        ]
    );
    assert_eq!(found[2].name.as_deref(), Some("mail"));
}

#[test]
fn variants_of_an_enum_may_declare_the_same() {
    static SHAPE: Shape = Shape {
        name: "Employee",
        fields: &[
            row("boss", "boss", Kind::String, None).indexes(OWN),
            row("boss", "boss", Kind::String, None).indexes(OWN),
        ],
    };
    static MODEL: ModelMeta = model(&SHAPE, &[]);
    assert_eq!(keys(&MODEL), ["{ boss: 1 }"]);
}

#[test]
fn variants_of_the_same_keys_have_different_names() {
    const fn over(n: i64) -> [ConditionRow; 1] {
        [ConditionRow {
            path: "",
            op: ConditionOp::Gt(Literal::Int(n)),
        }]
    }
    const ONE: &[ConditionRow] = &over(1);
    const TWO: &[ConditionRow] = &over(2);
    const fn collation(strength: Option<u8>, case_level: bool, numeric: bool) -> CollationRow {
        CollationRow {
            locale: "en",
            strength,
            case_level: Some(case_level),
            numeric_ordering: Some(numeric),
        }
    }
    const COLLATIONS: [CollationRow; 4] = [
        collation(None, false, false),
        collation(Some(2), false, false),
        collation(None, true, false),
        collation(None, false, true),
    ];
    const PLAIN: IndexRow = IndexRow::PLAIN;
    const fn collated(collation: &'static CollationRow) -> IndexRow {
        IndexRow {
            collation: Some(collation),
            ..PLAIN
        }
    }
    const fn options(unique: bool, sparse: bool, partial: &'static [ConditionRow]) -> IndexRow {
        IndexRow {
            unique,
            sparse,
            partial,
            ..PLAIN
        }
    }
    const ROWS: &[IndexRow] = &[
        PLAIN,
        options(true, false, &[]),
        options(false, true, &[]),
        options(true, true, &[]),
        options(false, false, ONE),
        options(false, false, TWO),
        options(true, false, TWO),
        collated(&COLLATIONS[0]),
        collated(&COLLATIONS[1]),
        collated(&COLLATIONS[2]),
        collated(&COLLATIONS[3]),
    ];
    static SHAPE: Shape = Shape {
        name: "Order",
        fields: &[row("a", "a", Kind::String, None).indexes(ROWS)],
    };
    static MODEL: ModelMeta = model(&SHAPE, &[]);
    let mut names: Vec<String> = definitions(&MODEL)
        .iter()
        .map(Definition::default_name)
        .collect();
    assert_eq!(names.len(), ROWS.len());
    assert_eq!(names[0], "a_1", "a plain index is named as the server does");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), ROWS.len(), "{names:?}");
}
