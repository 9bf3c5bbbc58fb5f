//! Messages of the rules on documents, types and names (RULES 4.F).

mod serde;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{LitStr, Type};

pub(crate) use self::serde::*;
use super::{Diag, type_text};
use crate::rules;
use crate::syntax::stored::OWN_COLLECTIONS;
use crate::syntax::{Field, Item, Variant, stored};
use crate::types::{self, Date};

pub(crate) fn id_missing(ident: &Ident, meant: Option<&Field>) -> Diag {
    let diag = Diag::new(
        ident,
        &rules::ID_MISSING,
        format!("model `{ident}` has no field that is stored as `_id`"),
    );
    let diag = match meant {
        Some(field) if field.serde.skip.is_some() => diag.help(format!(
            "store it: remove the `skip` from `{}`, and add `#[serde(rename = \"_id\")]`",
            field.owner
        )),
        Some(field) => diag.help(format!(
            "`#[serde(rename = \"_id\")] {}: {}`",
            field.ident,
            type_text(&field.ty)
        )),
        None => diag.help(format!("`#[serde(rename = \"_id\")] id: Id<{ident}>`")),
    };
    match meant.filter(|field| field.serde.skip.is_none()) {
        Some(field) => diag.note(format!(
            "`{}` is stored as `{}`; the server then adds an `_id` that your code never sees",
            field.owner, field.serde.name
        )),
        None => diag.note("the server would add an `_id` that your code never sees"),
    }
}

pub(crate) fn id_option(field: &Field) -> Diag {
    let inner = types::option_inner(&field.ty).unwrap_or(&field.ty);
    let diag = Diag::new(
        &field.ty,
        &rules::ID_OPTION,
        format!("`{}` is the `_id` and may be `None`", field.owner),
    )
    .help(format!(
        "`{}: {}`, made before the document is inserted",
        field.ident,
        type_text(inner)
    ));
    if field.serde.skip_if.is_some() {
        diag.note("left out, it is made up by the driver: inserting the same value again stores a second document")
    } else {
        diag.note(
            "the first insert stores `_id: null`, the second is a duplicate key (error 11000)",
        )
    }
}

pub(crate) fn id_type(span: &Type, owner: &str) -> Diag {
    let array = types::stored_as_array(span);
    let what = if array {
        "an array"
    } else {
        "a regular expression"
    };
    let diag = Diag::new(
        span,
        &rules::ID_TYPE,
        format!(
            "`{owner}` of type `{}` is the `_id`, which cannot be {what}",
            type_text(span)
        ),
    );
    let diag = match types::bytes(span) {
        Some(_) => diag.help("bytes: `bson::Binary`"),
        None if array => diag.help("an id with several parts is an embedded document: a struct with `#[derive(MongoEmbed)]`"),
        None => diag.help("`String`"),
    };
    diag.note("the server refuses the insert (error 53)")
}

pub(crate) fn int_range(field: &Field) -> Diag {
    let (span, leaf) = (&field.ty, types::leaf(&field.ty));
    Diag::new(
        span,
        &rules::INT_RANGE,
        format!(
            "`{}` of type `{}` does not fit a stored integer",
            field.owner,
            type_text(span)
        ),
    )
    .help(declared(field, &instead(span, leaf, "i64")))
    .help(format!(
        "for up to 34 digits: {}",
        declared(field, &instead(span, leaf, "bson::Decimal128"))
    ))
    .note("BSON integers have 32 or 64 bits")
}

pub(crate) fn bytes_as_array(field: &Field, bytes: &Type) -> Diag {
    Diag::new(
        &field.ty,
        &rules::BYTES_AS_ARRAY,
        format!(
            "`{}` of type `{}` is stored as an array of integers",
            field.owner,
            type_text(&field.ty)
        ),
    )
    .help(declared(field, &instead(&field.ty, bytes, "bson::Binary")))
    .help("if these are numbers rather than bytes, say so in the type: `i32` instead of `u8`")
    .note("each byte would take 7 bytes or more")
}

