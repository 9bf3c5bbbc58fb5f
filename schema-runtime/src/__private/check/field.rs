//! Rules 4.A, 4.B and 4.F on one field's type.

use crate::__private::text::{refuse, say};
use crate::schema::lookup::same;
use crate::schema::relation::Holds;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::{Cardinality, SerdePitfall, Size, UNBOUNDED, array_bytes};

const DOC_MAX: u64 = 16 * 1024 * 1024;
const NESTED_MAX: u64 = 10_000;
const DEPTH_MAX: u64 = 100;

/// Overrides, as bits, so that an expansion states them in one number.
pub mod allow {
    /// `allow(embed_unbounded)`, `allow(array_unbounded)` or `allow(embed_map)`
    pub const UNBOUNDED: u32 = 1;
    /// `allow(embed_standalone)`
    pub const STANDALONE: u32 = 2;
    /// `allow(embed_nested_product)`
    pub const NESTED: u32 = 4;
    /// `allow(embed_option_vec)`
    pub const OPTION_VEC: u32 = 8;
    /// `allow(date_as_string)`
    pub const DATE: u32 = 16;
    /// `allow(uuid_generic)`
    pub const UUID: u32 = 32;
    /// `allow(denorm_hot)`
    pub const HOT: u32 = 64;
    /// `allow(idx_unique_array)`
    pub const UNIQUE_ARRAY: u32 = 128;
    /// `allow(bytes_as_array)`
    pub const BYTES: u32 = 256;
    /// `allow(count_ttl)`
    pub const COUNT_TTL: u32 = 512;
    /// `allow(decimal_as_string)`
    pub const DECIMAL: u32 = 1024;
}

const fn has(allowed: u32, bit: u32) -> bool {
    allowed & bit != 0
}

/// The name of the document type in a field, for a message.
const fn shape_name(row: &FieldRow) -> &'static str {
    match row.shape {
        Some(shape) => shape.name,
        None => "it",
    }
}

/// Fields of types that hold one value and that everyone knows, by their numbers. None of them can break a rule, unless the
/// user's own type has that name.
#[track_caller]
pub const fn plain(fields: &[FieldRow], asked: &[(usize, &'static str, &'static str)]) {
    let mut n = 0;
    while n < asked.len() {
        let (place, owner, ty) = asked[n];
        field(&fields[place], owner, ty, ty, false, 0);
        n += 1;
    }
}

/// All rules about one field. `owner` is `Product::parts`, `ty` its type as written, `leaf` what is inside all arrays and
/// options, which is `foreign` where no derive can be put on it.
#[track_caller]
pub const fn field(
    row: &FieldRow,
    owner: &'static str,
    ty: &'static str,
    leaf: &'static str,
    foreign: bool,
    allowed: u32,
) {
    let facts = &row.facts;
    if !facts.known {
        value(owner, ty, leaf, foreign);
    }
    match facts.trap {
        SerdePitfall::Date if !has(allowed, allow::DATE) => date(owner),
        SerdePitfall::Decimal if !has(allowed, allow::DECIMAL) => decimal(owner),
        SerdePitfall::Uuid if !has(allowed, allow::UUID) => uuid(owner),
        SerdePitfall::Bytes if !has(allowed, allow::BYTES) => bytes(owner),
        _ => {}
    }
    if matches!(facts.card, Cardinality::Map) && !facts.map_keys_ok {
        map_key(owner);
    }
    if matches!(facts.card, Cardinality::Map) && has_checked(row.shape) {
        super::relation::checked_in_map(owner);
    }
    super::relation::pulled_from_fixed(row, owner);
    let referred = row.relation.is_some();
    let many = matches!(facts.card, Cardinality::Array | Cardinality::Map);
    if row.max > 0 {
        bounded(row, owner, allowed);
    } else if referred {
        if many {
            super::relation::parent_field_type(owner);
        }
    } else if matches!(facts.elem_card, Cardinality::Standalone) && !has(allowed, allow::STANDALONE)
    {
        // In an array too: a bound would not make it right.
        standalone(owner, shape_name(row));
    } else if !has(allowed, allow::UNBOUNDED) {
        match facts.card {
            Cardinality::Map => map(owner),
            Cardinality::Array => unbounded(row, owner),
            _ => {}
        }
    }
    length(row, owner);
    super::values::checks(row, owner);
    super::index::index_inside(row, owner, has(allowed, allow::UNIQUE_ARRAY));
    if facts.size.depth >= DEPTH_MAX {
        depth(owner, facts.size.depth + 1);
    }
    if facts.size.copies && facts.size.copy_arrays > 2 {
        copies_too_deep(owner, facts.size.copy_arrays);
    }
}

