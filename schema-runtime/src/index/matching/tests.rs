use bson::{Document, doc};

use super::*;
use crate::schema::index_row::KeyKind;

fn plain(keys: &[&str]) -> Definition {
    Definition::automatic(
        keys.iter()
            .map(|path| ((*path).to_owned(), KeyKind::Asc))
            .collect(),
    )
}

fn unique(keys: &[&str]) -> Definition {
    Definition {
        unique: true,
        ..plain(keys)
    }
}

fn expiring(path: &str, seconds: u32) -> Definition {
    Definition {
        expire_after: Some(seconds),
        ..plain(&[path])
    }
}

fn named(name: &str, definition: Definition) -> Definition {
    Definition {
        name: Some(name.to_owned()),
        ..definition
    }
}

fn text(path: &str) -> Definition {
    Definition::automatic(vec![(path.to_owned(), KeyKind::Text)])
}

fn live_text(path: &str, name: &str) -> Document {
    doc! { "key": { "_fts": "text", "_ftsx": 1 }, "weights": { path: 1 }, "name": name }
}

/// A plan against these and the index of `_id`.
fn plan_for(definitions: Vec<Definition>, live: Vec<Document>) -> CollectionPlan {
    let id = doc! { "v": 2, "key": { "_id": 1 }, "name": "_id_" };
    let live = std::iter::once(id)
        .chain(live)
        .map(LiveIndex::new)
        .collect();
    plan("things".to_owned(), vec!["Thing"], definitions, live)
}

fn names(definitions: &[Definition]) -> Vec<&str> {
    definitions
        .iter()
        .map(|definition| definition.name.as_deref().unwrap_or_default())
        .collect()
}

fn unknown(plan: &CollectionPlan) -> Vec<&str> {
    plan.unknown
        .iter()
        .map(|index| index.name.as_str())
        .collect()
}

#[test]
fn what_is_there_and_as_declared_needs_nothing_whatever_its_name() {
    let plan = plan_for(
        vec![plain(&["a"]), named("mine", unique(&["a"]))],
        vec![
            doc! { "key": { "a": 1.0 }, "unique": true, "name": "theirs" },
            doc! { "key": { "a": 1 }, "name": "x" },
        ],
    );
    assert!(plan.is_empty(), "{plan}");
}

#[test]
fn what_is_left_over_is_created_or_unknown() {
    let plan = plan_for(
        vec![plain(&["name"]), plain(&["a", "b"])],
        vec![
            doc! { "key": { "name": 1, "_id": 1 }, "name": "n" },
            doc! { "key": { "b": 1, "a": 1 }, "name": "ba" },
        ],
    );
    assert_eq!(names(&plan.create), ["name_1", "a_1_b_1"]);
    assert_eq!(unknown(&plan), ["n", "ba"]);
    assert!(plan.conflicts.is_empty() && plan.change.is_empty());
}

#[test]
fn a_new_index_gets_a_free_name() {
    let plan = plan_for(
        vec![plain(&["a"]), plain(&["a_1_b"]), plain(&["a", "b"])],
        vec![doc! { "key": { "z": 1 }, "name": "a_1" }],
    );
    assert_eq!(names(&plan.create), ["a_1_2", "a_1_b_1", "a_1_b_1_2"]);
    assert_eq!(unknown(&plan), ["a_1"]);
}

#[test]
fn a_name_that_a_user_chose_is_not_given_away() {
    let plan = plan_for(vec![plain(&["a"]), named("a_1", plain(&["b"]))], vec![]);
    assert_eq!(names(&plan.create), ["a_1_2", "a_1"]);
}

