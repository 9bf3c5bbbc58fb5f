//! The fields of the structs that `new`, `view` and `patch` generate.

use proc_macro2::Ident;
use syn::{Path, Type};

use super::{Fixed, Ir, Role, Row};
use crate::names::{handles, unraw};
use crate::syntax::{Listed, SubsetAttr, SubsetKind};

impl<'a> Ir<'a> {
    /// True if nothing else of the expansion has the name of the struct: neither the handles, nor an entry, nor an earlier struct.
    pub(crate) fn has_free_name(&self, attr: &SubsetAttr) -> bool {
        let name = unraw(&attr.name);
        let mut earlier = self.item.attrs.subsets.iter();
        let earlier = earlier
            .by_ref()
            .take_while(|other| !std::ptr::eq(*other, attr));
        let mut structs = earlier.map(|other| unraw(&other.name));
        let entries = self.entries();
        let mut entries = entries.iter().map(|(_, entry)| unraw(entry.name));
        unraw(&handles(&self.item.ident)) != name
            && !structs.any(|other| other == name)
            && !entries.any(|other| other == name)
    }

    /// The fields of the struct, in declaration order.
    pub(crate) fn subset<'s>(&'s self, attr: &'s SubsetAttr) -> impl Iterator<Item = &'s Row<'a>> {
        self.fields().filter(move |row| {
            let name = row.rust();
            let listed = attr.only.is_none() || attr.listed(row).is_some();
            let skipped = attr.skip.iter().any(|word| unraw(word) == name);
            listed && !skipped && self.no_part(row, attr.kind).is_none()
        })
    }

    /// The reason why no struct of this kind has the field; `None` if one can have it.
    pub(crate) fn no_part(&self, row: &Row<'_>, kind: SubsetKind) -> Option<&'static str> {
        match kind {
            SubsetKind::New => {
                if row.fixed() == Some(Fixed::Tenant) {
                    return Some("the tenant is given beside the struct");
                }
                let filled = row.is_stored() && is_filled_in(row);
                filled.then_some("the library fills it in")
            }
            SubsetKind::View => (!row.is_stored()).then_some("serde skips it"),
            SubsetKind::Patch => self.not_settable(row),
        }
    }

    /// The reason why `set` does not take the field.
    fn not_settable(&self, row: &Row<'_>) -> Option<&'static str> {
        if !row.is_stored() {
            return Some("serde skips it");
        }
        if row.is_stored_as_id() {
            return Some("a document keeps its `_id`");
        }
        if row.is_flattened() {
            return Some("it is flattened, and has no name to set");
        }
        let bucket = self.bucket_parts();
        let overflow = self.overflow_parts();
        let kept = "the library keeps it";
        if bucket.is_some_and(|parts| parts.maintains(row))
            || overflow.is_some_and(|parts| parts.maintains(row))
        {
            return Some(kept);
        }
        match &row.role {
            Role::Own if row.is_stamp() => Some("the server's time is written to it"),
            Role::Own if row.fixed() == Some(Fixed::Tenant) => {
                Some("a document stays with its tenant")
            }
            Role::Own if row.is_of_tree() => Some(kept),
            Role::Own if row.fixed().is_some() => Some("it is immutable"),
            Role::Parent { .. } if row.is_of_tree() => {
                Some("a document keeps its place in the tree")
            }
            Role::Own | Role::Parent { .. } => None,
            Role::Refs { attr, .. } if attr.inverse.is_none() && row.member().is_none() => None,
            Role::Refs { .. } => Some("the other side of the reference changes with it"),
            Role::Id => Some("a document keeps its `_id`"),
            Role::Copy { .. } | Role::Recent { .. } | Role::Count(_) | Role::Version => Some(kept),
        }
    }
}

impl SubsetAttr {
    /// The field in `only(..)`.
    fn listed(&self, row: &Row<'_>) -> Option<&Listed> {
        let name = row.rust();
        let mut listed = self.only.iter().flatten();
        listed.find(|listed| unraw(&listed.field) == name)
    }

    /// The struct of changes inside the field, in `nested(..)`.
    pub(crate) fn nested(&self, row: &Row<'_>) -> Option<&Path> {
        let name = row.rust();
        let mut nested = self.nested.iter();
        let nested = nested.find(|nested| unraw(&nested.field) == name);
        nested.map(|nested| &nested.patch)
    }

    /// The name that `only(..)` gives to the field.
    fn alias(&self, row: &Row<'_>) -> Option<&Ident> {
        self.listed(row)?.alias.as_ref()
    }

    /// The name of the field in the struct.
    pub(crate) fn member<'r>(&'r self, row: &'r Row<'_>) -> &'r Ident {
        self.alias(row).unwrap_or(&row.field.ident)
    }

    /// The name of the field in JSON.
    pub(crate) fn json_name(&self, row: &Row<'_>) -> String {
        match (self.alias(row), row.stored()) {
            (Some(alias), _) => unraw(alias),
            (None, "_id") => "id".to_owned(),
            (None, name) => name.to_owned(),
        }
    }
}

/// True if the library fills the field in, or keeps it.
fn is_filled_in(row: &Row<'_>) -> bool {
    match &row.role {
        Role::Id => is_generated(&row.field.ty),
        Role::Copy { .. } | Role::Recent { .. } | Role::Count(_) | Role::Version => true,
        // Entries are the truth of both sides; an array of ids may follow the other one.
        Role::Refs {
            attr,
            entry,
            member,
        } => attr.inverse.is_some() && entry.is_none() && member.is_none(),
        Role::Own => row.is_stamp() || row.ancestors_site().is_some(),
        Role::Parent { .. } => false,
    }
}

/// True of `Id<Issue>` and `ObjectId`, whose defaults are new ids.
fn is_generated(ty: &Type) -> bool {
    let Type::Path(path) = ty else {
        return false;
    };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    match &last.arguments {
        syn::PathArguments::None => last.ident == "ObjectId",
        syn::PathArguments::AngleBracketed(arguments) => {
            last.ident == "Id" && arguments.args.len() == 1
        }
        syn::PathArguments::Parenthesized(_) => false,
    }
}