pub(crate) fn uuid_generic(field: &Field) -> Diag {
    let leaf = types::leaf(&field.ty);
    let diag = Diag::new(
        &field.ty,
        &rules::UUID_GENERIC,
        format!(
            "`{}` of type `{}` is stored in a form that no BSON tool knows as a uuid",
            field.owner,
            type_text(&field.ty)
        ),
    )
    .help(declared(field, &instead(&field.ty, leaf, "bson::Uuid")));
    with_helper(diag, field, leaf, "bson::serde_helpers::uuid_1::AsBinary", "uuid-1")
        .note("inserts write it as binary of the generic subtype 0, other ways of encoding it as a string: they never match")
}

pub(crate) fn decimal_as_string(field: &Field) -> Diag {
    let leaf = types::leaf(&field.ty);
    let diag = Diag::new(
        &field.ty,
        &rules::DECIMAL_AS_STRING,
        format!(
            "`{}` of type `{}` is stored as a string",
            field.owner,
            type_text(&field.ty)
        ),
    )
    .help(declared(
        field,
        &instead(&field.ty, leaf, "bson::Decimal128"),
    ));
    let (ty, leaf) = (type_text(&field.ty), type_text(leaf));
    let helper = if ty == leaf {
        Some("mongo_model::decimal")
    } else if ty == format!("Option<{leaf}>") {
        Some("mongo_model::decimal::option")
    } else {
        None
    };
    match helper {
        Some(helper) => diag.help(format!(
            "or keep the type: `#[serde(with = \"{helper}\")]`"
        )),
        None => diag,
    }
    .note("the server compares strings by their letters: \"9.50\" is greater than \"10.00\" in a range, a sort, `min` and `max`")
}

pub(crate) fn date_as_string(field: &Field, date: Date) -> Diag {
    let form = match date {
        Date::ChronoUtc | Date::ChronoZone | Date::Naive | Date::JiffTimestamp | Date::Jiff => {
            "a string"
        }
        Date::Offset => "an array of nine integers",
        Date::Time => "an array of integers",
        Date::System | Date::Duration => "a document or an array of two numbers",
    };
    let leaf = types::leaf(&field.ty);
    let owner = format!("`{}` of type `{}`", field.owner, type_text(&field.ty));
    if date == Date::Duration {
        return Diag::new(
            &field.ty,
            &rules::DATE_AS_STRING,
            format!("{owner} is not stored as one number"),
        )
        .help(format!(
            "{}, in milliseconds",
            declared(field, &instead(&field.ty, leaf, "i64"))
        ))
        .note(format!(
            "it is stored as {form}, which neither compares nor sums up as a duration"
        ));
    }
    let diag = Diag::new(
        &field.ty,
        &rules::DATE_AS_STRING,
        format!("{owner} is stored as {form}, not as a date"),
    )
    .help(declared(field, &instead(&field.ty, leaf, "bson::DateTime")));
    let helpers = "bson::serde_helpers::datetime";
    let diag = match date {
        Date::ChronoUtc => with_helper(diag, field, leaf, &format!("{helpers}::FromChrono04DateTime"), "chrono-0_4"),
        Date::ChronoZone => diag.help(format!(
            "or `{}`, with `#[serde(with = \"{helpers}::FromChrono04DateTime\")]` (feature `chrono-0_4` of `bson`): a date has no time zone",
            instead(&field.ty, leaf, "chrono::DateTime<chrono::Utc>")
        )),
        Date::Offset => with_helper(diag, field, leaf, &format!("{helpers}::FromTime03OffsetDateTime"), "time-0_3"),
        Date::JiffTimestamp => with_helper(diag, field, leaf, &format!("{helpers}::FromJiff02Timestamp"), "jiff-0_2"),
        Date::Naive | Date::Jiff | Date::Time => {
            diag.help("to keep it: `#[model(allow(date_as_string, reason = \"never compared, expired or computed with\"))]`")
        }
        Date::System | Date::Duration => diag,
    };
    diag.note(
        "only a BSON date is ordered by time, expires, and can be computed with in the database",
    )
}

/// `at: bson::DateTime`; of an unnamed field the type alone.
fn declared(field: &Field, ty: &str) -> String {
    let named = field.owner.ends_with(&format!("::{}", field.rust()));
    if named {
        format!("`{}: {ty}`", field.ident)
    } else {
        format!("`{ty}`")
    }
}