#[test]
fn expiry_and_hiding_are_changed_in_place() {
    let plan = plan_for(
        vec![expiring("a", 20), plain(&["b"]), expiring("c", 30)],
        vec![
            doc! { "key": { "a": 1 }, "expireAfterSeconds": 10, "name": "ten" },
            doc! { "key": { "b": 1 }, "hidden": true, "name": "b_1" },
            doc! { "key": { "c": 1 }, "hidden": true, "name": "c_1" },
        ],
    );
    let changes: Vec<_> = plan
        .change
        .iter()
        .map(|change| {
            (
                change.live.name.as_str(),
                change.expire_after,
                change.unhide,
            )
        })
        .collect();
    assert_eq!(
        changes,
        [
            ("ten", Some(20), false),
            ("b_1", None, true),
            ("c_1", Some(30), true)
        ]
    );
    assert_eq!(
        plan.change[0].to_string(),
        "`ten` { a: 1 } expireAfterSeconds: 10: expireAfterSeconds to 20"
    );
}

#[test]
fn other_options_are_a_conflict() {
    let plan = plan_for(
        vec![unique(&["a"])],
        vec![doc! { "key": { "a": 1 }, "name": "a_1" }],
    );
    let [conflict] = plan.conflicts.as_slice() else {
        panic!("{plan}")
    };
    assert!(conflict.side_by_side);
    assert_eq!(
        conflict.to_string(),
        "`a_1_unique` { a: 1 } unique against the existing `a_1` { a: 1 }: unique is declared true but is false"
    );
    assert!(plan.create.is_empty() && plan.unknown.is_empty());
}

#[test]
fn a_variant_is_no_conflict_where_the_other_one_is_declared_too() {
    let plan = plan_for(
        vec![unique(&["a"]), plain(&["a"])],
        vec![doc! { "key": { "a": 1 }, "name": "a_1" }],
    );
    assert_eq!(names(&plan.create), ["a_1_unique"]);
    assert!(plan.conflicts.is_empty());
}

#[test]
fn an_expiry_that_is_to_go_cannot_be_built_beside_the_old_index() {
    let plan = plan_for(
        vec![plain(&["a"])],
        vec![doc! { "key": { "a": 1 }, "expireAfterSeconds": 9, "name": "a_1" }],
    );
    let [conflict] = plan.conflicts.as_slice() else {
        panic!("{plan}")
    };
    assert!(!conflict.side_by_side);
    assert_eq!(
        names(&conflict.declared),
        ["a_1"],
        "the name is free by then"
    );
}

#[test]
fn of_several_live_ones_the_nearest_is_the_conflict() {
    let plan = plan_for(
        vec![unique(&["a"])],
        vec![
            doc! { "key": { "a": 1 }, "sparse": true, "name": "far" },
            doc! { "key": { "a": 1 }, "unique": true, "sparse": true, "name": "near" },
        ],
    );
    assert_eq!(plan.conflicts[0].live[0].name, "near");
    assert_eq!(unknown(&plan), ["far"]);
}

#[test]
fn a_chosen_name_that_is_taken_is_a_conflict() {
    let plan = plan_for(
        vec![named("mine", plain(&["a"]))],
        vec![doc! { "key": { "b": 1 }, "name": "mine" }],
    );
    let [conflict] = plan.conflicts.as_slice() else {
        panic!("{plan}")
    };
    assert_eq!(conflict.reason, "the name `mine` belongs to another index");
    assert_eq!(
        (conflict.live[0].name.as_str(), names(&conflict.declared)),
        ("mine", vec!["mine"])
    );
    assert!(!conflict.side_by_side && plan.unknown.is_empty());
}

#[test]
fn a_declared_index_gives_its_name_up_to_the_one_it_was_chosen_for() {
    let plan = plan_for(
        vec![plain(&["b"]), named("mine", plain(&["a"]))],
        vec![doc! { "key": { "b": 1 }, "hidden": true, "name": "mine" }],
    );
    let [conflict] = plan.conflicts.as_slice() else {
        panic!("{plan}")
    };
    assert_eq!(names(&conflict.declared), ["mine", "b_1"]);
    assert!(plan.change.is_empty() && plan.create.is_empty() && plan.unknown.is_empty());
}

