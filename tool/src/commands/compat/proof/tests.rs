//! Pairs of models, as programs of two releases have them. The programs do as the matrix says, and the program that is made of the
//! old facts does as the old program.

use std::collections::{BTreeMap, BTreeSet};

use bson::Document;
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use super::*;
use crate::commands::compat::kinds as kind;
use crate::commands::compat::matrix::matrix;
use crate::commands::lock::facts_of;

const NAME: &str = "pairs.A";

/// Fields of which the facts do not say enough.
const VAGUE: [&str; 3] = ["all.letter", "all.uuid", "all.pairs"];

/// The two programs of a pair, and the changes between them.
struct Two {
    old: (&'static ModelMeta, Facts),
    new: (&'static ModelMeta, Facts),
    rows: Vec<Row>,
}

impl Two {
    fn of(old: &'static ModelMeta, new: &'static ModelMeta) -> Self {
        let facts = |model| facts_of(&[model]).expect("one model");
        let (old, new) = ((old, facts(old)), (new, facts(new)));
        let rows = matrix(&old.1, &new.1);
        Two { old, new, rows }
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.rows.iter().map(|row| row.kind.name).collect()
    }

    fn executed(&self) -> Executed {
        Executed::of(&self.old.1, &self.new.1, &self.rows, &[self.new.0])
    }

    /// The answers of the programs for all documents, of old ones by the new program and the other way round.
    #[track_caller]
    fn assert_agreement(&self, name: &str) {
        let mut random = Random::of(name);
        let table = Table::of(&self.old.1[NAME]);
        let by_old: Vec<Document> = (0..DOCUMENTS)
            .map(|_| make_document(&table, &mut random))
            .collect();
        let new = Table::of(&self.new.1[NAME]);
        let by_new = (0..DOCUMENTS).map(|_| make_document(&new, &mut random));
        let written = by_new.filter_map(|document| read_linked(self.new.0, &document).ok()?);
        let is_vague = |refusal: &Refusal| VAGUE.contains(&plain_path(&refusal.path).as_str());
        let written = written.map(|document| (document, true));
        let by_old = by_old.into_iter().map(|document| (document, false));
        for (document, is_saved) in written.chain(by_old) {
            let (by_facts, by_program) =
                (read(&table, &document), read_linked(self.old.0, &document));
            if by_program.as_ref().is_err_and(is_vague) {
                continue;
            }
            let is_lost = |read: Read| match read {
                Ok(Some(saved)) if is_saved => Ok(find_lost_path(&new, &document, &saved)),
                Ok(_) => Ok(None),
                Err(refusal) => Err(plain_path(&refusal.path)),
            };
            assert_eq!(
                is_lost(by_facts.clone()),
                is_lost(by_program.clone()),
                "{name}: {document}: {by_facts:?}, {by_program:?}"
            );
        }
    }
}

/// Each pair: the fields of the old model and of the new one, and the kinds of change between them.
macro_rules! pairs {
    ($($name:ident: [$($kind:ident)*] $(($($option:tt)*))? { $($old:tt)* } => $(($($new_option:tt)*))? { $($new:tt)* })*) => {
        $(
            mod $name {
                use super::*;

                pub(super) mod old {
                    use super::*;

                    #[derive(Serialize, Deserialize, MongoModel)]
                    #[model(collection = "pairs" $(, $($option)*)?)]
                    pub(crate) struct A {
                        #[serde(rename = "_id")]
                        pub(crate) id: Id<A>,
                        $($old)*
                    }
                }

                pub(super) mod new {
                    use super::*;

                    #[derive(Serialize, Deserialize, MongoModel)]
                    #[model(collection = "pairs" $(, $($new_option)*)?)]
                    pub(crate) struct A {
                        #[serde(rename = "_id")]
                        pub(crate) id: Id<A>,
                        $($new)*
                    }
                }
            }
        )*

        fn all_pairs() -> Vec<(&'static str, Vec<&'static str>, Two)> {
            vec![$((
                stringify!($name),
                vec![$(kind::$kind.name),*],
                Two::of($name::old::A::meta(), $name::new::A::meta()),
            )),*]
        }
    };
}

/// A value of each type.
#[derive(Serialize, Deserialize, MongoEmbed)]
struct Types {
    text: String,
    letter: char,
    small: i8,
    natural: u64,
    flag: bool,
    float: f32,
    decimal: bson::Decimal128,
    at: bson::DateTime,
    reference: bson::oid::ObjectId,
    bytes: bson::Binary,
    uuid: bson::Uuid,
    stamp: bson::Timestamp,
    any: bson::Bson,
    free: Document,
    #[embed(max = 5)]
    map: BTreeMap<String, i64>,
    #[embed(max = 5)]
    set: BTreeSet<String>,
    #[embed(max = 5)]
    optional: Vec<Option<i32>>,
    #[embed(max = 5)]
    pairs: Vec<[f64; 2]>,
    shape: Shape,
    inner: Option<Line>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
enum Shape {
    Circle { radius: f64 },
    Nothing,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
enum Two2 {
    A,
    B,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
enum Three {
    A,
    B,
    C,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Line {
    sku: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
struct LineWithNumber {
    sku: String,
    number: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
struct LineWithNote {
    sku: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Version 1 had `first`.
fn rename_first(mut old: Document, _version: i32) -> Document {
    if let Some(first) = old.remove("first") {
        old.insert("name", first);
    }
    old
}

pairs! {
    added_left_out: [field_added] { n: i32 } => {
        n: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }
    added_beside_rest: [field_added] { n: i32, #[serde(flatten)] rest: Document } => {
        n: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        #[serde(flatten)]
        rest: Document,
    }
    added_with_default: [field_added] { n: i32 } => { n: i32, #[serde(default)] more: i64 }
    added_null: [field_added] { n: i32 } => { n: i32, note: Option<String> }
    added_to_types: [field_added] { all: Types } => { all: Types, #[serde(default)] more: Option<Types> }
    widened_map: [type_widened] { #[embed(max = 9)] n: BTreeMap<String, i32> } => { #[embed(max = 9)] n: BTreeMap<String, i64> }
    added_required: [field_added_required] { n: i32 } => { n: i32, name: String }
    removed: [field_removed] { n: i32, #[serde(default)] more: i64 } => { n: i32 }
    removed_required: [field_removed_required] { n: i32, name: String } => { n: i32 }
    renamed: [field_renamed] { n: i32 } => { #[serde(alias = "n")] m: i32 }
    renamed_optional: [field_renamed_optional] { n: Option<i32> } => { #[serde(alias = "n")] m: Option<i32> }
    renamed_prepared: [field_renamed_prepared] { #[serde(alias = "m")] n: i32 } => { #[serde(alias = "n")] m: i32 }
    alias: [alias_added] { n: i32 } => { #[serde(alias = "m")] n: i32 }
    no_alias: [alias_removed] { #[serde(alias = "m")] n: i32 } => { n: i32 }
    null: [made_optional] { n: i32 } => { n: Option<i32> }
    left_out: [made_optional] { n: i32 } => {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        n: Option<i32>,
    }
    defaulted: [made_optional] { n: i32 } => { #[serde(default)] n: i32 }
    not_null: [made_required] { n: Option<i32> } => { n: i32 }
    null_to_default: [made_required] { n: Option<i32> } => { #[serde(default)] n: i32 }
    not_left_out: [absence_changed] {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        n: Option<i32>,
    } => { n: Option<i32> }
    widened: [type_widened] { n: i32 } => { n: i64 }
    narrowed: [type_narrowed] { n: i64 } => { n: i32 }
    widened_in_array: [type_widened] { #[embed(max = 20)] n: Vec<i16> } => { #[embed(max = 20)] n: Vec<i32> }
    to_double: [type_to_double] { n: i64 } => { n: f64 }
    from_double: [type_from_double] { n: f64 } => { n: i64 }
    to_text: [type_changed] { n: i32 } => { n: String }
    to_array: [type_changed bound_lowered] { n: String } => { #[embed(max = 20)] n: Vec<String> }
    to_lines: [field_added_required field_removed_required type_changed bound_lowered] { line: Line } => { #[embed(max = 9)] line: Vec<Line> }
    date_to_text: [type_changed] { at: bson::DateTime } => { at: String }
    variant: [variant_added] { k: Two2 } => { k: Three }
    no_variant: [variant_removed] { k: Three } => { k: Two2 }
    variant_in_array: [variant_added] { #[embed(max = 9)] k: Vec<Two2> } => { #[embed(max = 9)] k: Vec<Three> }
    inner_added: [field_added] {
        #[embed(max = 9)]
        lines: Vec<Line>,
    } => {
        #[embed(max = 9)]
        lines: Vec<LineWithNote>,
    }
    inner_required: [field_added_required] {
        #[embed(max = 9)]
        lines: Vec<Line>,
    } => {
        #[embed(max = 9)]
        lines: Vec<LineWithNumber>,
    }
    inner_removed: [field_removed_required] { line: LineWithNumber } => { line: Line }
    higher_bound: [bound_raised] { #[model(max_len = 4)] n: String } => { #[model(max_len = 9)] n: String }
    lower_bound: [bound_lowered] { #[model(max_len = 9)] n: String } => { #[model(max_len = 4)] n: String }
    parts: [parts_added] { #[model(max_len = 9)] n: String } => { #[index(contains)] #[model(max_len = 9)] n: String }
    no_parts: [parts_removed] { #[index(contains)] #[model(max_len = 9)] n: String } => { #[model(max_len = 9)] n: String }
    other_parts: [parts_changed] { #[index(contains)] #[model(max_len = 9)] n: String } => { #[index(contains, min = 2)] #[model(max_len = 9)] n: String }
    check: [check_added] { n: i32 } => { #[check(range = 0..=5)] n: i32 }
    no_check: [check_removed] { #[check(range = 0..=5)] n: i32 } => { n: i32 }
    index: [index_added] { n: i32 } => { #[index] n: i32 }
    unique: [unique_added] { n: i32 } => { #[index(unique)] n: i32 }
    versioned: [schema_added] { n: i32 } => (schema_version = 1) { n: i32 }
    raised_alone: [schema_raised_without_migrate] (schema_version = 1) { n: i32 } => (schema_version = 2) { n: i32 }
    lowered: [schema_lowered_without_migrate] (schema_version = 2) { n: i32 } => (schema_version = 1) { n: i32 }
}

/// An enum model with these variants.
macro_rules! kinds {
    ($module:ident: $($(#[$attr:meta])* $variant:ident $(($fields:ident))?),*) => {
        mod $module {
            use super::*;

            #[derive(Serialize, Deserialize, MongoModel)]
            #[serde(tag = "kind")]
            #[model(collection = "pairs")]
            pub(crate) enum A {
                $($(#[$attr])* $variant $(($fields))?,)*
            }

            #[derive(Serialize, Deserialize, MongoEmbed)]
            pub(crate) struct Book {
                #[serde(rename = "_id")]
                pub(crate) id: bson::oid::ObjectId,
                pages: i32,
            }

            #[derive(Serialize, Deserialize, MongoEmbed)]
            pub(crate) struct Film {
                #[serde(rename = "_id")]
                pub(crate) id: bson::oid::ObjectId,
                minutes: i32,
            }
        }
    };
}

mod of_kinds {
    #![allow(dead_code, reason = "not every model has all variants")]

    use super::*;

    kinds! { books: Book(Book) }
    kinds! { films: Book(Book), Film(Film) }
    kinds! { books_and_others: Book(Book), #[serde(other)] Other }

    pub(super) fn all_pairs() -> Vec<(&'static str, Vec<&'static str>, Two)> {
        let (one, two, open) = (
            books::A::meta(),
            films::A::meta(),
            books_and_others::A::meta(),
        );
        vec![
            ("films", vec![kind::variant_added.name], Two::of(one, two)),
            (
                "no films",
                vec![kind::variant_removed.name],
                Two::of(two, one),
            ),
            (
                "others",
                vec![kind::others_allowed.name],
                Two::of(one, open),
            ),
            (
                "no others",
                vec![kind::others_refused.name],
                Two::of(open, one),
            ),
            (
                "films for others",
                vec![kind::variant_added_to_open.name, kind::others_refused.name],
                Two::of(open, two),
            ),
        ]
    }
}

mod migrated {
    use super::*;

    mod old {
        use super::*;

        #[derive(Serialize, Deserialize, MongoModel)]
        #[model(collection = "pairs", schema_version = 1)]
        pub(crate) struct A {
            #[serde(rename = "_id")]
            pub(crate) id: Id<A>,
            first: String,
        }
    }

    mod new {
        use super::*;

        #[derive(Serialize, Deserialize, MongoModel)]
        #[model(collection = "pairs", schema_version = 2, migrate = rename_first)]
        pub(crate) struct A {
            #[serde(rename = "_id")]
            pub(crate) id: Id<A>,
            name: String,
        }
    }

    pub(super) fn pair() -> (&'static str, Vec<&'static str>, Two) {
        let kinds = [
            kind::schema_raised,
            kind::field_added_required,
            kind::field_removed_required,
        ];
        let two = Two::of(old::A::meta(), new::A::meta());
        ("migrated", kinds.map(|kind| kind.name).to_vec(), two)
    }
}

fn every_pair() -> Vec<(&'static str, Vec<&'static str>, Two)> {
    let mut all = all_pairs();
    all.extend(of_kinds::all_pairs());
    all.push(migrated::pair());
    all
}

#[test]
fn the_programs_do_what_the_matrix_says() {
    let mut wrong = Vec::new();
    let pairs = every_pair();
    assert!(pairs.len() >= 45, "{} pairs", pairs.len());
    for (name, kinds, two) in pairs {
        let Executed {
            documents,
            contradictions,
            not_executed,
        } = two.executed();
        assert!(documents > DOCUMENTS, "{name}: {documents} documents");
        if two.kinds() != kinds || !contradictions.is_empty() || !not_executed.is_empty() {
            wrong.push((name, two.kinds(), contradictions, not_executed));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Claims that no document shows to be wrong: a program stores no other name of a field, no variant that it does not know, and
/// the value of a `#[serde(default)]` always.
const UNSEEN: [&str; 3] = ["no_alias", "no others", "defaulted"];

#[test]
fn a_wrong_claim_is_caught() {
    let mut missed = Vec::new();
    for (name, _, mut two) in every_pair() {
        let [row] = &mut two.rows[..] else { continue };
        if row.fact.starts_with('$') {
            continue;
        }
        let right = row.kind;
        let other = |reads| {
            if reads == Reads::Yes {
                Reads::No
            } else {
                Reads::Yes
            }
        };
        let wrong = [
            Kind {
                new_reads_old: other(right.new_reads_old),
                ..*right
            },
            Kind {
                old_reads_new: other(right.old_reads_new),
                ..*right
            },
        ];
        let questions = ["new reads old", "old reads new"];
        for (kind, question) in wrong.into_iter().zip(questions) {
            two.rows[0].kind = Box::leak(Box::new(kind));
            let found = two.executed().contradictions;
            let is_caught = found
                .iter()
                .any(|one| one.fact == two.rows[0].fact && one.claim.starts_with(question));
            if !is_caught {
                missed.push((name, question));
            }
        }
    }
    missed.retain(|(name, _)| !UNSEEN.contains(name));
    assert!(missed.is_empty(), "{missed:?}");
}

/// The pair whose old program keeps what it does not know.
const BESIDE_REST: &str = "added_beside_rest";

#[test]
fn a_save_that_loses_or_keeps_against_its_claim_is_caught() {
    for (name, _, mut two) in all_pairs() {
        if !name.starts_with("added_") || name == BESIDE_REST {
            continue;
        }
        let row = &mut two.rows[0];
        assert_eq!(row.old_save(), Save::Loses, "{name}");
        row.is_kept = true;
        let found = two.executed().contradictions;
        let [one] = &found[..] else {
            panic!("{name}: {found:?}")
        };
        assert_eq!(one.claim, "old save: keeps");
        let path = &two.rows[0].fact;
        assert_eq!(one.found, format!("`{path}` is gone"));
        assert!(one.shape.starts_with("{ _id: objectId, "), "{}", one.shape);
    }
    let pairs = all_pairs().into_iter();
    let mut rest = pairs.filter(|(name, ..)| *name == BESIDE_REST);
    let (name, _, mut two) = rest.next().expect("a pair");
    assert_eq!(two.rows[0].old_save(), Save::Keeps, "{name}");
    two.rows[0].is_kept = false;
    let found = two.executed().contradictions;
    let claims: Vec<&str> = found.iter().map(|one| one.claim.as_str()).collect();
    assert_eq!(claims, ["old save: loses"]);
}

#[test]
fn facts_read_as_their_program_reads() {
    for (name, _, two) in every_pair() {
        two.assert_agreement(name);
    }
}
