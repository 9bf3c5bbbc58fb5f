//! Rules for the items of a bucket and for the number of them.

use crate::__private::text::Text;
use crate::schema::lookup::same;
use crate::schema::relation::OnDelete;
use crate::schema::rows::{FieldRow, Kind};

/// The number of items is one that the server adds to.
#[track_caller]
pub const fn bucket_count(right: bool, owner: &'static str, ty: &'static str) {
    if right {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` is the number of a bucket's items, of type `")
        .push_str(ty)
        .push_str("` [BUCKET_COUNT]\nhelp: `i64`\nnote: every push and every removal adds to it on the server");
    panic!("{}", text.as_str());
}

/// An item has an `id` that distinguishes it from others, and nothing in it follows other documents.
#[track_caller]
pub const fn bucket_items(row: &FieldRow, owner: &'static str, item: &'static str) {
    if !row.facts.known {
        // Another check reports that the type cannot be stored.
        return;
    }
    let text = Text::<1024>::new().push_str("`").push_str(owner);
    let Some(shape) = row.shape else {
        let text = text
            .push_str("` holds the items of a bucket, and `")
            .push_str(item)
            .push_str("` is no embedded document [BUCKET_ITEMS]\nhelp: a struct with `#[derive(MongoEmbed)]` and a field `id`\nnote: an item that is sent twice is stored once: its `id` identifies it");
        panic!("{}", text.as_str());
    };
    let text = text
        .push_str("` holds the items of a bucket, and `")
        .push_str(item);
    let Some(id) = id_of(shape.fields) else {
        let text = text
            .push_str("` has no field `id` [BUCKET_ITEMS]\nhelp: add one: `pub id: ObjectId`\nnote: an item that is sent twice is stored once: its `id` identifies it");
        panic!("{}", text.as_str());
    };
    if id.nullable && !matches!(id.kind, Kind::Any) || matches!(id.kind, Kind::Array | Kind::Map) {
        let text = text
            .push_str("::id` is optional, or many values [BUCKET_ITEMS]\nhelp: one value that every item has: `pub id: ObjectId`\nnote: an item that is sent twice is stored once: its `id` identifies it");
        panic!("{}", text.as_str());
    }
    if row.facts.size.copies {
        let text = text
            .push_str("` holds copies of other documents [BUCKET_ITEMS]\nhelp: remove `#[denorm(..)]` from it: put the copy beside the items, or load what it refers to\nnote: a copy whose source is gone takes its element along, and the bucket's count would not know");
        panic!("{}", text.as_str());
    }
    if cascades(shape.fields) {
        let text = text
            .push_str("` holds a reference with `on_delete = cascade` [BUCKET_ITEMS]\nhelp: `on_delete = deny`, or `keep`\nnote: it would delete the whole bucket with all other items");
        panic!("{}", text.as_str());
    }
}

const fn id_of(fields: &'static [FieldRow]) -> Option<&'static FieldRow> {
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].rust, "id") {
            return Some(&fields[n]);
        }
        n += 1;
    }
    None
}

/// True if a reference among these fields deletes its document when its target is deleted.
const fn cascades(fields: &'static [FieldRow]) -> bool {
    let mut n = 0;
    while n < fields.len() {
        if let Some(relation) = fields[n].relation
            && matches!(relation.on_delete, OnDelete::Cascade)
        {
            return true;
        }
        if let Some(inner) = fields[n].shape
            && fields[n].relation.is_none()
            && cascades(inner.fields)
        {
            return true;
        }
        n += 1;
    }
    false
}

/// Items that do not fit into an array go to buckets of the model, which hold the same items. `flag` is true if the field beside it is a
/// `bool`.
#[track_caller]
pub const fn overflow(
    [of, holds, flag]: [bool; 3],
    owner: &'static str,
    extra: &'static str,
    model: &'static str,
    item: &'static str,
) {
    if of && holds && flag {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` overflows into `")
        .push_str(extra);
    let text = if !flag {
        text.push_str("`, and `has_extras` beside it is no `bool` [OUTLIER_FLAG]\nhelp: `pub has_extras: bool`\nnote: readers ask for the other documents only where it is true")
    } else if !of {
        text.push_str("`, which is no bucket of `")
            .push_str(model)
            .push_str(
                "` [OUTLIER_FLAG]\nhelp: `#[model(collection = \"..\", bucket(items))] struct ",
            )
            .push_str(extra)
            .push_str(" { #[serde(rename = \"_id\")] id: BucketId<")
            .push_str(model)
            .push_str(">, #[parent(")
            .push_str(model)
            .push_str(")] of: Id<")
            .push_str(model)
            .push_str(">, count: i64, #[embed(max = 50)] items: Vec<")
            .push_str(item)
            .push_str(
                "> }`\nnote: what does not fit goes to buckets, in which each item is stored once",
            )
    } else {
        text.push_str("`, whose items are not `")
            .push_str(item)
            .push_str("` [OUTLIER_FLAG]\nhelp: `#[embed(max = 50)] items: Vec<")
            .push_str(item)
            .push_str(">` in `")
            .push_str(extra)
            .push_str("`\nnote: an item is stored in the one or the other")
    };
    panic!("{}", text.as_str());
}
