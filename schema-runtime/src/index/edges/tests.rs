use super::*;
use crate::schema::model::ModelMeta;
use crate::schema::relation::{Level, RelationRow};
use crate::schema::rows::{CopyRow, FieldRow, Kind, Shape};
use crate::schema::value::Facts;

const fn row(rust: &'static str, name: &'static str) -> FieldRow {
    FieldRow::new(rust, name, Kind::String, false, None, Facts::UNKNOWN)
}

const fn model(collection: &'static str, shape: &'static Shape) -> ModelMeta {
    ModelMeta::new("Model", collection, shape)
}

const fn shape(fields: &'static [FieldRow]) -> Shape {
    Shape {
        name: "Model",
        fields,
    }
}

const fn copy(field: &'static str, snapshot: bool) -> CopyRow {
    CopyRow {
        source: || &HOST,
        field,
        via: "host",
        snapshot,
        level: Level::Eventual,
    }
}

static HOST_SHAPE: Shape = shape(&[row("id", "_id"), row("name", "name"), row("ip", "ipaddr")]);
static HOST: ModelMeta = model("hosts", &HOST_SHAPE);
static REFERENCE: RelationRow = RelationRow::one(|| &HOST);
static NAME: CopyRow = copy("name", false);
static IP: CopyRow = copy("ip", false);
static OLD_IP: CopyRow = copy("ip", true);

const REFERS: FieldRow = row("host", "host").relation(&REFERENCE);
const COPIED_NAME: FieldRow = row("host_name", "host_name").copy(&NAME);
const COPIED_IP: FieldRow = row("ip", "ip").copy(&IP);

/// The name of the index of hosts, where these are the fields of the model that copies from them.
fn named(fields: &'static [FieldRow]) -> String {
    let shape: &'static Shape = Box::leak(Box::new(shape(fields)));
    let log: &'static ModelMeta = Box::leak(Box::new(model("logmsg", shape)));
    name(&Edges::among(&[&HOST, log]), "hosts")
}

#[test]
fn the_name_says_what_is_copied_and_where_to() {
    let one = named(const { &[REFERS, COPIED_NAME] });
    let hashes = one.strip_prefix(PENDING_INDEX_PREFIX).expect("a prefix");
    assert_eq!(hashes.len(), 16, "the reference and the copy: {one}");
    let others = [
        named(const { &[REFERS, COPIED_IP] }),
        named(const { &[REFERS, COPIED_NAME, COPIED_IP] }),
        named(const { &[REFERS, row("renamed", "renamed").copy(&NAME)] }),
        named(const { &[row("host", "h").relation(&REFERENCE), COPIED_NAME] }),
    ];
    for other in others {
        assert_ne!(one, other);
    }
}

#[test]
fn the_order_of_fields_and_frozen_copies_do_not_matter() {
    let one = named(const { &[REFERS, COPIED_NAME, COPIED_IP] });
    assert_eq!(one, named(const { &[COPIED_IP, COPIED_NAME, REFERS] }));
    assert_eq!(
        named(const { &[REFERS, COPIED_NAME] }),
        named(const { &[REFERS, COPIED_NAME, row("old_ip", "old_ip").copy(&OLD_IP)] })
    );
}

#[test]
fn a_program_that_lacks_some_copies_of_a_reference_knows_fewer() {
    let fields: &'static [FieldRow] = const { &[REFERS, COPIED_NAME, COPIED_IP] };
    let shape: &'static Shape = Box::leak(Box::new(shape(fields)));
    let log: &'static ModelMeta = Box::leak(Box::new(model("logmsg", shape)));
    let both = hashes(&Edges::among(&[&HOST, log]), "hosts");
    for fewer in [
        named(const { &[REFERS, COPIED_NAME] }),
        named(const { &[REFERS, COPIED_IP] }),
        PENDING_INDEX_PREFIX.to_owned(),
    ] {
        assert!(knows_fewer(&fewer, &both), "{fewer}");
    }
    for other in [
        named(const { &[REFERS, row("renamed", "renamed").copy(&NAME)] }),
        named(const { &[row("host", "h").relation(&REFERENCE), COPIED_NAME] }),
        format!("{PENDING_INDEX_PREFIX}a80af882"),
        format!("{PENDING_INDEX_PREFIX}a80a"),
        "flags".to_owned(),
    ] {
        assert!(!knows_fewer(&other, &both), "{other}");
    }
}