/// True if an embedded document of this shape has a reference that writes must check.
const fn has_checked(shape: Option<&'static Shape>) -> bool {
    let Some(shape) = shape else { return false };
    let mut n = 0;
    while n < shape.fields.len() {
        let row = &shape.fields[n];
        match row.relation {
            Some(relation) if relation.must_be_checked => return true,
            Some(_) => {}
            None if has_checked(row.shape) => return true,
            None => {}
        }
        n += 1;
    }
    false
}

#[track_caller]
const fn bounded(row: &FieldRow, owner: &'static str, allowed: u32) {
    let (facts, max) = (&row.facts, row.max);
    let referred = row.relation.is_some();
    if let Some(relation) = row.relation
        && matches!(facts.card, Cardinality::Map)
        && matches!(relation.holds, Holds::Ids)
    {
        super::relation::hidden_map(owner);
    }
    if matches!(facts.card, Cardinality::One | Cardinality::Standalone) {
        // Skip types of an unknown kind: they have their own message.
        if !matches!(row.kind, Kind::Array | Kind::Map | Kind::Any) {
            if referred {
                super::relation::refs_field_type(owner);
            }
            not_an_array(owner);
        }
        return;
    }
    // Skip references: if one holds something other than ids, the check of its target reports it.
    let standing = matches!(facts.elem_card, Cardinality::Standalone) && !referred;
    if standing && !has(allowed, allow::STANDALONE) {
        standalone(owner, shape_name(row));
    }
    if matches!(facts.elem_card, Cardinality::Array) && !has(allowed, allow::UNBOUNDED) {
        unbounded_inside(owner);
    }
    if row.nullable && matches!(facts.card, Cardinality::Array) && !has(allowed, allow::OPTION_VEC)
    {
        option_vec(owner);
    }
    let each = facts.elem_elems;
    if each > 0 && max.saturating_mul(each) > NESTED_MAX && !has(allowed, allow::NESTED) {
        nested(owner, max, each);
    }
    let bytes = array_bytes(max, facts.elem_worst);
    if bytes > DOC_MAX {
        too_big(owner, max, bytes);
    }
}

/// A length is that of a string or of binary, and fits a document.
#[track_caller]
const fn length(row: &FieldRow, owner: &'static str) {
    if row.max_len == 0 {
        return;
    }
    if !matches!(row.facts.elem_kind, Kind::String | Kind::Binary | Kind::Any) {
        refuse!(
            "`max_len` on `{owner}` has no meaning: the field holds neither strings nor binary [ATTR_PLACE]\n\
             help: how many elements an array has: `#[embed(max = 20)]`\n\
             help: strings inside of a document: `max_len` on its own fields";
            owner
        );
    }
    let most = row.most();
    if most != UNBOUNDED && most > DOC_MAX {
        refuse!(
            "`{owner}` may need {most} bytes; a document holds at most 16 777 216 [EMBED_TOO_BIG]\n\
             help: lower `max_len`, or keep the content elsewhere (GridFS, an object store) and its address here\n\
             note: a character has up to 4 bytes";
            owner, most: Grouped
        );
    }
}

#[track_caller]
const fn value(owner: &'static str, ty: &'static str, leaf: &'static str, foreign: bool) {
    let mut text = say!(
        "`{owner}` of type `{ty}` is not one that a document can hold [VALUE_TYPE]";
        owner, ty
    );
    if same(leaf, "str") {
        text = say!(
            text => "\n\
             help: a field holds its text: `String`"
        );
    } else if !foreign {
        text = say!(
            text => "\n\
             help: an embedded document: add `#[derive(MongoEmbed)]` to `{leaf}`";
            leaf
        );
    }
    text = say!(
        text => "\n\
         help: a type of another crate: add `#[model(opaque)]` to the field\n\
         note: an opaque value is stored as serde stores it, unchecked"
    );
    panic!("{}", text.as_str());
}

/// The field that is stored as `_id`.
#[track_caller]
pub const fn id(row: &FieldRow, owner: &'static str) {
    let (rule, note) = if matches!(row.kind, Kind::Any) {
        return;
    } else if row.nullable {
        (
            "` is the `_id` and may be `None` [ID_OPTION]\nhelp: make it before the document is inserted",
            "\nnote: the first insert stores `_id: null`, the second is a duplicate key (error 11000)",
        )
    } else if matches!(row.kind, Kind::Array) {
        (
            "` is the `_id`, which cannot be an array [ID_TYPE]\nhelp: an id with several parts is an embedded document: a struct with `#[derive(MongoEmbed)]`",
            "\nnote: the server refuses the insert (error 53)",
        )
    } else {
        return;
    };
    refuse!("`{owner}{rule}{note}"; owner, rule, note);
}

