//! A field with its role, and the properties that the rules and the tables need.

use proc_macro2::{Ident, TokenStream};
use syn::{Path, Type};

use crate::parse::serde::name_form;
use crate::syntax::{
    Allow, Attr, Bound, CheckAttr, ContainsAttr, CountAttr, DefaultAttr, DenormAttr, EmbedAttr,
    Field, IndexAttr, ParentAttr, Part, PeriodAttr, PersonalAttr, RecentAttr, RefsAttr, TreeAttr,
    ValueRule, Variant, VectorAttr,
};
use crate::types;

pub(crate) struct Row<'a> {
    /// The field as it was written: its names, its type, its serde attributes, and the tokens that messages point at.
    pub(crate) field: &'a Field,
    /// The variant whose field it is; none in a struct.
    pub(crate) variant: Option<&'a Variant>,
    /// True if the field is all that a newtype or a variant holds, and has no name.
    pub(crate) unnamed: bool,
    /// The marker of the field in the module of markers.
    pub(crate) marker: Ident,
    pub(crate) role: Role<'a>,
    /// The declared bound; 0 for none.
    pub(crate) max: u64,
    /// True if the field is the `_id` of a model.
    pub(crate) is_id: bool,
    /// True if the field embeds its own type, which is refused: its table would never end.
    pub(crate) is_recursive: bool,
}

pub(crate) enum Role<'a> {
    Own,
    Id,
    Refs {
        attr: &'a RefsAttr,
        entry: Option<Entry<'a>>,
        /// The struct of the program that the elements of a two-way array are.
        member: Option<&'a Ident>,
    },
    Parent {
        attr: &'a ParentAttr,
        entry: Option<Entry<'a>>,
    },
    /// A plain copy, and the reference beside it.
    Copy {
        attr: &'a DenormAttr,
        via: &'a Field,
    },
    /// The last children; `None` where the attribute could not be read.
    Recent {
        attr: Option<&'a RecentAttr>,
        entry: Option<Entry<'a>>,
    },
    /// The number of the children, or another number that follows from them.
    Count(&'a CountAttr),
    /// The version number, which distinguishes one state of the document from the next.
    Version,
}

/// A struct that the field generates: the id and the copies.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) target: Option<&'a Path>,
    /// The target's field that `id` is a value of; none for its `_id`.
    pub(crate) key: Option<&'a Ident>,
    /// The stored name of `id`.
    pub(crate) id: String,
    pub(crate) copies: Vec<Copied<'a>>,
    /// The traits that it derives, if the attribute lists them.
    pub(crate) derives: Option<&'a [Path]>,
    /// True if the entry stands in the list of the last children rather than in a reference.
    pub(crate) listed: bool,
}

impl Entry<'_> {
    /// True if a copy in it follows its source.
    pub(crate) fn has_live_copies(&self) -> bool {
        let is_live = |copied: &Copied<'_>| copied.attr.is_none_or(|attr| !attr.snapshot);
        self.copies.iter().any(is_live)
    }
}

/// A copied field of an entry.
pub(crate) struct Copied<'a> {
    pub(crate) from: &'a Path,
    /// The path in the source: Rust names, of which each but the last is an embedded document.
    pub(crate) source: &'a [Ident],
    /// The name in the entry.
    pub(crate) name: &'a Ident,
    /// The stored name: the fields of the item that holds the entry are renamed in the same way.
    pub(crate) stored: String,
    /// The attribute of the copy; `None` in the list of the last children.
    pub(crate) attr: Option<&'a DenormAttr>,
}

/// The writes that set a field whose value a program does not choose at every write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fixed {
    Created,
    Updated,
    Deleted,
    Immutable,
    Tenant,
}

impl Fixed {
    pub(crate) const ALL: [Fixed; 5] = [
        Fixed::Created,
        Fixed::Updated,
        Fixed::Deleted,
        Fixed::Immutable,
        Fixed::Tenant,
    ];