/// The field's type with `leaf` inside it replaced.
fn instead(whole: &Type, leaf: &Type, by: &str) -> String {
    let (whole, leaf) = (type_text(whole), type_text(leaf));
    // A map's key may be of the same type and comes first.
    match whole.rfind(&leaf) {
        Some(place) => format!("{}{by}{}", &whole[..place], &whole[place + leaf.len()..]),
        None => by.to_owned(),
    }
}

/// `with = ..` converts the bare type only; inside an `Option` or array it takes `serde_as`.
fn with_helper(diag: Diag, field: &Field, leaf: &Type, helper: &str, feature: &str) -> Diag {
    if type_text(&field.ty) == type_text(leaf) {
        diag.help(format!(
            "or keep the type: `#[serde(with = \"{helper}\")]` (feature `{feature}` of `bson`)"
        ))
    } else if types::map_value(&field.ty).is_none() {
        diag.help(format!(
            "or keep the type: `#[serde_as(as = \"{}\")]` (crate `serde_with`; features `{feature}`, `serde_with-3` of `bson`)",
            instead(&field.ty, leaf, helper)
        ))
    } else {
        diag
    }
}

/// The tokens that a field's stored name comes from: the literal of its `rename`, or the field.
fn name_span(field: &Field) -> &dyn ToTokens {
    match &field.serde.renamed_tokens {
        Some(tokens) => tokens,
        None => &field.ident,
    }
}

/// A stored name in backticks, and the defect of it.
fn unusable(name: &str, problem: &str) -> String {
    if name.is_empty() {
        "under an empty name".to_owned()
    } else {
        format!("as `{}`, a name that {problem}", name.escape_debug())
    }
}

fn unusable_note(name: &str) -> &'static str {
    if name.contains('\0') {
        "a name in BSON ends at NUL: such a document cannot be written"
    } else {
        "the server stores such a field, but no query or update reaches it"
    }
}

pub(crate) fn field_name(field: &Field, problem: &str) -> Diag {
    let name = &field.serde.name;
    let usable: String = name.replace('.', "_").replace(['$', '\0'], "");
    let usable = if usable.is_empty() {
        field.rust()
    } else {
        usable
    };
    Diag::new(
        name_span(field),
        &rules::FIELD_NAME,
        format!("`{}` is stored {}", field.owner, unusable(name, problem)),
    )
    .help(format!("`#[serde(rename = \"{usable}\")]`"))
    .note(unusable_note(name))
}

pub(crate) fn tag_name(span: &dyn ToTokens, owner: &str, name: &str, problem: &str) -> Diag {
    Diag::new(
        span,
        &rules::FIELD_NAME,
        format!("the tag of `{owner}` is stored {}", unusable(name, problem)),
    )
    .help("`#[serde(tag = \"type\")]`")
    .note(unusable_note(name))
}

pub(crate) fn reserved_tag(span: &dyn ToTokens, owner: &str, name: &str) -> Diag {
    Diag::new(
        span,
        &rules::RESERVED_FIELD,
        format!("the tag of `{owner}` is stored as `{name}`, which belongs to the library"),
    )
    .help("`#[serde(tag = \"type\")]`")
    .note(reserved(name))
}

const RESERVED: &str =
    "`_dn`, `_r` and `_r_..` hold the state of copies; a field of that name would be overwritten";

fn reserved(name: &str) -> &'static str {
    match name {
        stored::SCHEMA_VERSION => {
            "the library stores the version of the schema there, by which documents are migrated"
        }
        stored::PARTS => {
            "the library stores the parts of texts there, by which `#[index(contains)]` finds them"
        }
        _ => RESERVED,
    }
}

pub(crate) fn reserved_field(field: &Field) -> Diag {
    let name = &field.serde.name;
    Diag::new(
        name_span(field),
        &rules::RESERVED_FIELD,
        format!(
            "`{}` is stored as `{name}`, which belongs to the library",
            field.owner
        ),
    )
    .help(match name.trim_start_matches('_') {
        stored::SCHEMA_VERSION => "remove it: `#[model(schema_version = ..)]` stores it".to_owned(),
        free => format!("`#[serde(rename = \"{free}\")]`"),
    })
    .note(reserved(name))
}

