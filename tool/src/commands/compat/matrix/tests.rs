use super::super::kinds::{ALL, Reads, Save};
use super::*;

/// The facts of `name: part, part; name: part`.
fn model(said: &str) -> ModelFacts {
    let lines = said.split("; ").filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (name, parts) = line.split_once(": ").expect("a name");
            let parts = parts.split(", ").map(str::to_owned).collect();
            (name.to_owned(), Fact(parts))
        })
        .collect()
}

fn kinds(old: &str, new: &str) -> Vec<&'static str> {
    let facts = |said| Facts::from([("a.A".to_owned(), model(said))]);
    let rows = matrix(&facts(old), &facts(new));
    let mut out: Vec<&str> = rows.iter().map(|row| row.kind.name).collect();
    out.sort_unstable();
    out
}

/// Old facts, new facts, and the kinds of change between them.
const CASES: &[(&str, &str, &[&str])] = &[
    ("$model: plain", "$model: bucket", &["model_kind_changed"]),
    (
        "$model: plain",
        "$model: enum by kind",
        &["model_kind_changed"],
    ),
    (
        "$model: plain",
        "$model: plain, tenant org",
        &["tenant_changed"],
    ),
    (
        "$model: plain",
        "$model: plain, soft delete",
        &["soft_delete_added"],
    ),
    (
        "$model: plain, soft delete",
        "$model: plain",
        &["soft_delete_removed"],
    ),
    ("$model: plain", "$model: plain, strict", &["strict_added"]),
    (
        "$model: plain",
        "$model: plain, shard key _id",
        &["shard_key_added"],
    ),
    (
        "$model: plain, shard key _id",
        "$model: plain",
        &["shard_key_removed"],
    ),
    (
        "$model: plain, shard key _id",
        "$model: plain, shard key hashed _id",
        &["shard_key_changed"],
    ),
    (
        "$model: plain",
        "$model: plain, history",
        &["history_added"],
    ),
    (
        "$model: plain, history",
        "$model: plain",
        &["history_removed"],
    ),
    (
        "$model: plain",
        "$model: plain, events, reader a",
        &["events_added"],
    ),
    (
        "$model: plain, events, reader a",
        "$model: plain",
        &["events_removed"],
    ),
    (
        "$model: plain, events, reader a",
        "$model: plain, events, reader b",
        &["reader_added", "reader_removed"],
    ),
    (
        "$model: plain, strict",
        "$model: plain",
        &["strict_removed"],
    ),
    (
        "$model: plain",
        "$model: plain, shares with a.B",
        &["sharing_changed"],
    ),
    ("", "$schema: version 1", &["schema_added"]),
    (
        "",
        "$schema: version 2, unversioned 1, migrates",
        &["schema_added"],
    ),
    (
        "",
        "$schema: version 2, unversioned 1",
        &["schema_added_without_unversioned"],
    ),
    (
        "",
        "$schema: version 2, migrates",
        &["schema_added_without_unversioned"],
    ),
    (
        "$schema: version 1",
        "$schema: version 2, migrates",
        &["schema_raised"],
    ),
    (
        "$schema: version 1",
        "$schema: version 2",
        &["schema_raised_without_migrate"],
    ),
    (
        "$schema: version 2, migrates",
        "$schema: version 1",
        &["schema_lowered"],
    ),
    (
        "$schema: version 2",
        "$schema: version 1",
        &["schema_lowered_without_migrate"],
    ),
    // A field that all variants have has one line, and others have one each.
    (
        "$model: enum by k; k: tag, one of a; n: i32",
        "$model: enum by k; k: tag, one of a | b; (k=a).n: i32",
        &["variant_added"],
    ),
    ("$schema: version 2", "", &["schema_removed"]),
    (
        "$schema: version 2, migrates",
        "$schema: version 2",
        &["migrate_changed"],
    ),
    ("", "$check start < end: always", &["check_added"]),
    (
        "$check start < end: on write",
        "$check start < end: always",
        &["check_added"],
    ),
    ("$check start < end: always", "", &["check_removed"]),
    ("", "$index n_1: { n: 1 }", &["index_added"]),
    ("", "$index n_1_unique: { n: 1 }, unique", &["unique_added"]),
    (
        "$index n_1: { n: 1 }",
        "$index n_1_unique: { n: 1 }, unique",
        &["unique_added"],
    ),
    (
        "$index n_1_unique: { n: 1 }, unique",
        "$index n_1: { n: 1 }",
        &["unique_removed"],
    ),
    ("$index n_1: { n: 1 }", "", &["index_removed"]),
    (
        "",
        "$index n_1: { n: 1 }, expireAfterSeconds 60",
        &["ttl_added"],
    ),
    (
        "$index n_1: { n: 1 }",
        "$index n_1: { n: 1 }, expireAfterSeconds 60",
        &["ttl_added"],
    ),
    (
        "$index n_1: { n: 1 }, expireAfterSeconds 60",
        "$index n_1: { n: 1 }, expireAfterSeconds 6",
        &["ttl_changed"],
    ),
    (
        "$index n_1: { n: 1 }",
        "$index n_1_en: { n: 1 }, collation en",
        &["collation_changed"],
    ),
    (
        "$index n_1: { n: 1 }",
        "$index n_1_p: { n: 1 }, partialFilterExpression x",
        &["index_changed"],
    ),
    // Another name is no change.
    ("$index n_1: { n: 1 }", "$index mine: { n: 1 }", &[]),
    ("", "n: string, optional", &["field_added"]),
    ("", "n: string, may be absent", &["field_added"]),
    ("", "n: string, or null", &["field_added"]),
    (
        "",
        "n: any, or null, serde functions",
        &["field_added_required"],
    ),
    ("", "n: string", &["field_added_required"]),
    // A change inside of a changed field is a part of that change.
    (
        "",
        "n: [document], may be absent; n[].a: string; n[].b[].c: i32",
        &["field_added"],
    ),
    ("n: string, optional", "", &["field_removed"]),
    ("n: document; n.a: string", "", &["field_removed_required"]),
    (
        "n: document; n.a: string",
        "n: document",
        &["field_removed_required"],
    ),
    ("n: string", "m: string, alias n", &["field_renamed"]),
    (
        "n: string, optional",
        "m: string, optional, alias n",
        &["field_renamed_optional"],
    ),
    (
        "n: document, alias m; n.a: i32",
        "m: document, alias n; m.a: i32",
        &["field_renamed_prepared"],
    ),
    // Without the alias the two have nothing in common.
    (
        "n: string",
        "m: string",
        &["field_added_required", "field_removed_required"],
    ),
    ("n: string", "n: string, alias m", &["alias_added"]),
    ("n: string, alias m", "n: string", &["alias_removed"]),
    ("n: string", "n: string, or null", &["made_optional"]),
    ("n: string", "n: string, optional", &["made_optional"]),
    ("n: string", "n: string, may be absent", &["made_optional"]),
    ("n: string, optional", "n: string", &["made_required"]),
    (
        "n: string, or null",
        "n: string, may be absent",
        &["made_required"],
    ),
    (
        "n: string, or null",
        "n: string, optional",
        &["absence_changed"],
    ),
    (
        "n: string, optional",
        "n: string, may be absent",
        &["absence_changed"],
    ),
    ("n: i32", "n: i64", &["type_widened"]),
    ("n: [u8]", "n: [i16]", &["type_widened"]),
    ("n: {string}", "n: {string or null}", &["type_widened"]),
    ("n: i64", "n: u32", &["type_narrowed"]),
    ("n: any", "n: string", &["type_narrowed"]),
    ("n: i8", "n: u8", &["type_changed"]),
    ("n: i64", "n: double", &["type_to_double"]),
    ("n: [double]", "n: [i32]", &["type_from_double"]),
    ("n: double", "n: decimal", &["type_changed"]),
    ("n: string", "n: [string]", &["type_changed"]),
    ("n: string", "n: string, one of a | b", &["type_narrowed"]),
    ("n: string, one of a | b", "n: string", &["type_widened"]),
    ("n: any", "n: any, serde functions", &["form_changed"]),
    (
        "n: string, one of a | b",
        "n: string, one of a | b | c",
        &["variant_added"],
    ),
    (
        "n: string, one of a | b",
        "n: string, one of a",
        &["variant_removed"],
    ),
    (
        "k: tag, one of a; (k=a).n: i32",
        "k: tag, one of a | b; (k=a).n: i32; (k=b).m: i32",
        &["variant_added"],
    ),
    (
        "k: tag, one of a, or others",
        "k: tag, one of a | b, or others; (k=b).m: i32",
        &["variant_added_to_open"],
    ),
    (
        "k: tag, one of a | b; (k=b).m: i32",
        "k: tag, one of a",
        &["variant_removed"],
    ),
    (
        "k: tag, one of a; (k=a).n: i32",
        "k: tag, one of a; (k=a).n: i64",
        &["type_widened"],
    ),
    (
        "k: tag, one of a",
        "k: tag, one of a, or others",
        &["others_allowed"],
    ),
    (
        "k: tag, one of a, or others",
        "k: tag, one of a",
        &["others_refused"],
    ),
    ("$model: enum by k", "$model: enum by t", &["tag_renamed"]),
    ("n: [i32], max 5", "n: [i32], max 9", &["bound_raised"]),
    ("n: string, max_len 5", "n: string", &["bound_raised"]),
    ("n: [i32], max 9", "n: [i32], max 5", &["bound_lowered"]),
    ("n: [i32]", "n: [i32], max 5", &["bound_lowered"]),
    (
        "n: string",
        "n: string, found by parts of 3",
        &["parts_added"],
    ),
    (
        "n: string, found by parts of 3",
        "n: string",
        &["parts_removed"],
    ),
    (
        "n: string, found by parts of 3",
        "n: string, found by parts of 2",
        &["parts_changed"],
    ),
    ("v: vector 768", "v: vector 1536", &["type_changed"]),
    (
        "$index v_vector: { v: vector }, dimensions 768",
        "$index v_vector: { v: vector }, dimensions 1536",
        &["index_changed"],
    ),
    ("n: i32", "n: i32, must be 0 to 5", &["check_added"]),
    (
        "n: [i32], each must be 0 to 5",
        "n: [i32]",
        &["check_removed"],
    ),
    ("n: i64", "n: i64, version", &["version_added"]),
    ("n: date", "n: date, created", &["role_changed"]),
    (
        "n: object id",
        "n: object id, -> b.B, on delete deny, checked",
        &["reference_added"],
    ),
    (
        "n: object id, -> b.B, on delete deny, checked",
        "n: object id",
        &["reference_removed"],
    ),
    (
        "n: object id, -> b.B, on delete deny",
        "n: object id, -> c.C, on delete pull",
        &["reference_retargeted"],
    ),
    (
        "n: string, -> b.B, by sku",
        "n: string, -> b.B, by code",
        &["reference_key_changed"],
    ),
    (
        "n: object id, -> b.B, on delete deny",
        "n: object id, -> b.B, on delete pull",
        &["delete_rule_changed"],
    ),
    (
        "n: object id, -> b.B, unchecked",
        "n: object id, -> b.B, checked",
        &["reference_checked"],
    ),
    (
        "n: object id, -> b.B, checked",
        "n: object id, -> b.B, unchecked",
        &["reference_unchecked"],
    ),
    (
        "n: object id, -> b.B, checked",
        "n: object id, -> b.B, inverse as",
        &["inverse_added"],
    ),
    (
        "n: object id, -> b.B, inverse as",
        "n: object id, -> b.B, checked",
        &["inverse_removed"],
    ),
    (
        "",
        "n: string, optional, copy of b.B n, via b, eventual",
        &["copy_added", "field_added"],
    ),
    (
        "n: string, copy of b.B n, via b, eventual",
        "n: string",
        &["copy_removed"],
    ),
    (
        "n: string, copy of b.B n, via b",
        "n: string, copy of b.B m, via b",
        &["copy_repointed"],
    ),
    (
        "n: string, copy of b.B n, via b",
        "n: string, copy of b.B n, via c",
        &["copy_repointed"],
    ),
    (
        "n: string, copy of b.B n, via b, snapshot",
        "n: string, copy of b.B n, via b, eventual",
        &["copy_level_changed"],
    ),
    ("n: i64", "n: i64, count of b.B", &["derived_added"]),
    ("n: i64, count of b.B", "n: i64", &["derived_removed"]),
    (
        "n: i64, count of b.B",
        "n: i64, count of b.B, at most 5",
        &["derived_changed"],
    ),
    (
        "n: i64, sum x of b.B, where s is a",
        "n: i64, sum x of b.B, where s is b",
        &["derived_changed"],
    ),
    (
        "_id: document, day of b.B in UTC",
        "_id: document, week of b.B in UTC",
        &["period_changed"],
    ),
];