    /// The name of its attribute.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Fixed::Created => "created",
            Fixed::Updated => "updated",
            Fixed::Deleted => "deleted",
            Fixed::Immutable => "immutable",
            Fixed::Tenant => "tenant",
        }
    }

    /// True if the server's time is written to the field.
    pub(crate) fn is_stamp(self) -> bool {
        !matches!(self, Fixed::Immutable | Fixed::Tenant)
    }
}

/// See [`Row::is_stored_as_id`].
pub(super) fn is_stored_as_id(field: &Field) -> bool {
    let serde = &field.serde;
    serde.name == "_id" && serde.skip.is_none() && serde.flatten.is_none()
}

/// The field and its place in the document.
impl<'a> Row<'a> {
    /// The Rust name without `r#`.
    pub(crate) fn rust(&self) -> String {
        self.field.rust()
    }

    /// The name of the field in messages: `Product::parts`.
    pub(crate) fn owner(&self) -> &'a str {
        &self.field.owner
    }

    /// The place by which its messages are sorted: see [`Ctxt`](crate::ctxt::Ctxt).
    pub(crate) fn place(&self) -> usize {
        self.field.place
    }

    /// True if both are one field of the item.
    pub(crate) fn is(&self, other: &Row<'_>) -> bool {
        self.field.place == other.field.place
    }

    /// True if it is a field of this variant.
    pub(crate) fn is_of(&self, variant: &Variant) -> bool {
        self.variant.is_some_and(|own| std::ptr::eq(own, variant))
    }

    /// True if the name suggests that the `_id` was meant.
    pub(crate) fn is_called_id(&self) -> bool {
        let name = self.rust();
        name == "id" || name == "_id"
    }

    /// False if serde never writes the field: it is in no table.
    pub(crate) fn is_stored(&self) -> bool {
        self.field.serde.skip.is_none()
    }

    pub(crate) fn is_flattened(&self) -> bool {
        self.field.serde.flatten.is_some()
    }

    /// True if the field can be named in a filter, an index or an access pattern.
    pub(crate) fn is_addressable(&self) -> bool {
        self.is_stored() && !self.is_flattened()
    }

    /// True if it is stored as `_id`: by a model, or by a variant of one.
    pub(crate) fn is_stored_as_id(&self) -> bool {
        is_stored_as_id(self.field)
    }

    /// The stored name; nothing for a flattened field, whose fields stand in its parent.
    pub(crate) fn stored(&self) -> &'a str {
        if self.is_flattened() {
            ""
        } else {
            &self.field.serde.name
        }
    }

    /// True if functions of `#[serde(with = ..)]` determine how it is stored.
    pub(crate) fn has_functions(&self) -> bool {
        self.field.serde.with.is_some()
    }

    /// True if its type is declared to be outside of the library's knowledge.
    pub(crate) fn is_declared_opaque(&self) -> bool {
        self.field.attrs.opaque.is_some()
    }

    /// True if the type does not determine how the value is stored.
    pub(crate) fn opaque(&self) -> bool {
        self.is_declared_opaque() || self.has_functions() || self.is_recursive
    }

    /// The function that writes its values; empty where their own type does.
    pub(crate) fn form(&self) -> String {
        let function = self.field.serde.serialize_with.as_ref();
        function.map_or_else(String::new, |function| name_form(function, &self.field.ty))
    }

    /// The writes that set the field, if a program does not choose its value at every write.
    pub(crate) fn fixed(&self) -> Option<Fixed> {
        let mut all = Fixed::ALL.into_iter();
        let declared = all.find(|fixed| self.fixed_site(*fixed).is_some());
        declared.or_else(|| self.ancestors_site().map(|_| Fixed::Immutable))
    }

    /// The attribute that makes the field `fixed`, if it is there.
    pub(crate) fn fixed_site(&self, fixed: Fixed) -> Option<&'a TokenStream> {
        let attrs = &self.field.attrs;
        match fixed {
            Fixed::Created => attrs.created.as_ref(),
            Fixed::Updated => attrs.updated.as_ref(),
            Fixed::Deleted => attrs.deleted.as_ref(),
            Fixed::Immutable => attrs.immutable.as_ref(),
            Fixed::Tenant => attrs.tenant.as_ref(),
        }
    }

    /// The attribute `#[version]`, if it is there.
    pub(crate) fn version_site(&self) -> Option<&'a TokenStream> {
        self.field.attrs.version.as_ref()
    }

    /// True if the server's time is written to the field.
    pub(crate) fn is_stamp(&self) -> bool {
        self.fixed().is_some_and(Fixed::is_stamp)
    }
}

