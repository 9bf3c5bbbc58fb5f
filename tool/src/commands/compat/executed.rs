//! The answers of kinds, asked of programs: what serde stores of the old type and of the new one is read as the other.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::kinds::{self as kind, Kind, Reads};

/// The part of these documents that can be read as an `R`.
fn answer<W: Serialize, R: DeserializeOwned>(written: &[W]) -> Reads {
    let is_read = |one: &&W| {
        let document = bson::serialize_to_document(one).expect("it is stored");
        bson::deserialize_from_document::<R>(document).is_ok()
    };
    match written.iter().filter(is_read).count() {
        0 => Reads::No,
        n if n == written.len() => Reads::Yes,
        _ => Reads::Some,
    }
}

#[track_caller]
fn assert_kind<O, N>(kind: &Kind, old: &[O], new: &[N])
where
    O: Serialize + DeserializeOwned,
    N: Serialize + DeserializeOwned,
{
    let found = (answer::<N, O>(new), answer::<O, N>(old));
    assert_eq!(
        found,
        (kind.old_reads_new, kind.new_reads_old),
        "{}",
        kind.name
    );
}

/// A document with one field.
macro_rules! document {
    ($name:ident { $(#[$meta:meta])* $field:ident: $ty:ty }) => {
        #[derive(Serialize, Deserialize)]
        struct $name {
            $(#[$meta])*
            $field: $ty,
        }
    };
}

#[derive(Serialize, Deserialize)]
struct Nothing {}

document!(Int { n: i32 });
document!(Long { n: i64 });
document!(Double { n: f64 });
document!(Text { n: String });
document!(Any { n: bson::Bson });
document!(Null { n: Option<i32> });
document!(LeftOut { #[serde(skip_serializing_if = "Option::is_none")] n: Option<i32> });
document!(Absent {
    #[serde(default, skip_serializing_if = "is_zero")]
    n: i32
});
document!(Renamed {
    #[serde(alias = "n")]
    m: i32
});
document!(Prepared {
    #[serde(alias = "m")]
    n: i32
});
document!(RenamedLeftOut { #[serde(alias = "n", skip_serializing_if = "Option::is_none")] m: Option<i32> });

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(n: &i32) -> bool {
    *n == 0
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Two {
    A,
    B,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Three {
    A,
    B,
    C,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Open {
    A,
    B,
    #[serde(other)]
    Unknown,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type")]
enum Retagged {
    A,
    B,
}

#[test]
fn fields_that_come_and_go() {
    let nothing = [Nothing {}];
    let (int, left_out) = ([Int { n: 1 }], || [Some(1), None].map(|n| LeftOut { n }));
    let absent = [0, 1].map(|n| Absent { n });
    assert_kind(kind::field_added, &nothing, &left_out());
    assert_kind(kind::field_added, &nothing, &absent);
    assert_kind(
        kind::field_added,
        &nothing,
        &[Some(1), None].map(|n| Null { n }),
    );
    assert_kind(kind::field_added_required, &nothing, &int);
    assert_kind(kind::field_removed, &left_out(), &nothing);
    assert_kind(kind::field_removed_required, &int, &nothing);
    assert_kind(kind::field_renamed, &int, &[Renamed { m: 1 }]);
    assert_kind(
        kind::field_renamed_prepared,
        &[Prepared { n: 1 }],
        &[Renamed { m: 1 }],
    );
    let renamed = [Some(1), None].map(|m| RenamedLeftOut { m });
    assert_kind(kind::field_renamed_optional, &left_out(), &renamed);
}

#[test]
fn values_that_may_be_missing() {
    let int = [Int { n: 1 }];
    let null = [Some(1), None].map(|n| Null { n });
    let left_out = [Some(1), None].map(|n| LeftOut { n });
    let absent = [0, 1].map(|n| Absent { n });
    assert_kind(kind::made_optional, &int, &null);
    assert_kind(kind::made_optional, &int, &left_out);
    assert_kind(kind::made_optional, &int, &absent);
    assert_kind(kind::made_required, &null, &int);
    assert_kind(kind::made_required, &left_out, &int);
    assert_kind(kind::made_required, &absent, &int);
    assert_kind(kind::made_required, &null, &absent);
    assert_kind(kind::absence_changed, &null, &left_out);
    assert_kind(kind::absence_changed, &left_out, &absent);
}

#[test]
fn types_of_values() {
    let long = [1, i64::MAX].map(|n| Long { n });
    let text = ["1".to_owned()].map(|n| Text { n });
    let any = [bson::Bson::Int32(1), bson::Bson::Boolean(true)].map(|n| Any { n });
    assert_kind(kind::type_widened, &[Int { n: 1 }], &long);
    assert_kind(kind::type_narrowed, &long, &[Int { n: 1 }]);
    assert_kind(kind::type_widened, &[Int { n: 1 }], &any);
    assert_kind(kind::type_narrowed, &any, &[Int { n: 1 }]);
    assert_kind(kind::type_to_double, &long, &[Double { n: 1.5 }]);
    assert_kind(kind::type_from_double, &[Double { n: 1.5 }], &long);
    assert_kind(kind::type_changed, &long, &text);
}

#[test]
fn variants_of_enums() {
    let two = [Two::A, Two::B];
    let three = [Three::A, Three::B, Three::C];
    let open = [Open::A, Open::B];
    assert_kind(kind::variant_added, &two, &three);
    assert_kind(kind::variant_removed, &three, &two);
    assert_kind(kind::variant_added_to_open, &open, &three);
    assert_kind(kind::others_allowed, &two, &open);
    assert_kind(kind::others_refused, &[Open::A, Open::Unknown], &two);
    assert_kind(kind::tag_renamed, &two, &[Retagged::A, Retagged::B]);
}
