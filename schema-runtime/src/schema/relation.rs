//! References, as tables.

use crate::schema::index_row::Literal;
use crate::schema::model::ModelMeta;
use crate::schema::rows::Kind;

/// A reference to another model.
#[derive(Debug)]
pub struct RelationRow {
    /// The model referred to.
    pub target: fn() -> &'static ModelMeta,
    /// True for an array of ids (`refs`), false for a single id (`parent`).
    pub many: bool,
    /// True if the field is an entry `{ id, copies.. }`; the id is then at `<field>.<entry_id>`.
    pub entry: bool,
    /// The stored name of the id in an entry.
    pub entry_id: &'static str,
    /// True if the entries are structs of the program, which hold fields of their own beside the id: memberships.
    pub members: bool,
    /// The place in the field where the ids are.
    pub holds: Holds,
    /// The Rust name of the target's field that the ids are values of; `None` for its `_id`.
    pub key: Option<&'static str>,
    /// The way in which a loader treats an id that no document has.
    pub missing: OnMissing,
    /// The order of the children of one parent: the Rust name, and true if it descends.
    pub sort: Option<(&'static str, bool)>,
    /// True if copies depend on this reference, so that propagation scans it.
    pub copied: bool,
    /// True if a write that stores the reference checks that the target is there, whether anything is copied from it or not.
    pub checked: bool,
    /// True if the attribute itself says `checked`: a place where no write can check the reference is an error then.
    pub must_be_checked: bool,
    /// The effect that deleting the target has on the reference.
    pub on_delete: OnDelete,
    /// True if the reference refuses the purge of its target, and no soft delete.
    pub deny_purge: bool,
    /// The Rust name of the target's field that refers back, of a two-way reference.
    pub inverse: Option<&'static str>,
    /// The stored name and value of the tag beside the reference, if it refers to one of several models.
    pub tag: Option<(&'static str, &'static str)>,
}

impl RelationRow {
    /// A reference to one document.
    #[must_use]
    pub const fn one(target: fn() -> &'static ModelMeta) -> Self {
        RelationRow {
            target,
            many: false,
            entry: false,
            entry_id: "id",
            members: false,
            holds: Holds::Ids,
            key: None,
            missing: OnMissing::Drop,
            sort: None,
            copied: false,
            checked: true,
            must_be_checked: false,
            on_delete: OnDelete::Deny,
            deny_purge: false,
            inverse: None,
            tag: None,
        }
    }

    /// References to many documents.
    #[must_use]
    pub const fn many(target: fn() -> &'static ModelMeta) -> Self {
        let mut row = Self::one(target);
        row.many = true;
        row
    }

    /// The form in which the target stores the field whose values the reference holds.
    pub(crate) fn key_kind(&self) -> Kind {
        let rows = (self.target)().shape.fields;
        let key = rows.iter().find(|row| match self.key {
            Some(key) => row.rust == key,
            None => row.name == "_id",
        });
        key.map_or(Kind::Any, |row| row.kind)
    }

    /// The reference as entries `{ id, copies.. }`.
    #[must_use]
    pub const fn entry(mut self) -> Self {
        self.entry = true;
        self
    }

    /// The reference as entries that store their id under this name.
    #[must_use]
    pub const fn entry_id(mut self, name: &'static str) -> Self {
        self.entry_id = name;
        self
    }

    /// The reference as structs of the program, which store their id under this name; without a name the elements are ids.
    #[must_use]
    pub const fn members(mut self, name: &'static str) -> Self {
        if name.is_empty() {
            return self;
        }
        self.entry = true;
        self.entry_id = name;
        self.members = true;
        self
    }

    /// The reference with the ids at another place of the field. Ids in a map are not checked.
    #[must_use]
    pub const fn holds(mut self, holds: Holds) -> Self {
        self.holds = holds;
        self.checked &= matches!(holds, Holds::Ids);
        self
    }

    /// The reference by another field of the target than its `_id`.
    #[must_use]
    pub const fn key(mut self, field: &'static str) -> Self {
        self.key = Some(field);
        self
    }

    /// The reference with another policy for ids that no document has.
    #[must_use]
    pub const fn missing(mut self, missing: OnMissing) -> Self {
        self.missing = missing;
        self
    }

    /// The reference with an order of the children of one parent.
    #[must_use]
    pub const fn sort(mut self, field: &'static str, descending: bool) -> Self {
        self.sort = Some((field, descending));
        self
    }

    /// The reference with copies that depend on it.
    #[must_use]
    pub const fn copied(mut self) -> Self {
        self.copied = true;
        self
    }

    /// The reference where writes must check that the target is there; without this they check it where they can.
    #[must_use]
    pub const fn checked(mut self) -> Self {
        self.checked = true;
        self.must_be_checked = true;
        self
    }

    /// The reference where writes do not check that the target is there.
    #[must_use]
    pub const fn unchecked(mut self) -> Self {
        self.checked = false;
        self
    }

    /// The reference with a delete rule. A reference that may dangle is not checked.
    #[must_use]
    pub const fn on_delete(mut self, rule: OnDelete) -> Self {
        self.on_delete = rule;
        self.checked &= !matches!(rule, OnDelete::Keep);
        self
    }

    /// The reference that refuses the purge of its target, but no soft delete.
    #[must_use]
    pub const fn deny_purge(mut self) -> Self {
        self.deny_purge = true;
        self
    }