/// The role.
impl<'a> Row<'a> {
    /// True if the field holds ids or keys of another model's documents.
    pub(crate) fn is_reference(&self) -> bool {
        matches!(self.role, Role::Refs { .. } | Role::Parent { .. })
    }

    pub(crate) fn entry(&self) -> Option<&Entry<'a>> {
        match &self.role {
            Role::Refs { entry, .. } | Role::Parent { entry, .. } | Role::Recent { entry, .. } => {
                entry.as_ref()
            }
            _ => None,
        }
    }

    /// The attribute, if the field is one reference.
    pub(crate) fn parent(&self) -> Option<&'a ParentAttr> {
        match &self.role {
            Role::Parent { attr, .. } => Some(attr),
            _ => None,
        }
    }

    /// The model referred to.
    pub(crate) fn target(&self) -> Option<&'a Path> {
        match &self.role {
            Role::Refs { attr, .. } => Some(&attr.target),
            Role::Parent { attr, .. } => Some(&attr.target),
            _ => None,
        }
    }

    /// The attribute, if the field is the reference to the parent in a tree.
    pub(crate) fn tree(&self) -> Option<&'a TreeAttr> {
        self.parent()?.tree.as_ref()
    }

    /// The attribute `#[ancestors]`, if it is there.
    pub(crate) fn ancestors_site(&self) -> Option<&'a TokenStream> {
        self.field.attrs.ancestors.as_ref()
    }

    /// True if the field says where the document stands in its tree.
    pub(crate) fn is_of_tree(&self) -> bool {
        self.tree().is_some() || self.ancestors_site().is_some()
    }

    /// True if the type is a map, or an absent one.
    pub(crate) fn is_map(&self) -> bool {
        self.map_types().is_some()
    }

    fn map_types(&self) -> Option<(&'a Type, &'a Type)> {
        let ty = &self.field.ty;
        types::map_value(types::option_inner(ty).unwrap_or(ty))
    }

    /// Key and value of a map of references.
    pub(crate) fn map(&self) -> Option<(&'a Type, &'a Type)> {
        self.map_types()
            .filter(|_| matches!(self.role, Role::Refs { .. }))
    }

    /// The struct of the program that the elements of a two-way array are.
    pub(crate) fn member(&self) -> Option<&'a Ident> {
        match &self.role {
            Role::Refs { member, .. } => *member,
            _ => None,
        }
    }

    /// The target's field that refers back.
    pub(crate) fn inverse(&self) -> Option<&'a Ident> {
        match &self.role {
            Role::Refs { attr, .. } => attr.inverse.as_ref(),
            Role::Parent { attr, .. } => attr.inverse.as_ref(),
            _ => None,
        }
    }

    /// The model whose documents the field is about.
    pub(crate) fn child(&self) -> Option<&'a Path> {
        match &self.role {
            Role::Recent { attr, .. } => attr.map(|attr| &attr.child),
            Role::Count(attr) => Some(&attr.child),
            _ => None,
        }
    }

    /// The target's field that the reference holds, where it is not the `_id`.
    pub(crate) fn key(&self) -> Option<&'a Ident> {
        match &self.role {
            Role::Refs { attr, .. } => attr.key.as_ref(),
            Role::Parent { attr, .. } => attr.key.as_ref(),
            _ => None,
        }
    }
}