#[test]
fn each_kind_of_change_is_found() {
    for (old, new, expected) in CASES {
        assert_eq!(kinds(old, new), *expected, "`{old}` to `{new}`");
        assert_eq!(kinds(new, new), [""; 0], "`{new}` has not changed");
    }
}

#[test]
fn models_that_come_go_and_move_are_found() {
    let fields = || model("_id: object id; n: string");
    let of = |names: &[&str]| -> Facts {
        names
            .iter()
            .map(|name| ((*name).to_owned(), fields()))
            .collect()
    };
    let found = |old: &[&str], new: &[&str]| -> Vec<(String, &str)> {
        let rows = matrix(&of(old), &of(new));
        rows.into_iter()
            .map(|row| (row.model, row.kind.name))
            .collect()
    };
    let one = |model: &str, kind| vec![(model.to_owned(), kind)];
    assert_eq!(found(&[], &["a.A"]), one("a.A", "model_added"));
    assert_eq!(found(&["a.A"], &[]), one("a.A", "model_removed"));
    assert_eq!(found(&["a.A"], &["a.B"]), one("a.B", "model_renamed"));
    assert_eq!(
        found(&["a.b.A"], &["c.A"]),
        one("c.A", "collection_renamed")
    );
}

#[test]
fn every_kind_has_a_case() {
    const OF_MODELS: [&str; 4] = [
        "model_added",
        "model_removed",
        "model_renamed",
        "collection_renamed",
    ];
    let cases = CASES.iter().flat_map(|(.., kinds)| *kinds);
    let tried: BTreeSet<&str> = cases.copied().chain(OF_MODELS).collect();
    let all: BTreeSet<&str> = ALL.iter().map(|kind| kind.name).collect();
    assert_eq!(tried, all);
    assert!(all.len() > 60, "{} kinds", all.len());
}

/// The rows of the guide's table of rolling deploys.
#[test]
fn the_kinds_say_what_the_guide_says() {
    let named = |name: &str| *ALL.iter().find(|kind| kind.name == name).expect("a kind");
    let said = |name: &str| {
        let kind = named(name);
        (kind.old_reads_new, kind.new_reads_old, kind.old_save)
    };
    assert_eq!(said("field_added"), (Reads::Yes, Reads::Yes, Save::Loses));
    assert_eq!(
        said("field_added_required"),
        (Reads::Yes, Reads::No, Save::Loses)
    );
    assert_eq!(said("field_removed"), (Reads::Yes, Reads::Yes, Save::Keeps));
    assert_eq!(
        said("variant_added"),
        (Reads::Some, Reads::Yes, Save::Keeps)
    );
    assert_eq!(said("schema_raised"), (Reads::No, Reads::Yes, Save::Keeps));
    for name in [
        "index_added",
        "bound_raised",
        "bound_lowered",
        "delete_rule_changed",
    ] {
        let (old_reads_new, new_reads_old, _) = said(name);
        assert_eq!(
            (old_reads_new, new_reads_old),
            (Reads::Yes, Reads::Yes),
            "{name}"
        );
    }
}
