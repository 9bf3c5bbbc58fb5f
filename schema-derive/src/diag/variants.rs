//! Messages about models that are enums.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::LitStr;

use super::Diag;
use crate::names::unraw;
use crate::rules;
use crate::syntax::Content;

pub(crate) fn no_variants(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SHAPE,
        format!("model `{owner}` has no variant that holds a document"),
    )
    .help("`enum Employee { Hourly(Hourly), Salary(Salary) }`")
}

pub(crate) fn variant_content(span: &Ident, content: &Content, owner: &str) -> Diag {
    let name = unraw(span);
    let has_id = content
        .fields()
        .iter()
        .any(|field| field.serde.name == "_id");
    let named = content.fields().into_iter().map(|field| {
        let id = match field.serde.name.as_str() {
            // The attribute that makes the field the `_id`.
            "_id" => "#[serde(rename = \"_id\")] ",
            "id" if !has_id => "#[serde(rename = \"_id\")] ",
            _ => "",
        };
        format!("{id}pub {}: {}", field.rust(), super::type_text(&field.ty))
    });
    let mut fields: Vec<String> = named.collect();
    if !fields.iter().any(|field| field.contains("\"_id\"")) {
        fields.insert(0, format!("#[serde(rename = \"_id\")] pub id: Id<{owner}>"));
    }
    if matches!(content, Content::Unit) {
        fields.push("..".to_owned());
    }
    let diag = Diag::new(
        span,
        &rules::SHAPE,
        format!("variant `{owner}::{name}` of a model holds no struct"),
    )
    .help(format!(
        "`{name}({name})`, with `#[derive(Serialize, Deserialize, MongoEmbed)] pub struct {name} {{ {} }}`",
        fields.join(", ")
    ));
    let diag = match content {
        Content::Unit => {
            diag.help("for kinds that this program does not know: `#[serde(other)]` on it")
        }
        _ => diag,
    };
    diag.note("every document has an `_id`, and a finder of a variant gives its struct; reading a document of an unknown kind is an error")
}

pub(crate) fn variant_attribute(span: &dyn ToTokens, owner: &str, variant: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("an attribute on `{owner}::{variant}` has no meaning: it holds a whole document"),
    )
    .help("put it on a field of the struct inside")
}

pub(crate) fn variants_and(span: &dyn ToTokens, option: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`{option}` has no meaning on `{owner}`, which is an enum"),
    )
    .help("put `#[index]` on the fields of its variants")
    .note("a field that every variant has gets one index; the index on a field of some variants contains only their documents")
}

pub(crate) fn common_without_variants(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`common` has no meaning on `{owner}`, which is no enum"),
    )
    .help("remove it: all its fields have handles")
}

pub(crate) fn variant_alias(span: &LitStr, owner: &str, variant: &str, stored: &str) -> Diag {
    let alias = span.value();
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("documents of `{owner}::{variant}` that are stored as `{alias}` would not be found"),
    )
    .help(format!(
        "change what is stored, once: `updateMany` from `{alias}` to `{stored}`; then remove the alias"
    ))
    .help(format!(
        "or keep storing the old name: `#[serde(rename = \"{alias}\")]`"
    ))
    .note("finders, indexes and references of a variant ask for its one stored tag")
}

/// The difference between two fields of one stored name, in variants of an embedded enum.
#[derive(Clone, Copy)]
pub(crate) enum Differs {
    /// The kind: one of the fields is no reference or copy, or is another one.
    Kind,
    /// The model that they refer to.
    Target,
    /// The path by which they name a model, which may be the same.
    Path,
    /// The rules of the reference.
    Rules,
    /// The way in which the copies follow their source.
    Copies,
    /// The checks of the fields.
    Checks,
}

pub(crate) fn variants_differ(
    span: &Ident,
    [first, second]: &[String; 2],
    stored: &str,
    differs: Differs,
) -> Diag {
    let (how, help) = match differs {
        Differs::Kind => (
            "not as the same reference or copy",
            "store one of them under another name: `#[serde(rename = \"..\")]`",
        ),
        Differs::Target => (
            "refer to different models by it",
            "store one of them under another name: `#[serde(rename = \"..\")]`",
        ),
        Differs::Path => (
            "name the model that they refer to by two paths",
            "write the same path in both",
        ),
        Differs::Rules => (
            "not with the same rules",
            "give both references the same `on_delete`, `missing`, `sort` and `checked` or `unchecked`",
        ),
        Differs::Copies => (
            "the copies do not follow their source in the same way",
            "give both `#[denorm(..)]` the same `level`, and write `snapshot` on both or on none",
        ),
        Differs::Checks => (
            "not with the same checks",
            "give it the same `#[check(..)]` in both, or store one of them under another name: `#[serde(rename = \"..\")]`",
        ),
    };
    let readers = match differs {
        Differs::Checks => "an update does",
        _ => "a delete, a loader and a change of the source do",
    };
    Diag::new(
        span,
        &rules::POLY_FIELD,
        format!("`{first}` and `{second}` both store `{stored}`, but {how}"),
    )
    .help(help)
    .note(format!(
        "both have one path in the collection: {readers} not see which variant is stored"
    ))
}

pub(crate) fn variant_without_copy(span: &Ident, owner: &str, beside: &str, variant: &str) -> Diag {
    Diag::new(
        span,
        &rules::POLY_FIELD,
        format!("`{owner}` goes with `{beside}`, but `{variant}` has the reference without the copy"),
    )
    .help(format!(
        "give `{variant}` the copy too, or store its reference under another name: `#[serde(rename = \"..\")]`"
    ))
    .note("both references have one path in the collection: a change of the source writes the copy beside either of them")
}