/// The attributes on the field beside the one that gives it its role.
impl<'a> Row<'a> {
    /// The first of these attributes that the field has.
    pub(crate) fn first_of(&self, attrs: &[Attr]) -> Option<&'static str> {
        let mut attrs = attrs.iter();
        let found = attrs.find(|attr| self.field.attrs.has(**attr));
        found.map(|attr| attr.name())
    }

    /// `#[parent]` on a field that is a `#[refs]` already.
    pub(crate) fn second_reference(&self) -> Option<&'a ParentAttr> {
        let parent = self.field.attrs.parent.as_ref();
        parent.filter(|_| matches!(self.role, Role::Refs { .. }))
    }

    /// The attributes of a list and of a count of children, of which a field has one.
    pub(crate) fn derived(&self) -> (Option<&'a RecentAttr>, Option<&'a CountAttr>) {
        let attrs = &self.field.attrs;
        (attrs.recent.as_ref(), attrs.count.as_ref())
    }

    /// The period that a document stands for, if the field is its `_id`.
    pub(crate) fn period(&self) -> Option<&'a PeriodAttr> {
        self.field.attrs.period.as_ref()
    }

    /// The first attribute that could not be read.
    pub(crate) fn broken(&self) -> Option<&'static str> {
        self.field.attrs.broken.first().copied()
    }

    /// True if it has an attribute of this name that could not be read.
    pub(crate) fn is_broken(&self, name: &str) -> bool {
        self.field.attrs.broken.contains(&name)
    }

    /// The copies that hang on the reference, or the one that the field is.
    pub(crate) fn copies(&self) -> &'a [DenormAttr] {
        &self.field.attrs.denorm
    }

    /// True if the value is declared to change often.
    pub(crate) fn is_volatile(&self) -> bool {
        self.field.attrs.volatile.is_some()
    }

    /// The attribute, if the value is about a person.
    pub(crate) fn personal(&self) -> Option<&'a PersonalAttr> {
        self.field.attrs.personal.as_ref()
    }

    /// The attribute, if the texts are found by any part of them.
    pub(crate) fn contains(&self) -> Option<&'a ContainsAttr> {
        self.field.attrs.contains.as_ref()
    }

    /// The attribute, if an index compares the field's vectors.
    pub(crate) fn vector(&self) -> Option<&'a VectorAttr> {
        self.field.attrs.vector.as_ref()
    }

    /// The declared writes per read, as written.
    pub(crate) fn writes(&self) -> Option<&'a str> {
        self.field.attrs.writes.as_deref()
    }

    /// The declared length of a string or of binary.
    pub(crate) fn max_len(&self) -> Option<&'a Bound> {
        self.field.attrs.max_len.as_ref()
    }

    /// True if a check limits the length of its strings.
    pub(crate) fn is_length_checked(&self) -> bool {
        let checks = self.check().into_iter().flat_map(|check| &check.checks);
        let ty = types::option_inner(&self.field.ty).unwrap_or(&self.field.ty);
        let is_array = types::array_element(ty).is_some();
        let mut checks = checks.filter(|check| {
            (check.part == Part::Each) == is_array && check.part != Part::Keys && !check.on_write
        });
        checks.any(|check| match check.rule {
            ValueRule::Len { max, .. } => max < u64::MAX,
            ValueRule::OneOf(_) => true,
            _ => false,
        })
    }

    /// The characters of its longest text, as far as `max_len` and the lengths of checks say it.
    pub(crate) fn longest(&self) -> Option<u64> {
        let checks = self.check().into_iter().flat_map(|check| &check.checks);
        let of_checks = checks.filter_map(|check| match check.rule {
            ValueRule::Len { max, .. } if max < u64::MAX && !check.on_write => Some(max),
            _ => None,
        });
        of_checks.chain(self.max_len().map(|max| max.value)).min()
    }

    /// The rules about its values.
    pub(crate) fn check(&self) -> Option<&'a CheckAttr> {
        self.field.attrs.check.as_ref()
    }

    /// The declared value of a new document that is not given it.
    pub(crate) fn default(&self) -> Option<&'a DefaultAttr> {
        self.field.attrs.default.as_ref()
    }

    pub(crate) fn embed(&self) -> Option<&'a EmbedAttr> {
        self.field.attrs.embed.as_ref()
    }

    /// The overrides that stand on the field itself.
    pub(crate) fn allows(&self) -> &'a [Allow] {
        &self.field.attrs.allows
    }

    pub(crate) fn indexes(&self) -> &'a [IndexAttr] {
        &self.field.attrs.index
    }
}
