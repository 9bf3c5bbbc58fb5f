//! `new = NewIssue`, `view = IssueView`, `patch = IssuePatch`.

use proc_macro2::Ident;
use syn::{Path, Type};

/// `view(CustomerView, skip(deleted), derive(Debug))`: a struct with some of the model's fields.
pub(crate) struct SubsetAttr {
    pub(crate) kind: SubsetKind,
    /// The name of the struct.
    pub(crate) name: Ident,
    /// The fields that it does not have.
    pub(crate) skip: Vec<Ident>,
    /// The fields that it has, where they are listed.
    pub(crate) only: Option<Vec<Listed>>,
    /// The values that the struct has besides fields of the model.
    pub(crate) with: Vec<Extra>,
    /// The embedded documents whose fields the struct changes one by one.
    pub(crate) nested: Vec<Nested>,
    /// Further derives of the struct.
    pub(crate) derives: Vec<Path>,
    /// `deserialize`: new documents are read from JSON as well.
    pub(crate) deserialize: bool,
}

impl SubsetAttr {
    /// A struct with all fields that one of its kind can have.
    pub(crate) fn new(kind: SubsetKind, name: Ident) -> Self {
        SubsetAttr {
            kind,
            name,
            skip: Vec::new(),
            only: None,
            with: Vec::new(),
            nested: Vec::new(),
            derives: Vec::new(),
            deserialize: false,
        }
    }
}

/// `sold as tickets`: a field that the struct has, and its name there if that is another one.
pub(crate) struct Listed {
    pub(crate) field: Ident,
    pub(crate) alias: Option<Ident>,
}

/// `address = AddressPatch`: an embedded document, and the struct of its changes.
pub(crate) struct Nested {
    pub(crate) field: Ident,
    pub(crate) patch: Path,
}

/// `total: i64 = Order::total`: a value besides the fields of the model, which a function makes of the document or the program gives.
pub(crate) struct Extra {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) function: Option<Path>,
}

/// The purpose of a struct with some of a model's fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubsetKind {
    /// A new document.
    New,
    /// An answer.
    View,
    /// The fields to change.
    Patch,
}

impl SubsetKind {
    pub(crate) const ALL: [SubsetKind; 3] = [SubsetKind::New, SubsetKind::View, SubsetKind::Patch];

    /// The option that generates the struct.
    pub(crate) fn option(self) -> &'static str {
        match self {
            SubsetKind::New => "new",
            SubsetKind::View => "view",
            SubsetKind::Patch => "patch",
        }
    }

    /// The usual name of the struct.
    pub(crate) fn usual(self, model: &str) -> String {
        match self {
            SubsetKind::New => format!("New{model}"),
            SubsetKind::View => format!("{model}View"),
            SubsetKind::Patch => format!("{model}Patch"),
        }
    }
}