#[test]
fn one_live_index_is_part_of_one_conflict() {
    let plan = plan_for(
        vec![unique(&["b"]), named("b_1", plain(&["a"]))],
        vec![doc! { "key": { "b": 1 }, "name": "b_1" }],
    );
    let [conflict] = plan.conflicts.as_slice() else {
        panic!("{plan}")
    };
    assert_eq!(names(&conflict.declared), ["b_1_unique", "b_1"]);
    assert!(!conflict.side_by_side);
}

#[test]
fn a_second_text_index_is_a_conflict() {
    let plan = plan_for(vec![text("a")], vec![live_text("b", "t")]);
    assert_eq!(
        plan.conflicts[0].reason,
        r#"weights is declared {"a": "1"} but is {"b": "1"}"#
    );
    let compound = Definition::automatic(vec![
        ("k".to_owned(), KeyKind::Asc),
        ("a".to_owned(), KeyKind::Text),
    ]);
    let plan = plan_for(vec![compound], vec![live_text("a", "t")]);
    assert_eq!(plan.conflicts[0].reason, "a collection has one text index");
    assert!(!plan.conflicts[0].side_by_side);
    assert!(plan_for(vec![text("a")], vec![live_text("a", "t")]).is_empty());
}

#[test]
fn declarations_that_contradict_each_other_are_a_conflict_of_nothing_live() {
    for (one, other, reason) in [
        (
            expiring("a", 1),
            expiring("a", 2),
            "the same index is declared with two expiries",
        ),
        (text("a"), text("b"), "a collection has one text index"),
        (
            named("n", plain(&["a"])),
            named("n", plain(&["b"])),
            "both are declared under one name",
        ),
    ] {
        let plan = plan_for(vec![one.clone(), other.clone()], vec![]);
        let [conflict] = plan.conflicts.as_slice() else {
            panic!("{plan}")
        };
        assert!(conflict.live.is_empty() && conflict.declared.len() == 2);
        assert_eq!(conflict.reason, reason);
        // Also where one of the two exists already.
        let mut live = other.spec();
        live.insert("name", "there");
        let plan = plan_for(vec![one, other], vec![live]);
        assert_eq!(plan.conflicts.len(), 1, "{plan}");
        assert!(plan.create.is_empty() && plan.unknown.is_empty(), "{plan}");
    }
}

#[test]
fn the_index_of_id_is_nobodys() {
    assert!(plan_for(vec![], vec![]).is_empty());
    assert!(plan_for(vec![plain(&["_id"])], vec![]).is_empty());
    let clustered = LiveIndex::new(
        doc! { "key": { "_id": 1 }, "name": "other", "unique": true, "clustered": true },
    );
    assert!(plan("things".to_owned(), vec![], vec![], vec![clustered]).is_empty());
}

/// The listings of several releases in short: newer ones name the order of bytes, and defaults that older ones leave out.
#[test]
fn listings_of_several_releases() {
    for live in [
        doc! { "v": 2, "key": { "a": 1 }, "name": "a_1" },
        doc! { "v": 2, "key": { "a": 1 }, "name": "a_1", "collation": { "locale": "simple" } },
        doc! { "v": 2, "key": { "a": 1.0 }, "name": "a_1", "sparse": false, "hidden": false, "collation": { "locale": "simple" } },
    ] {
        let plan = plan_for(vec![plain(&["a"])], vec![live]);
        assert!(plan.is_empty(), "{plan}");
    }
}

#[test]
fn a_plan_is_readable() {
    let plan = plan_for(
        vec![plain(&["a"]), expiring("b", 5)],
        vec![
            doc! { "v": 2, "key": { "b": 1 }, "name": "b_1" },
            doc! { "v": 2, "key": { "age": -1 }, "name": "old", "sparse": true },
        ],
    );
    assert_eq!(
        plan.to_string(),
        "things\n  create    `a_1` { a: 1 }\n  change    `b_1` { b: 1 }: expireAfterSeconds to 5\n  unknown   `old` { age: -1 } sparse\n"
    );
}
