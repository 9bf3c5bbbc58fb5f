//! The names of the fields that the library stores in a program's documents, in one table.
//!
//! Every field is here once, with its meaning; the code names a field only by these constants. docs/STORED.md says in addition
//! which step writes and removes each, and a test compares that page with this table. The names are stored in users' databases, so
//! they never change.

#[cfg(test)]
mod tests;

use bson::Document;

use crate::bson_util::path::overlap;

macro_rules! names {
    ($($(#[doc = $doc:literal])+ $name:ident = $path:literal;)+) => {
        $(
            $(#[doc = $doc])+
            #[allow(dead_code, reason = "some fields are only named as values")]
            pub(crate) const $name: &str = $path;
        )+

        /// The same fields as values of server-side expressions: `$_dn.r` is the value at `_dn.r`.
        pub(crate) mod value {
            $(
                $(#[doc = $doc])+
                #[allow(dead_code, reason = "not every field is read by an expression")]
                pub(crate) const $name: &str = concat!("$", $path);
            )+
        }

        /// The same fields as keys of the document that holds them: `r` for `_dn.r`, `t` for `_dn.u.t`.
        pub(crate) mod key {
            $(
                $(#[doc = $doc])+
                #[allow(dead_code, reason = "not every field is read by its key")]
                pub(crate) const $name: &str = super::last_step($path);
            )+
        }

        #[cfg(test)]
        const ALL: &[&str] = &[$($path),+];
    };
}

/// The part of a path behind its last dot.
const fn last_step(path: &'static str) -> &'static str {
    let mut from = path.len();
    while from > 0 && path.as_bytes()[from - 1] != b'.' {
        from -= 1;
    }
    path.split_at(from).1
}

names! {
    /// The parts of texts, by the stored name of the field.
    PARTS = "_ng";
    /// The subdocument that holds all fields that begin with `_dn.`.
    OWN = "_dn";
    /// The revision of a source or of a child: grows with each change that others copy or derive from.
    REVISION = "_dn.r";
    /// The number of raises of the revision since the last flag was removed. If it equals the revision, another program has wiped the
    /// revision, and several writers have raised it since.
    RAISES = "_dn.g";
    /// Names of edges and links that may not reflect the document yet.
    PENDING = "_dn.p";
    /// The batch: the one change of many documents that last changed this document.
    BATCH = "_dn.b";
    /// Earlier parents, per reference, that may not reflect the child yet.
    EARLIER_PARENTS = "_dn.o";
    /// Marks of copies that have not been compared with their sources.
    UNVERIFIED = "_dn.u";
    /// The first of these marks.
    UNVERIFIED_FIRST = "_dn.u.0";
    /// The tokens of these marks.
    UNVERIFIED_TOKEN = "_dn.u.t";
    /// Marks of changes of the parent's arrays, lists and counts that have not been confirmed.
    UNCONFIRMED = "_dn.v";
    /// The links of these marks.
    UNCONFIRMED_LINK = "_dn.v.e";
    /// The tokens of these marks.
    UNCONFIRMED_TOKEN = "_dn.v.t";
    /// Flags of changes of the child's parents that counts may not reflect yet.
    UNCOUNTED = "_dn.c";
    /// The first of these flags.
    UNCOUNTED_FIRST = "_dn.c.0";
    /// The tokens of these flags.
    UNCOUNTED_TOKEN = "_dn.c.t";
    /// Per reference, the parent that no longer counts the child.
    UNCOUNTED_FROM = "_dn.c.f";
    /// Per reference, the parent that counts the child from now on.
    UNCOUNTED_TO = "_dn.c.to";
    /// Per number that is more than a count, the amount that the former parent loses.
    UNCOUNTED_LOSS = "_dn.c.fa";
    /// Per number that is more than a count, the amount that the new parent gets from now on.
    UNCOUNTED_GAIN = "_dn.c.ta";
    /// The name of the number, in a loss and in a gain.
    UNCOUNTED_LINK = "_dn.c.fa.l";
    /// The amount, in a loss and in a gain.
    UNCOUNTED_AMOUNT = "_dn.c.fa.n";
    /// A delete has flagged the child as no longer counted.
    LEFT_COUNTS = "_dn.x";
    /// The state of a parent's counts.
    COUNTS = "_dn.k";
    /// The epoch: a count of an earlier one is not added any more.
    COUNTS_EPOCH = "_dn.k.e";
    /// The changes that the counts include already.
    COUNTED = "_dn.k.a";
    /// The first of these changes.
    COUNTED_FIRST = "_dn.k.a.0";
    /// The tokens of these changes.
    COUNTED_TOKEN = "_dn.k.a.t";
    /// The places in the numbers of children that are not counted yet.
    RESERVED = "_dn.k.r";
    /// The tokens of the flags of these children.
    RESERVED_TOKEN = "_dn.k.r.t";
    /// The children whose places are reserved.
    RESERVED_CHILD = "_dn.k.r.i";
    /// The times at which the places were reserved, by the server's clock.
    RESERVED_AT = "_dn.k.r.at";
    /// The amounts that these children have added, by the stored name of the number.
    RESERVED_AMOUNTS = "_dn.k.r.n";
    /// The child that has the least or the greatest value, by the stored name of the parent's field.
    EXTREMES = "_dn.e";
    /// The tombstone: the token of the delete that the document takes part in.
    TOMBSTONE = "_dn.del";
    /// The state of a delete, in the document that leads it.
    DELETE = "_dn.d";
    /// True if the delete can still be undone.
    DELETE_STATE = "_dn.d.s";
    /// The heartbeat of the delete.
    DELETE_HEARTBEAT = "_dn.d.n";
    /// The events that the delete of the document emits.
    DELETE_EVENTS = "_dn.f";
    /// The token of an erase of the person that the document is.
    ERASE = "_dn.a";
    /// The token of a soft delete that goes on to other documents.
    SOFT_DELETE = "_dn.m";
    /// The token of a change of the natural key.
    KEY_CHANGE = "_dn.h";
    /// The tokens of the latest versioned writes.
    WRITERS = "_dn.w";
    /// The marks of saga steps that may still be undone.
    SAGA_MARKS = "_dn.s";
    /// The number of items that a bucket has ever taken.
    ITEMS_TAKEN = "_dn.n";
    /// The revision of the latest move in the tree after which the ancestors of the document were stored.
    PLACE = "_dn.y";
    /// The events that the document has emitted.
    EVENTS = "_dn.l";
    /// The number of the latest event.
    EVENT_NUMBER = "_dn.l.n";
    /// The events that are not in the log yet, oldest first.
    EVENTS_LEFT = "_dn.l.a";
    /// The tokens of the writes that have emitted these.
    EVENTS_LEFT_TOKEN = "_dn.l.a.t";
    /// The values of these.
    EVENTS_LEFT_VALUE = "_dn.l.a.e";
    /// The history of the document: the entries that are not in the log yet, and their numbers.
    HISTORY = "_dn.j";
    /// The number of the latest entry.
    HISTORY_NUMBER = "_dn.j.n";
    /// The entries that are not in the log yet, oldest first.
    HISTORY_LEFT = "_dn.j.a";
    /// The token of the write of an entry.
    HISTORY_LEFT_TOKEN = "_dn.j.a.t";
    /// Only between the stages of a pipeline: the fields of the document before the change.
    BEFORE = "_dn.z";
    /// The state of a job.
    JOB = "_dn.q";
    /// The time before which a job is not ready, by the server's clock: it is leased or delayed. A ready job has none, and a dead letter
    /// has a string.
    JOB_AT = "_dn.q.at";
    /// The length in milliseconds of a wait that has not begun.
    JOB_WAIT = "_dn.q.in";
    /// The number of times that the job was taken.
    JOB_TAKEN = "_dn.q.n";
    /// The token of the job's latest lease.
    JOB_LEASE = "_dn.q.t";
    /// The worker of the job's latest lease.
    JOB_WORKER = "_dn.q.w";
    /// Never stored: its `$unset` turns a write that changes nothing into a durable read.
    ABSENT = "_dn.zz";
    /// Never stored: the new last-N list, while the same command still needs the old one.
    LIST_AFTER = "_dn_after";
    /// The child that a mark is about, or an array of several.
    UNCONFIRMED_CHILDREN = "_dn.v.k";
    /// The time when a place in an array was reserved for the child, by the server's clock. Other marks have none.
    UNCONFIRMED_AT = "_dn.v.at";
    /// True in a mark of a list or a count that may lack something.
    UNCONFIRMED_LACKS = "_dn.v.f";
    /// The child of a change that counts only this one of the children with its token.
    COUNTED_CHILD = "_dn.k.a.i";
    /// The revision that copies or an entry of a list were taken from, in the same embedded document.
    COPY_REVISION = "_r";
    /// The sort value of an entry of a last-N list that does not show it.
    LIST_SORT = "_by";
}

/// The token of a mark, a flag or a change of a count: it has the same name in each of their lists.
pub(crate) const TOKEN: &str = key::UNVERIFIED_TOKEN;

/// The token of the mark, flag or change that an expression filters or maps.
pub(crate) const THIS_TOKEN: &str = "$$this.t";

/// The link of the mark that an expression filters or maps.
pub(crate) const THIS_LINK: &str = "$$this.e";

/// The children of the mark that an expression filters or maps.
pub(crate) const THIS_CHILDREN: &str = "$$this.k";

/// The `_id` of the child or source in an entry of a last-N list and in a generated entry.
pub(crate) const ENTRY_ID: &str = "id";

/// The parent in the `_id` of a period's document.
pub(crate) const PERIOD_PARENT: &str = "p";

/// The beginning of the period in the `_id` of a period's document.
pub(crate) const PERIOD_START: &str = "d";

/// The revision that copies were taken from has this prefix where it stands beside its reference, whose name follows.
pub(crate) const COPY_REVISION_PREFIX: &str = "_r_";

/// The revision of the copies beside a reference with this stored name.
pub(crate) fn copy_revision_of(reference: &str) -> String {
    format!("{COPY_REVISION_PREFIX}{reference}")
}

/// The prefix of the collections in which the library stores documents of its own. No model may have it: applications and other programs
/// have collections named `locks`.
const OWN_COLLECTIONS: &str = "_dn.";

/// The collection of the marks of copies of tenants that are under way.
pub(crate) const COPIES: &str = "_dn.copies";

/// The collection of the positions of followers.
pub(crate) const FOLLOWERS: &str = "_dn.followers";

/// The collection of locks that name no other collection.
pub(crate) const LOCKS: &str = "_dn.locks";

/// The collection of the ledger of migrations.
pub(crate) const MIGRATIONS: &str = "_dn.migrations";

/// The collection of journals of sagas that name no other collection.
pub(crate) const SAGAS: &str = "_dn.sagas";

/// The collection of the moves in trees that are under way.
pub(crate) const TREES: &str = "_dn.trees";

/// True if the library stores documents of its own in a collection with this name, as `_dn.locks`.
pub fn is_own_collection(name: &str) -> bool {
    name.starts_with(OWN_COLLECTIONS)
}

/// A regular expression for the names of fields that only the library sets: [`OWN`] with everything in it, and revisions beside
/// references and in entries.
pub(crate) fn own_pattern() -> String {
    format!(r"^(?:{OWN}|{PARTS})(?:\.|$)|(?:^|\.){COPY_REVISION}(?:_[^.]*)?$")
}

/// True if only the library sets a field with this stored path, as `_dn.r` or `_r_author`.
pub fn is_own_field(path: &str) -> bool {
    if overlap(path, OWN) || overlap(path, PARTS) {
        return true;
    }
    let last = path.rsplit_once('.').map_or(path, |(_, last)| last);
    last == COPY_REVISION || last.starts_with(COPY_REVISION_PREFIX)
}

/// The keys of fields that a document needs only while an edge or link of it is pending: they go with the last flag.
pub(crate) const BESIDE_FLAGS: &[&str] = &[key::BATCH, key::EARLIER_PARENTS];

/// [`OWN`] as the key of a raw document.
pub(crate) const OWN_KEY: &bson::raw::CStr = bson::cstr!("_dn");

/// [`PARTS`] as the key of a raw document.
pub(crate) const PARTS_KEY: &bson::raw::CStr = bson::cstr!("_ng");

/// The path of the parts of the texts in a field.
pub(crate) fn parts_of(field: &str) -> String {
    format!("{PARTS}.{field}")
}

/// [`ITEMS_TAKEN`] as the key of a raw document.
pub(crate) const ITEMS_TAKEN_KEY: &bson::raw::CStr = bson::cstr!("n");

/// True if a document, read with its tombstone, is being deleted.
pub(crate) fn has_tombstone(document: &Document) -> bool {
    let own = document.get_document(OWN);
    own.is_ok_and(|own| own.contains_key(key::TOMBSTONE))
}

/// The names of indexes of pending edges begin with this, and the hash of the edges follows.
pub(crate) const PENDING_INDEX_PREFIX: &str = "_dn.p_edges_";

/// A field of the library's subdocument.
pub(crate) fn own(name: &str) -> String {
    format!("{OWN}.{name}")
}

/// The value of a field of the library's subdocument.
pub(crate) fn own_value(name: &str) -> String {
    format!("{}.{name}", value::OWN)
}

/// The value of a reference's earlier parents.
pub(crate) fn earlier_parents_of(reference: &str) -> String {
    format!("{}.{reference}", value::EARLIER_PARENTS)
}

/// The parent that no longer counts the child, of flags of this reference.
pub(crate) fn uncounted_from(reference: &str) -> String {
    format!("{UNCOUNTED_FROM}.{reference}")
}

/// The parent that counts the child from now on, of flags of this reference.
pub(crate) fn uncounted_to(reference: &str) -> String {
    format!("{UNCOUNTED_TO}.{reference}")
}

/// The nth change that the counts include already.
pub(crate) fn counted_at(n: usize) -> String {
    format!("{COUNTED}.{n}")
}

/// The nth place that children have reserved.
pub(crate) fn reserved_at(n: usize) -> String {
    format!("{RESERVED}.{n}")
}
