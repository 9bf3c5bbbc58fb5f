use super::*;
use crate::schema::rows::Fixed;

const fn reference(
    many: bool,
    entry: bool,
    sort: Option<(&'static str, bool)>,
    copied: bool,
) -> RelationRow {
    static TARGET: ModelMeta = model(
        &Shape {
            name: "Target",
            fields: &[],
        },
        &[],
    );
    RelationRow {
        many,
        entry,
        sort,
        copied,
        ..RelationRow::one(|| &TARGET)
    }
}

#[test]
fn references_bring_their_indexes() {
    static PLAIN: RelationRow = reference(true, false, None, false);
    static ENTRY: RelationRow = reference(true, true, None, true);
    static SORTED: RelationRow = reference(false, false, Some(("time", true)), false);
    static COPIED: RelationRow = reference(false, true, Some(("time", false)), true);
    static BY_ID: RelationRow = reference(false, false, Some(("id", true)), false);
    static NOTE: Shape = Shape {
        name: "Note",
        fields: &[
            row("author", "author", Kind::Document, None).relation(&COPIED),
            row("time", "at", Kind::Date, None),
        ],
    };
    static SHAPE: Shape = Shape {
        name: "Order",
        fields: &[
            id().relation(&PLAIN),
            row("tags", "tags", Kind::Array, None).relation(&PLAIN),
            row("parts", "parts", Kind::Array, None).relation(&ENTRY),
            row("host", "h", Kind::ObjectId, None).relation(&SORTED),
            row("rack", "rack", Kind::ObjectId, None).relation(&BY_ID),
            row("time", "time", Kind::Date, None),
            row("notes", "notes", Kind::Array, Some(&NOTE)),
            row("by_name", "by_name", Kind::Map, None).relation(&PLAIN),
        ],
    };
    static MODEL: ModelMeta = model(&SHAPE, &[]);
    assert_eq!(
        keys(&MODEL),
        [
            "{ tags: 1, _id: 1 }",
            "{ parts.id: 1, _id: 1 }",
            "{ h: 1, time: -1, _id: -1 }",
            "{ rack: 1, _id: -1 }",
            "{ notes.author.id: 1, notes.at: 1, _id: 1 }",
            "{ notes.author.id: 1, _id: 1 }",
        ]
    );
    assert!(
        definitions(&MODEL)
            .iter()
            .all(|index| index.source == Source::Automatic && index.name.is_none())
    );
}

#[test]
fn a_declared_index_that_serves_stands_in_for_an_automatic_one() {
    static PLAIN: RelationRow = reference(false, false, None, false);
    static COPIED: RelationRow = reference(false, false, None, true);
    static SHAPE: Shape = Shape {
        name: "Order",
        fields: &[
            row("a", "a", Kind::ObjectId, None).relation(&PLAIN),
            row("c", "c", Kind::ObjectId, None).relation(&COPIED),
        ],
    };
    const LONG_A: &[KeyRow] = &[key("a", ASC), key("_id", ASC), key("x", DESC)];
    const LONG_C: &[KeyRow] = &[key("c", ASC), key("_id", ASC), key("x", DESC)];
    const EXACT_C: &[KeyRow] = &[key("c", ASC), key("_id", ASC)];
    let automatic = |indexes: &'static [IndexRow]| {
        let meta = model(&SHAPE, indexes);
        let found = definitions(&meta);
        found
            .into_iter()
            .filter(|index| index.source == Source::Automatic)
            .map(|index| index.to_string())
            .collect::<Vec<_>>()
    };
    const PREFIXED: &[IndexRow] = &[
        IndexRow {
            keys: LONG_A,
            unique: true,
            ..IndexRow::PLAIN
        },
        IndexRow {
            keys: LONG_C,
            ..IndexRow::PLAIN
        },
    ];
    assert_eq!(
        automatic(PREFIXED),
        ["{ c: 1, _id: 1 }"],
        "a fan-out needs its index exactly"
    );
    const EXACT: &[IndexRow] = &[IndexRow {
        keys: EXACT_C,
        ..IndexRow::PLAIN
    }];
    assert_eq!(automatic(EXACT), ["{ a: 1, _id: 1 }"]);
    const CONDITION: &[ConditionRow] = &[ConditionRow {
        path: "a",
        op: ConditionOp::Exists,
    }];
    const COLLATION: CollationRow = CollationRow {
        locale: "en",
        strength: None,
        case_level: None,
        numeric_ordering: None,
    };
    const NOT_ALL: &[IndexRow] = &[
        IndexRow {
            keys: LONG_A,
            sparse: true,
            ..IndexRow::PLAIN
        },
        IndexRow {
            keys: LONG_A,
            partial: CONDITION,
            ..IndexRow::PLAIN
        },
        IndexRow {
            keys: LONG_A,
            collation: Some(&COLLATION),
            ..IndexRow::PLAIN
        },
        IndexRow {
            keys: &[key("a", ASC), key("_id", DESC)],
            ..IndexRow::PLAIN
        },
        IndexRow {
            keys: &[key("a", ASC), key("_id", ASC), key("t", KeyKind::Text)],
            ..IndexRow::PLAIN
        },
    ];
    assert_eq!(automatic(NOT_ALL), ["{ a: 1, _id: 1 }", "{ c: 1, _id: 1 }"]);
}

#[test]
fn a_sort_field_that_never_changes_serves_scans() {
    static COPIED: RelationRow = reference(false, false, Some(("time", true)), true);
    static PLAIN: RelationRow = reference(false, false, Some(("time", true)), false);
    static BY_ID: RelationRow = reference(false, false, Some(("id", true)), true);
    static BY_RANK: RelationRow = reference(false, false, Some(("rank", false)), true);
    static ENTRY: RelationRow = reference(false, true, Some(("time", false)), true);
    static SHAPE: Shape = Shape {
        name: "Line",
        fields: &[
            id(),
            row("time", "t", Kind::Date, None).fixed(Fixed::Immutable),
            row("rank", "rank", Kind::Int, None).fixed(Fixed::Updated),
            row("host", "host", Kind::ObjectId, None).relation(&COPIED),
            row("rack", "rack", Kind::ObjectId, None).relation(&PLAIN),
            row("site", "site", Kind::ObjectId, None).relation(&BY_ID),
            row("room", "room", Kind::ObjectId, None).relation(&BY_RANK),
            row("unit", "unit", Kind::Document, None).relation(&ENTRY),
        ],
    };
    const LONGER: &[IndexRow] = &[IndexRow {
        keys: &[
            key("host", ASC),
            key("time", DESC),
            key("id", DESC),
            key("rank", ASC),
        ],
        ..IndexRow::PLAIN
    }];
    static MODEL: ModelMeta = model(&SHAPE, LONGER);
    assert_eq!(
        keys(&MODEL),
        [
            "{ host: 1, t: -1, _id: -1, rank: 1 }",
            "{ host: 1, t: -1, _id: -1 }",
            "{ rack: 1, t: -1, _id: -1 }",
            "{ site: 1, _id: -1 }",
            "{ room: 1, rank: 1, _id: 1 }",
            "{ room: 1, _id: 1 }",
            "{ unit.id: 1, t: 1, _id: 1 }",
        ],
        "a scan needs its index without a key behind it that may change"
    );
}
