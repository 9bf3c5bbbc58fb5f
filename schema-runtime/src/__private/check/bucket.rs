//! Rules for the items of a bucket and for the number of them.

use crate::__private::text::{refuse, say};
use crate::schema::lookup::same;
use crate::schema::relation::OnDelete;
use crate::schema::rows::{FieldRow, Kind};

/// The number of items is one that the server adds to.
#[track_caller]
pub const fn bucket_count(right: bool, owner: &'static str, ty: &'static str) {
    if right {
        return;
    }
    refuse!(
        "`{owner}` is the number of a bucket's items, of type `{ty}` [BUCKET_COUNT]\n\
         help: `i64`\n\
         note: every push and every removal adds to it on the server";
        owner, ty
    );
}

/// An item has an `id` that distinguishes it from others, and nothing in it follows other documents.
#[track_caller]
pub const fn bucket_items(row: &FieldRow, owner: &'static str, item: &'static str) {
    if !row.facts.known {
        // Another check reports that the type cannot be stored.
        return;
    }
    let text = say!("`{owner}"; owner);
    let Some(shape) = row.shape else {
        refuse!(
            text => "` holds the items of a bucket, and `{item}` is no embedded document [BUCKET_ITEMS]\n\
             help: a struct with `#[derive(MongoEmbed)]` and a field `id`\n\
             note: an item that is sent twice is stored once: its `id` identifies it";
            item
        );
    };
    let text = say!(text => "` holds the items of a bucket, and `{item}"; item);
    let Some(id) = id_of(shape.fields) else {
        refuse!(
            text => "` has no field `id` [BUCKET_ITEMS]\n\
             help: add one: `pub id: ObjectId`\n\
             note: an item that is sent twice is stored once: its `id` identifies it"
        );
    };
    if id.nullable && !matches!(id.kind, Kind::Any) || matches!(id.kind, Kind::Array | Kind::Map) {
        refuse!(
            text => "::id` is optional, or many values [BUCKET_ITEMS]\n\
             help: one value that every item has: `pub id: ObjectId`\n\
             note: an item that is sent twice is stored once: its `id` identifies it"
        );
    }
    if row.facts.size.copies {
        refuse!(
            text => "` holds copies of other documents [BUCKET_ITEMS]\n\
             help: remove `#[denorm(..)]` from it: put the copy beside the items, or load what it refers to\n\
             note: a copy whose source is gone takes its element along, and the bucket's count would not know"
        );
    }
    if cascades(shape.fields) {
        refuse!(
            text => "` holds a reference with `on_delete = cascade` [BUCKET_ITEMS]\n\
             help: `on_delete = deny`, or `keep`\n\
             note: it would delete the whole bucket with all other items"
        );
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
    let text = say!("`{owner}` overflows into `{extra}"; owner, extra);
    let text = if !flag {
        say!(
            text => "`, and `has_extras` beside it is no `bool` [OUTLIER_FLAG]\n\
             help: `pub has_extras: bool`\n\
             note: readers ask for the other documents only where it is true"
        )
    } else if !of {
        say!(
            text => "`, which is no bucket of `{model}` [OUTLIER_FLAG]\n\
             help: `#[model(collection = \"..\", bucket(items))] struct {extra} {{ #[serde(rename = \"_id\")] id: BucketId<{model}>, #[parent({model})] of: Id<{model}>, count: i64, #[embed(max = 50)] items: Vec<{item}> }}`\n\
             note: what does not fit goes to buckets, in which each item is stored once";
            model, extra, item
        )
    } else {
        say!(
            text => "`, whose items are not `{item}` [OUTLIER_FLAG]\n\
             help: `#[embed(max = 50)] items: Vec<{item}>` in `{extra}`\n\
             note: an item is stored in the one or the other";
            item, extra
        )
    };
    panic!("{}", text.as_str());
}
