//! Models as they will be written, and what was found on the way.

use bson::{Bson, Document};
use serde::{Deserialize, Serialize};

use crate::findings::Level;

/// Everything that is written.
#[derive(Debug, Default)]
pub(crate) struct Models {
    pub(crate) files: Vec<File>,
}

/// The types of one collection, or those that several collections share.
#[derive(Debug)]
pub(crate) struct File {
    /// The module's name, without `r#`.
    pub(crate) name: String,
    /// The place of the collection; `None` for types that several collections share.
    pub(crate) source: Option<usize>,
    pub(crate) types: Vec<Type>,
}

/// A struct or an enum.
#[derive(Debug, Clone)]
pub(crate) struct Type {
    pub(crate) name: String,
    /// Lines of the doc comment.
    pub(crate) docs: Vec<String>,
    /// The model's collection and options; `None` for an embedded document.
    pub(crate) model: Option<ModelOptions>,
    pub(crate) body: Body,
}

/// `#[model(..)]` on a model.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModelOptions {
    pub(crate) collection: String,
    pub(crate) options: Vec<Attribute>,
    /// Sentences that say what to do, where no field has them.
    pub(crate) reviews: Vec<String>,
}

/// The inside of a type.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Struct(Vec<Field>),
    /// Strings: the stored one, the identifier, a comment.
    Units(Vec<(String, String, Option<String>)>),
    /// Documents by their tag: the tag's value, the identifier, the struct.
    Tagged {
        tag: String,
        variants: Vec<(String, String, String)>,
    },
}

/// A field.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) stored: String,
    /// The identifier, without `r#`.
    pub(crate) rust: String,
    pub(crate) ty: Ty,
    /// Parts of `#[serde(..)]` besides the name.
    pub(crate) serde: Vec<&'static str>,
    pub(crate) attributes: Vec<Attribute>,
    /// Further comments.
    pub(crate) comments: Vec<String>,
    /// Sentences that say what to do.
    pub(crate) reviews: Vec<String>,
}

impl Field {
    /// A field about which nothing is decided.
    pub(crate) fn new(stored: &str) -> Self {
        Field {
            stored: stored.to_owned(),
            rust: String::new(),
            ty: Ty::Bson,
            serde: Vec::new(),
            attributes: Vec::new(),
            comments: Vec::new(),
            reviews: Vec::new(),
        }
    }
}

/// An attribute, or an option of one, with its evidence.
#[derive(Debug, Clone)]
pub(crate) struct Attribute {
    pub(crate) text: String,
    pub(crate) evidence: Option<String>,
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ty {
    Bool,
    I32,
    I64,
    F64,
    String,
    Date,
    ObjectId,
    Decimal,
    Binary,
    Uuid,
    Timestamp,
    /// Any value.
    Bson,
    /// Any document.
    Document,
    /// A struct or an enum of the same models.
    Named(String),
    /// The typed id of a model.
    Id(String),
    /// The average of a field of children, as a sum and a number.
    Average,
    Option(Box<Ty>),
    Vec(Box<Ty>),
    Map(Box<Ty>),
    /// An array of a fixed length.
    Fixed(Box<Ty>, usize),
}

/// A filter as it is pasted into a shell.
pub(crate) fn shown_filter(filter: &Document) -> String {
    format!("`{}`", serde_json::to_string(filter).unwrap_or_default())
}

impl Ty {
    /// The type in source code.
    pub(crate) fn text(&self) -> String {
        match self {
            Ty::Bool => "bool".to_owned(),
            Ty::I32 => "i32".to_owned(),
            Ty::I64 => "i64".to_owned(),
            Ty::F64 => "f64".to_owned(),
            Ty::String => "String".to_owned(),
            Ty::Date => "DateTime".to_owned(),
            Ty::ObjectId => "ObjectId".to_owned(),
            Ty::Decimal => "Decimal128".to_owned(),
            Ty::Binary => "Binary".to_owned(),
            Ty::Uuid => "Uuid".to_owned(),
            Ty::Timestamp => "Timestamp".to_owned(),
            Ty::Bson => "Bson".to_owned(),
            Ty::Document => "Document".to_owned(),
            Ty::Named(name) => name.clone(),
            Ty::Id(name) => format!("Id<{name}>"),
            // Its whole path, beside models of any name.
            Ty::Average => "mongo_model::Average".to_owned(),
            Ty::Option(inner) => format!("Option<{}>", inner.text()),
            Ty::Vec(inner) => format!("Vec<{}>", inner.text()),
            Ty::Map(inner) => format!("BTreeMap<String, {}>", inner.text()),
            Ty::Fixed(inner, length) => format!("[{}; {length}]", inner.text()),
        }
    }

    /// Calls `f` with this type and all in it.
    pub(crate) fn visit(&self, f: &mut impl FnMut(&Ty)) {
        f(self);
        match self {
            Ty::Option(inner) | Ty::Vec(inner) | Ty::Map(inner) | Ty::Fixed(inner, _) => {
                inner.visit(f)
            }
            _ => {}
        }
    }

    /// The type without `Option`.
    pub(crate) fn required(&self) -> &Ty {
        match self {
            Ty::Option(inner) => inner,
            ty => ty,
        }
    }
}

/// The way in which a copy follows a change of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CopyKind {
    /// It follows.
    Live,
    /// It keeps its value.
    Snapshot,
    /// It is no copy.
    None,
}

/// Something that was found in the data, with how sure it is.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Note {
    /// The kind, as a stable name.
    pub(crate) kind: &'static str,
    pub(crate) level: Level,
    /// The stored path or the index.
    pub(crate) about: String,
    /// A sentence.
    pub(crate) message: String,
    /// The least share of the data that supports it, at 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<f64>,
    /// Finds the documents that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filter: Option<Document>,
    /// The `_id`s of some of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) examples: Vec<Bson>,
    /// The command that shows the updates which resolve it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resolve: Option<String>,
    /// True if a `REVIEW` in the source has the sentence; every problem gets one.
    #[serde(skip)]
    pub(crate) is_in_source: bool,
}
