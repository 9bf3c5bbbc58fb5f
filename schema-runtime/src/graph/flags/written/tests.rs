//! Tests that both forms of the removal remove the same, from documents with flags of one write and of several.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::WrittenFlags;

/// The flags of a write, and the library's fields as the write has stored them.
fn written(tokens: &[ObjectId; 2]) -> (WrittenFlags<'_>, Document) {
    let flags = WrittenFlags {
        unverified: Some(&tokens[..1]),
        uncounted: Some(tokens[1]),
        pending: Some((7, vec!["a.b", "c.d"])),
    };
    let own = doc! {
        "r": 7_i64,
        "g": 1,
        "p": ["a.b", "c.d"],
        "u": [{ "t": tokens[0] }],
        "c": [{ "t": tokens[1], "to": { "parent": 1 } }],
    };
    (flags, own)
}

#[test]
fn operators_remove_the_flags_of_the_write_and_nothing_else() {
    let tokens = [ObjectId::new(), ObjectId::new()];
    let (flags, own) = written(&tokens);
    let gone = flags.to_unset(&own).expect("the flags of one write");
    // The revision stays.
    assert!(!gone.is_all);
    assert_eq!(gone.fields, ["_dn.u", "_dn.c", "_dn.p", "_dn.g"]);
    let pending: Bson = doc! { "$eq": ["a.b", "c.d"] }.into();
    assert_eq!(gone.conditions, doc! { "_dn.p": pending, "_dn.r": 7_i64 });
    let as_written: Vec<&str> = gone.as_written.iter().map(|(path, _)| *path).collect();
    assert_eq!(as_written, ["_dn.u", "_dn.c"]);
}

#[test]
fn a_document_without_other_fields_of_the_library_loses_all_of_them() {
    let tokens = [ObjectId::new(), ObjectId::new()];
    let (mut flags, own) = written(&tokens);
    flags.pending = None;
    let own = own.into_iter();
    let own: Document = own
        .filter(|(name, _)| matches!(name.as_str(), "u" | "c"))
        .collect();
    let gone = flags.to_unset(&own).expect("the flags of one write");
    assert!(gone.is_all && gone.conditions.is_empty());
    assert_eq!(gone.fields, ["_dn"]);
    assert_eq!(gone.as_written, [("_dn", Bson::Document(own))]);
}

#[test]
fn operators_leave_a_document_with_flags_of_other_writes() {
    let tokens = [ObjectId::new(), ObjectId::new()];
    let other = doc! { "t": ObjectId::new() };
    for (list, more) in [
        ("u", Bson::from(other.clone())),
        ("c", Bson::from(other)),
        ("p", Bson::from("e.f")),
        ("p", Bson::from("~del")),
    ] {
        let (flags, mut own) = written(&tokens);
        own.get_array_mut(list).expect("a list").push(more);
        assert!(flags.to_unset(&own).is_none(), "{list}: {own}");
    }
}

#[test]
fn a_pipeline_removes_each_list_under_its_condition() {
    let tokens = [ObjectId::new(), ObjectId::new()];
    let (flags, _) = written(&tokens);
    assert_eq!(
        flags.conditions(),
        doc! { "_dn.u.t": { "$in": [tokens[0]] }, "_dn.c.t": tokens[1], "_dn.r": 7_i64 }
    );
    let mut stages = super::super::unmark(&tokens[..1]);
    stages.extend(super::super::uncount(&tokens[1..]));
    stages.extend(super::super::unflagged(&["a.b", "c.d"], &["b", "o"]));
    assert_eq!(flags.stages(), stages);
}