/// The rules about a whole document: its fields together.
#[track_caller]
pub const fn document(
    fields: &[FieldRow],
    asked: &[(usize, &'static str, &'static str)],
    owner: &'static str,
) {
    plain(fields, asked);
    let size = Size::of(fields, 0, fields.len());
    let mut n = 0;
    while n < fields.len() {
        if fields[n].max > 0 && array_bytes(fields[n].max, fields[n].facts.elem_worst) > DOC_MAX {
            // The check of that field reports the error.
            return;
        }
        n += 1;
    }
    if size.worst > DOC_MAX {
        refuse!(
            "a full `{owner}` needs at least {worst} bytes; a document holds at most 16 777 216 [EMBED_TOO_BIG]\n\
             help: lower the bounds of its arrays, or move one of them into a collection with `#[parent({owner})]`\n\
             note: counted with every array full and every string empty";
            owner, worst: Grouped = size.worst
        );
    }
    if size.most != UNBOUNDED && size.most > DOC_MAX {
        let mut n = 0;
        while n < fields.len() {
            if fields[n].max_len > 0 && fields[n].most() > DOC_MAX {
                // The check of that field reports the error.
                return;
            }
            n += 1;
        }
        refuse!(
            "the largest `{owner}` that its bounds allow has {most} bytes; a document holds at most 16 777 216 [EMBED_TOO_BIG]\n\
             help: lower `max` of its arrays or `max_len` of its strings, or move an array into a collection with `#[parent({owner})]`\n\
             note: counted with every array and every string full, 4 bytes for a character";
            owner, most: Grouped = size.most
        );
    }
}

#[track_caller]
const fn unbounded(row: &FieldRow, owner: &'static str) {
    if row.shape.is_some() {
        let element = shape_name(row);
        refuse!(
            "`{owner}` embeds `{element}` documents without an upper bound [EMBED_UNBOUNDED]\n\
             help: if there are only a few, state the bound: `#[embed(max = 20)]`\n\
             help: if there may be thousands, give `{element}` a collection and reference it: `#[refs({element})]`\n\
             help: if there may be squillions, point the other way: `#[parent(..)]` in `{element}`\n\
             note: arrays must not grow without bound (rule of thumb 3): a push costs 2.4 ms at 200 elements, 40 ms at 20 000, and a document holds 16 MiB";
            owner, element
        );
    }
    refuse!(
        "`{owner}` is an array without an upper bound [ARRAY_UNBOUNDED]\n\
         help: state the bound: `#[embed(max = 50)]`\n\
         help: ids of another model: `#[refs(Model)]`\n\
         note: arrays must not grow without bound (rule of thumb 3); Compass reports 250 entries, Atlas 10 000";
        owner
    );
}

#[track_caller]
const fn unbounded_inside(owner: &'static str) {
    refuse!(
        "`{owner}` is an array of arrays, and only the outer one has a bound [ARRAY_UNBOUNDED]\n\
         help: make the inner array a field of an embedded document, with a bound of its own\n\
         note: arrays must not grow without bound (rule of thumb 3)";
        owner
    );
}

#[track_caller]
const fn map(owner: &'static str) {
    refuse!(
        "`{owner}` is a map without an upper bound [EMBED_MAP]\n\
         help: state the bound: `#[embed(max = 50)]`\n\
         help: or use the attribute pattern, which can be indexed: an array of `{{ k, v }}` documents\n\
         note: keys that are data grow without bound and cannot be indexed (rule of thumb 3)";
        owner
    );
}

#[track_caller]
const fn map_key(owner: &'static str) {
    refuse!(
        "the keys of `{owner}` are not stored as strings [MAP_KEY_TYPE]\n\
         help: use `String` keys, `Id<T>` for an ObjectId, or an array of documents with a field `key`\n\
         note: the keys of a BSON document are strings; the encoder refuses others";
        owner
    );
}