    /// The reference as one half of a two-way reference: `field` of the target refers back. Its writes read the other side themselves.
    #[must_use]
    pub const fn inverse(mut self, field: &'static str) -> Self {
        self.inverse = Some(field);
        self.checked = false;
        self
    }

    /// The reference in a document whose tag has this value.
    #[must_use]
    pub const fn tagged(mut self, name: &'static str, value: &'static str) -> Self {
        self.tag = Some((name, value));
        self
    }
}

/// A parent's field that the library derives from its children, the documents that refer to it. It is never set by hand.
#[derive(Debug)]
pub struct DerivedRow {
    /// The model of the children.
    pub child: fn() -> &'static ModelMeta,
    /// The Rust name of the children's field that refers here; `None` where only one of their fields does.
    pub via: Option<&'static str>,
    /// The derived value.
    pub what: Derived,
}

/// The value that a derived field has, and the fields of the children that it follows from.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Derived {
    /// The number of children.
    Count,
    /// The number of children, which is at most `max`.
    CountUpTo {
        /// The bound.
        max: Most,
    },
    /// The sum of a field of the children, or the number of children that meet conditions.
    Sum {
        /// The Rust name of the children's field that is added; `None` where each child adds one.
        field: Option<&'static str>,
        /// The Rust name of the children's field by which the value is multiplied.
        times: Option<&'static str>,
        /// The Rust names of fields, each with the value that a child must have there to be added.
        only: &'static [(&'static str, Literal)],
    },
    /// The average of a field of the children, as a sum and a number.
    Average {
        /// The Rust name of the children's field.
        field: &'static str,
        /// The factor, as in a sum.
        times: Option<&'static str>,
        /// The conditions, as in a sum.
        only: &'static [(&'static str, Literal)],
        /// The stored path of the sum.
        sum: &'static str,
        /// The stored path of the number of children that have a value.
        count: &'static str,
    },
    /// The least or the greatest value of a field of the children.
    Extreme {
        /// The Rust name of the children's field.
        field: &'static str,
        /// True for the least value, false for the greatest.
        least: bool,
        /// The conditions, as in a sum.
        only: &'static [(&'static str, Literal)],
        /// The stored path of the child that has the value, as a list of one entry.
        entries: &'static str,
    },
    /// The last children.
    Recent {
        /// The largest number of children in the list.
        max: u64,
        /// The Rust name of the children's field that says which are the last, and true if the list begins with the last.
        sort: (&'static str, bool),
        /// The Rust names of the children's fields that the list shows, beside the id.
        fields: &'static [&'static str],
        /// The Rust names of fields, each with the value that a child must have there to be listed.
        only: &'static [(&'static str, Literal)],
    },
}

/// The largest value of a number of children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Most {
    /// The same number for every document.
    Number(i64),
    /// The Rust name of the field that has the bound.
    Field(&'static str),
}

/// The period that a document stands for, by its `_id`.
#[derive(Debug)]
pub struct PeriodRow {
    /// The model whose children are added up.
    pub parent: fn() -> &'static ModelMeta,
    /// The length of the period.
    pub per: Per,
    /// The IANA name of the time zone in which the period begins.
    pub zone: &'static str,
}

/// The length of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Per {
    /// An hour.
    Hour,
    /// A day, of 23 or 25 hours where the clocks change.
    Day,
    /// A week, from Monday.
    Week,
    /// A month.
    Month,
}

impl Per {
    /// The server's name of the unit.
    #[cfg(feature = "driver")]
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Per::Hour => "hour",
            Per::Day => "day",
            Per::Week => "week",
            Per::Month => "month",
        }
    }
}

/// The place in a field where its ids are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Holds {
    /// The field is an id, or an array or set of ids or of entries.
    Ids,
    /// The field is a map; its keys are the ids.
    MapKeys,
    /// The field is a map; its values are the ids.
    MapValues,
}

impl Holds {
    /// The place of the ids in a map: its keys or its values.
    #[must_use]
    pub const fn map(in_keys: bool) -> Self {
        if in_keys {
            Holds::MapKeys
        } else {
            Holds::MapValues
        }
    }
}

/// The way in which a loader treats an id that no document has: the option `missing` of `refs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnMissing {
    /// The id is left out, and reported beside the values.
    Drop,
    /// The whole load is an error that names the id.
    Strict,
    /// The slot of the id stays empty.
    KeepSlots,
}

/// The effect of deleting a referenced document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnDelete {
    /// The delete is refused.
    Deny,
    /// The reference is removed from the array.
    Pull,
    /// The field is removed.
    Unset,
    /// The referring document is deleted too.
    Cascade,
    /// The reference stays and dangles.
    Keep,
}

/// The guarantee that a copy follows its source: the option `level` of `denorm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// The write of the source leaves a flag in it, and the copies are written after it. A flag that a crash leaves
    /// behind is found later and its work finished: no copy stays stale.
    Eventual,
    /// Source and copies are written in one transaction on a replica set, so no reader sees one without the others. On
    /// a standalone server, which has no transactions, it works as [`Eventual`](Level::Eventual).
    Transactional,
    /// The copies are written after the source, without a flag: copies that a crash interrupts may stay stale, and
    /// failures appear only in [`Outcome::pending`](crate::Outcome::pending). In a session, and in an update of many
    /// documents, it works as [`Eventual`](Level::Eventual), because only a flag can find the copies there.
    FireAndForget,
}