pub(crate) fn field_dup(first: &Field, second: &Field, renamed: &Field, free: &str) -> Diag {
    Diag::new(
        name_span(second),
        &rules::FIELD_DUP,
        format!(
            "`{}` and `{}` are both stored as `{}`",
            first.owner, second.owner, second.serde.name
        ),
    )
    .help(format!(
        "`#[serde(rename = \"{free}\")]` on `{}`",
        renamed.rust()
    ))
    .note("both would be written, and only one could be read again")
}

pub(crate) fn field_is_tag(field: &Field) -> Diag {
    let name = &field.serde.name;
    Diag::new(
        name_span(field),
        &rules::FIELD_DUP,
        format!(
            "`{}` is stored as `{name}`, like the tag beside it",
            field.owner
        ),
    )
    .help(format!(
        "`#[serde(rename = \"{name}_\")]`, or another `tag`"
    ))
    .note("both would be written, and only one could be read again")
}

pub(crate) fn variant_dup(first: &Variant, second: &Variant, owner: &str) -> Diag {
    let (a, b, name) = (&first.ident, &second.ident, &second.serde.name);
    Diag::new(
        b,
        &rules::FIELD_DUP,
        format!("variants `{owner}::{a}` and `{owner}::{b}` are both stored as `{name}`"),
    )
    .help(format!("`#[serde(rename = \"{b}\")]` on `{b}`"))
    .note("what is written as the one would be read as the other")
}

pub(crate) fn alias_is_field(span: &LitStr, field: &Field, other: &Field) -> Diag {
    Diag::new(
        span,
        &rules::FIELD_DUP,
        format!(
            "alias `{}` of `{}` is what `{}` is stored as",
            span.value(),
            field.owner,
            other.owner
        ),
    )
    .help("remove the alias")
    .note("one of the two fields would read the other's value")
}

pub(crate) fn collection_name(span: &LitStr, owner: &str, problem: &str) -> Diag {
    let name = span.value();
    let mut usable: String = name.replace(['$', '\0'], "");
    while let Some(rest) = usable
        .strip_prefix("system.")
        .or_else(|| usable.strip_prefix(OWN_COLLECTIONS))
        .or_else(|| usable.strip_prefix('.'))
    {
        usable = rest.to_owned();
    }
    let usable = usable
        .replace(".system.", ".")
        .trim_end_matches('.')
        .to_owned();
    let usable = if usable.is_empty() {
        format!("{}s", owner.to_lowercase())
    } else {
        usable
    };
    let what = if name.is_empty() {
        format!("the collection name of `{owner}`")
    } else {
        format!("collection name `{}` of `{owner}`", name.escape_debug())
    };
    Diag::new(span, &rules::COLLECTION_NAME, format!("{what} {problem}"))
        .help(format!("`#[model(collection = \"{usable}\")]`"))
        .note(match name.starts_with(OWN_COLLECTIONS) {
            true => "the library stores locks, journals of sagas and positions of followers there",
            false => "the server refuses the name (error 73)",
        })
}

/// `log` is the beginning of the name of the model's longest log.
pub(crate) fn ns_too_long(
    span: &LitStr,
    owner: &str,
    (bytes, most): (usize, usize),
    log: Option<&str>,
) -> Diag {
    let diag = Diag::new(
        span,
        &rules::NS_TOO_LONG,
        format!("the collection name of `{owner}` has {bytes} bytes, over the limit of {most}"),
    )
    .help(format!(
        "`#[model(collection = \"{}s\")]`",
        owner.to_lowercase()
    ))
    .note("`database.collection` has at most 255 bytes, and a database's name up to 63 of them");
    match log {
        Some(log) => diag.note(format!("its log is the collection `{log}<name>`")),
        None => diag,
    }
}

pub(crate) fn enum_untagged(item: &Item) -> Diag {
    let ident = &item.ident;
    let (span, what): (&dyn ToTokens, _) = match &item.serde.untagged {
        Some(span) => (
            span,
            "is stored `untagged`, so its documents do not say which variant they are",
        ),
        None => (
            ident,
            "has data but no tag, so each variant is stored one level down under its name",
        ),
    };
    Diag::new(span, &rules::ENUM_UNTAGGED, format!("enum `{ident}` {what}"))
        .help(format!("`#[serde(tag = \"type\")]` on `{ident}`"))
        .note("with a tag all variants lie at one level, so that filters, indexes and copies find their fields")
}