#[track_caller]
const fn standalone(owner: &'static str, model: &'static str) {
    refuse!(
        "`{owner}` embeds `{model}`, which is a model with a collection of its own [EMBED_STANDALONE]\n\
         help: reference it: `#[parent({model})]` on an `Id<{model}>`, or `#[refs({model})]` on a `Vec<Id<{model}>>`\n\
         help: to show some of its fields here, copy them: `#[denorm(from = {model}, field = ..)]`\n\
         note: needing to access an object on its own is a compelling reason not to embed it (rule of thumb 2)";
        owner, model
    );
}

#[track_caller]
const fn option_vec(owner: &'static str) {
    refuse!(
        "`{owner}` is stored as null when it is `None`, and a push to null fails [EMBED_OPTION_VEC]\n\
         help: take the array itself, with `#[serde(default)]`: an absent array reads as an empty one\n\
         note: `$push` on null is error 2";
        owner
    );
}

#[track_caller]
const fn nested(owner: &'static str, max: u64, each: u64) {
    refuse!(
        "`{owner}` may hold {bytes} nested elements ({max} x {each}), over the limit of 10 000 [EMBED_NESTED_PRODUCT]\n\
         help: lower one of the bounds, or move the inner array into a collection of its own with `#[parent(..)]`\n\
         note: bounds of nested arrays multiply (rule of thumb 3)";
        owner, bytes: Grouped = max.saturating_mul(each), max: Grouped, each: Grouped
    );
}

#[track_caller]
const fn too_big(owner: &'static str, max: u64, bytes: u64) {
    refuse!(
        "`{owner}` with {max} elements needs at least {bytes} bytes; a document holds at most 16 777 216 [EMBED_TOO_BIG]\n\
         help: lower the bound, or move the elements into a collection of their own with `#[parent(..)]`\n\
         note: counted with every array full and every string empty";
        owner, max: Grouped, bytes: Grouped
    );
}

#[track_caller]
const fn depth(owner: &'static str, levels: u64) {
    refuse!(
        "`{owner}` nests {levels} levels deep, over the limit of 100 [EMBED_DEPTH]\n\
         help: flatten it, or move a level into its own collection with `#[parent(..)]`\n\
         note: each document and each array adds a level; the server refuses what is deeper (error 15)";
        owner, levels: Grouped
    );
}

#[track_caller]
const fn copies_too_deep(owner: &'static str, levels: u64) {
    let where_ = if levels >= 100 {
        "` holds copies under a map or in an array of arrays"
    } else {
        "` holds copies more than two arrays deep"
    };
    refuse!(
        "`{owner}{where_}, where no update can find them by id [DENORM_PATH_NESTED]\n\
         help: move the references up, or into a collection of their own\n\
         note: propagation matches a copy with one array filter per array, for at most two";
        owner, where_
    );
}

#[track_caller]
const fn not_an_array(owner: &'static str) {
    refuse!(
        "`max` on `{owner}` has no meaning: the field is not an array, set or map [ATTR_PLACE]\n\
         help: remove the attribute: a single embedded document needs none\n\
         note: embedding is the default (rule of thumb 1)";
        owner
    );
}

#[track_caller]
const fn date(owner: &'static str) {
    refuse!(
        "`{owner}` is a date that would not be stored as a BSON date [DATE_AS_STRING]\n\
         help: use `bson::DateTime`, or one of `bson::serde_helpers::datetime` in `#[serde(with = \"..\")]`\n\
         note: other forms sort by text, never expire and are invisible to date operators";
        owner
    );
}

#[track_caller]
const fn bytes(owner: &'static str) {
    refuse!(
        "`{owner}` holds bytes that are stored as an array of integers [BYTES_AS_ARRAY]\n\
         help: use `bson::Binary`\n\
         help: if these are numbers rather than bytes, say so in the type: `i32` instead of `u8`\n\
         note: each byte would take 7 bytes or more";
        owner
    );
}

#[track_caller]
const fn decimal(owner: &'static str) {
    refuse!(
        "`{owner}` is a `rust_decimal::Decimal`, which is stored as a string [DECIMAL_AS_STRING]\n\
         help: use `bson::Decimal128`, or `#[serde(with = \"mongo_model::decimal\")]`\n\
         note: the server compares strings by their letters: \"9.50\" is greater than \"10.00\" in a range, a sort, `min` and `max`";
        owner
    );
}

#[track_caller]
const fn uuid(owner: &'static str) {
    refuse!(
        "`{owner}` is a `uuid::Uuid`, which has two stored forms [UUID_GENERIC]\n\
         help: use `bson::Uuid`, or `#[serde(with = \"bson::serde_helpers::uuid_1::AsBinary\")]`\n\
         note: inserts write binary subtype 0, the shell and other drivers write subtype 4";
        owner
    );
}
