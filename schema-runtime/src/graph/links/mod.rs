//! Data that parents derive from their children: one [`Link`] per two-way reference, last-N list and counter, found in the registry.
//!
//! The child is the source of truth: its reference names its parents. A write of a child that changes the derived data of its parents
//! flags the child, as a change of a source flags it for its copies: the link's name goes into `_dn.p`, and the former parents go into
//! `_dn.o`.

mod addend;
mod bound;
mod changes;
mod declared;
mod former_parents;
mod periods;
mod tenants;

use bson::doc;
use bson::{Bson, Document, RawBsonRef, RawDocument};

pub(crate) use self::addend::{Addend, exact_decimal};
pub(crate) use self::bound::{Bound, lowered};
pub(crate) use self::declared::among;
pub(crate) use self::former_parents::{ChildWrite, Moving, record_former_parents};
pub(crate) use self::periods::{Periods, find_periods};
use super::flags;
use super::source::Source;
use crate::bson_util::amount::Amount;
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::{at, first_step, put_nested, raw_at};
use crate::codec::outdated::FIELD;
use crate::schema::model::ModelMeta;
use crate::schema::rows::FieldRow;
use crate::schema::soft_delete::is_live;
use crate::schema::stored;
use crate::schema::tenant::{of_tenant, own_tenant};
use crate::schema::two_way::top;

/// The values of a child that no order has a place for.
const NO_VALUE: [Bson; 2] = [Bson::Null, Bson::Double(f64::NAN)];

/// The smallest number of parents whose common update is durable. A common update of fewer parents is confirmed after the answer, unless
/// the caller waits for durable writes.
pub(crate) const DURABLE_TOGETHER: usize = 4;

/// A derived field of the parents, and the reference of the children that it depends on.
#[derive(Debug)]
pub(crate) struct Link {
    /// `persons.tasks`: the collection of the parents and the stored name of the derived field.
    pub(crate) name: String,
    /// The model of the children, whose reference is the truth.
    pub(crate) child: &'static ModelMeta,
    /// The model of the parents, which holds the derived field.
    pub(crate) host: &'static ModelMeta,
    /// The stored name of the children's field that holds the reference.
    pub(crate) row: &'static str,
    /// The stored path of the id in that field: `owner`, or `owner.id` of an entry.
    pub(crate) reference: String,
    /// The name of the reference in the flags of counted children and among former parents: the name of the field, unless the parents are
    /// documents of periods.
    pub(crate) key: String,
    /// The periods that the parents stand for, if each parent is a document of a period of the document that the child refers to.
    pub(crate) periods: Option<Periods>,
    /// True if a child refers to many parents.
    pub(crate) many: bool,
    /// The name of the id in the entries of the children's array; `None` for an array of ids, and for one reference.
    pub(crate) entry_id: Option<&'static str>,
    /// The stored path of the derived data of the parents: the path of their field; of an average, the path of its sum or of its number; of
    /// an extreme, the path of the child that has the extreme value.
    pub(crate) field: &'static str,
    /// The stored name of the field that holds the time at which a child was deleted; `None` if a delete removes the children. A child that
    /// is marked as deleted has no parents.
    pub(crate) deleted: Option<&'static str>,
    /// The kind of derived data in that field.
    pub(crate) keeps: Keeps,
    /// The largest value of a number of children, if the number is bounded.
    pub(crate) bound: Option<Bound>,
}

/// The derived data that a parent stores about its children.
#[derive(Debug)]
pub(crate) enum Keeps {
    /// The ids of the children.
    Ids {
        /// The largest number of ids; 0 for no bound.
        max: u64,
    },
    /// The last N children.
    Recent(Recent),
    /// The number of children, or the sum of a field of theirs.
    Number(Addend),
}

/// A list of the last N children.
#[derive(Debug)]
pub(crate) struct Recent {
    /// The largest number of entries.
    pub(crate) max: u64,
    /// The field that the list is sorted by: its stored path in the child, and its stored name in the list.
    pub(crate) by: (&'static str, &'static str),
    /// True if the newest child is first in the list.
    pub(crate) newest_first: bool,
    /// True if the last child is the child with the least value.
    pub(crate) least: bool,
    /// The stored name of the parents' field that has the value of the only entry: the list keeps an extreme.
    pub(crate) extreme: Option<&'static str>,
    /// The fields that an entry shows: the stored path in the child, and the stored name in the list.
    pub(crate) shown: Vec<(&'static str, &'static str)>,
    /// The stored paths of fields, each with the value that a child must have there to be listed.
    pub(crate) only: Vec<(&'static str, Bson)>,
}

impl Link {
    /// The parents that a child belongs to: none if it is marked as deleted, or if the list leaves it out.
    pub(crate) fn parents(&self, child: &RawDocument) -> Vec<Bson> {
        let marked = |name| !matches!(child.get(name), Ok(None | Some(RawBsonRef::Null)));
        let key = |path: &str| raw_at(child, path).map(IdKey::of_raw);
        if self.deleted.is_some_and(marked) || self.leaves_out(key) {
            return Vec::new();
        }
        let value = |path: &str| raw_at(child, path).and_then(|value| Bson::try_from(value).ok());
        let ids = self.ids(value(self.path_read()).as_ref());
        self.parents_by_date(ids, value)
    }

    /// The parents that a new child belongs to, each with the condition that it belongs to the tenant of the child.
    pub(crate) fn parents_inside(&self, child: &RawDocument) -> Vec<(Bson, Document)> {
        let inside = of_tenant(self.host, own_tenant(self.child, child).as_ref());
        let parents = self.parents(child).into_iter();
        parents.map(|id| (id, inside.clone())).collect()
    }

    /// The parents of a child of which only the fields of [`read`](Self::read) were read.
    pub(crate) fn parents_in(&self, child: &Document) -> Vec<Bson> {
        if self.is_marked(child) || self.leaves_out_read(child) {
            return Vec::new();
        }
        self.referred(child)
    }

    /// The conditions that a child must meet to be in a list.
    fn conditions(&self) -> &[(&'static str, Bson)] {
        match &self.keeps {
            Keeps::Recent(list) => &list.only,
            Keeps::Ids { .. } | Keeps::Number(_) => &[],
        }
    }

    /// The stored path of the children's field whose least or greatest value the parents store.
    fn compared(&self) -> Option<&'static str> {
        match &self.keeps {
            Keeps::Recent(list) => list.extreme.map(|_| list.by.0),
            Keeps::Ids { .. } | Keeps::Number(_) => None,
        }
    }

    /// True if a list does not show a child with these values.
    fn leaves_out(&self, key: impl Fn(&str) -> Option<IdKey>) -> bool {
        let no_value = |name| {
            let key = key(name);
            key.is_none_or(|key| NO_VALUE.iter().any(|none| key == IdKey::new(none)))
        };
        let mut conditions = self.conditions().iter();
        self.compared().is_some_and(no_value)
            || conditions.any(|(name, want)| key(name) != Some(IdKey::new(want)))
    }

    fn leaves_out_read(&self, child: &Document) -> bool {
        self.leaves_out(|path| at(child, path).map(IdKey::new))
    }

    /// The stored paths of the fields of the children, beside their reference, that decide whether a parent counts or lists a child, and
    /// how much it adds.
    pub(crate) fn decisive(&self) -> impl Iterator<Item = &'static str> {
        let listed = self.conditions().iter().map(|(name, _)| *name);
        let compared = self.compared();
        self.deleted
            .into_iter()
            .chain(self.weighs())
            .chain(listed)
            .chain(compared)
    }

    /// The documents that a child refers to, also while it is marked as deleted.
    pub(crate) fn referred(&self, child: &Document) -> Vec<Bson> {
        let ids = self.ids(at(child, self.path_read()));
        self.parents_by_date(ids, |name| child.get(name).cloned())
    }

    /// The parent of a stored child, as an expression.
    pub(crate) fn stored_parent(&self) -> Bson {
        let value = |name: &str| Bson::from(format!("${name}"));
        self.parent_of(value(&self.reference), value)
    }

    /// The filter of the children of these parents. If the parents are documents of periods, it also matches some other children.
    pub(crate) fn referring(&self, parents: &[Bson]) -> Document {
        if self.periods.is_none() {
            return doc! { &self.reference: { "$in": parents } };
        }
        let parents = parents.iter().filter_map(Periods::parts);
        let parents: Vec<Bson> = parents.map(|(parent, _)| parent.clone()).collect();
        doc! { &self.reference: { "$in": parents } }
    }

    /// True if the child is marked as deleted.
    pub(crate) fn is_marked(&self, child: &Document) -> bool {
        let at = self.deleted.and_then(|name| child.get(name));
        at.is_some_and(|at| *at != Bson::Null)
    }

    /// The projection of the fields of a child that name its parents.
    pub(crate) fn read(&self) -> Document {
        let mut fields = doc! { "_id": 1, self.row: 1 };
        let tenant = self.tenants().map(|(_, own)| own);
        let more = self.deleted.into_iter().chain(tenant);
        fields.extend(more.map(|name| (name.to_owned(), Bson::from(1))));
        fields
    }

    /// The filter restricted to live children, and to those that a list shows.
    pub(crate) fn live(&self, mut filter: Document) -> Document {
        if let Some(name) = self.deleted {
            filter.extend(is_live(name));
        }
        let conditions = self.conditions().iter();
        filter.extend(conditions.map(|(name, want)| ((*name).to_owned(), want.clone())));
        if let Some(name) = self.compared() {
            // A condition on the field itself states the value of the field.
            let has_value = doc! { "$nin": NO_VALUE.to_vec() };
            filter.entry(name.to_owned()).or_insert(has_value.into());
        }
        filter
    }

    /// An expression that is true if a stored child is live; `None` if all children are.
    pub(crate) fn stored_live(&self) -> Option<Document> {
        let time = format!("${}", self.deleted?);
        Some(doc! { "$eq": [{ "$ifNull": [time, Bson::Null] }, Bson::Null] })
    }

    /// The path of the value that [`ids`](Self::ids) reads: in a document in memory no path leads through an array.
    fn path_read(&self) -> &str {
        if self.many { self.row } else { &self.reference }
    }

    /// The ids in a value of the children's field: one id, several, those in the entries, or none.
    pub(crate) fn ids(&self, value: Option<&Bson>) -> Vec<Bson> {
        let values = match value {
            None | Some(Bson::Null) => &[],
            Some(Bson::Array(ids)) => ids.as_slice(),
            Some(id) => std::slice::from_ref(id),
        };
        match self.entry_id {
            None => values.to_vec(),
            Some(name) => {
                let entries = values.iter().filter_map(Bson::as_document);
                entries
                    .filter_map(|entry| entry.get(name).cloned())
                    .collect()
            }
        }
    }

    /// The expression of the ids in a stored child's array, in stored order.
    pub(crate) fn stored_ids(&self) -> Document {
        let array = format!("${}", self.row);
        let ids = format!("${}", self.reference);
        doc! { "$cond": [{ "$isArray": [array] }, ids, []] }
    }

    /// The parents of a child that was read as a source; none if the child is being deleted.
    pub(crate) fn parents_of(&self, child: &Source) -> Vec<Bson> {
        let fields = &child.fields;
        if child.deleted || self.is_marked(fields) || self.leaves_out_read(fields) {
            return Vec::new();
        }
        let mut parents = self.referred_by(child);
        parents.retain(|id| self.is_truth(&child.id, id));
        parents
    }

    /// True if the link is a two-way reference: the parents store ids.
    pub(crate) fn is_two_way(&self) -> bool {
        matches!(self.keeps, Keeps::Ids { .. })
    }

    /// True if the array of ids at `path` in documents of `collection` follows the other side of its two-way reference.
    pub(crate) fn derives_ids(&self, collection: &str, path: &str) -> bool {
        let is_derived = self.is_two_way() && !self.is_symmetric();
        is_derived && self.host.collection == collection && self.field == path
    }

    /// True if the field is its own other side.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.child.collection == self.host.collection && self.row == self.field
    }

    /// True if `child` holds the truth about this pair. If the field is its own other side, only one document of the pair does.
    pub(crate) fn is_truth(&self, child: &Bson, parent: &Bson) -> bool {
        !self.is_symmetric() || IdKey::new(child) < IdKey::new(parent)
    }

    /// The former parents of a child that have not been updated yet, without its present parents.
    pub(crate) fn left_by(&self, child: &Source) -> Vec<Bson> {
        let now = self.parents_of(child);
        let dn = child.fields.get_document(stored::OWN).ok();
        let old = dn.and_then(|dn| {
            dn.get_document(stored::key::EARLIER_PARENTS)
                .ok()?
                .get_array(&self.key)
                .ok()
        });
        let old = old.into_iter().flatten().cloned();
        // A child that a list no longer shows has the same parent as before.
        let left_out = self
            .leaves_out_read(&child.fields)
            .then(|| self.referred_by(child));
        let old = old.chain(left_out.into_iter().flatten());
        old.filter(|id| !now.contains(id) && self.is_truth(&child.id, id))
            .collect()
    }

    /// The marks of this link in a parent.
    pub(crate) fn marks<'d>(&self, host: &'d Document) -> impl Iterator<Item = &'d Document> {
        let ours = |mark: &&Document| {
            mark.get_str(stored::key::UNCONFIRMED_LINK)
                .is_ok_and(|name| name == self.name)
        };
        flags::marks(host, stored::key::UNCONFIRMED).filter(ours)
    }

    /// The field of the children that holds the reference.
    pub(crate) fn child_row(&self) -> Option<&'static FieldRow> {
        top(self.child).into_iter().find(|row| row.name == self.row)
    }

    /// The derived field of the parents.
    pub(crate) fn host_row(&self) -> Option<&'static FieldRow> {
        top(self.host)
            .into_iter()
            .find(|row| row.name == first_step(self.visible()))
    }

    /// The stored path of the derived data that readers see.
    pub(crate) fn visible(&self) -> &'static str {
        match &self.keeps {
            Keeps::Recent(list) => list.extreme.unwrap_or(self.field),
            Keeps::Ids { .. } | Keeps::Number(_) => self.field,
        }
    }

    /// The entries of a parent's list.
    pub(crate) fn entries<'d>(&self, parent: &'d Document) -> impl Iterator<Item = &'d Document> {
        let list = at(parent, self.field).and_then(Bson::as_array);
        list.into_iter().flatten().filter_map(Bson::as_document)
    }

    /// The stage that sets the extreme of a parent to the value of the child in its list; `None` for other links.
    pub(crate) fn show(&self) -> Option<Document> {
        let Keeps::Recent(list) = &self.keeps else {
            return None;
        };
        let value = format!("${}.{}", self.field, list.by.1);
        let first = doc! { "$arrayElemAt": [value, 0] };
        Some(doc! { "$set": { list.extreme?: { "$ifNull": [first, self.nothing_stored()] } } })
    }

    /// The expression of the derived data that a parent without children stores.
    fn nothing_stored(&self) -> Bson {
        let is_left_out = self.host_row().is_some_and(FieldRow::is_left_out);
        match self.nothing() {
            Bson::Null if is_left_out => "$$REMOVE".into(),
            nothing => doc! { "$literal": nothing }.into(),
        }
    }

    /// The largest number of ids that a parent stores; 0 for no bound.
    pub(crate) fn max(&self) -> u64 {
        match self.keeps {
            Keeps::Ids { max } => max,
            Keeps::Recent(_) | Keeps::Number(_) => 0,
        }
    }

    /// The derived field of the parents, as the model names it: `Person.tasks`.
    pub(crate) fn shown(&self) -> String {
        let rust = self.host_row().map_or(self.visible(), |row| row.rust);
        format!("{}.{rust}", self.host.name)
    }

    /// The value at [`visible`](Self::visible) of a parent without children.
    pub(crate) fn nothing(&self) -> Bson {
        match &self.keeps {
            Keeps::Number(addend) => addend.zero().to_bson().unwrap_or(Bson::Null),
            Keeps::Recent(list) if list.extreme.is_some() => Bson::Null,
            Keeps::Ids { .. } | Keeps::Recent(_) => Bson::Array(Vec::new()),
        }
    }

    /// The fields of a new parent without children.
    pub(crate) fn new_fields(&self) -> Document {
        let is_left_out = self.host_row().is_some_and(FieldRow::is_left_out);
        match self.nothing() {
            Bson::Null if is_left_out => doc! { self.field: [] },
            Bson::Null => doc! { self.field: [], self.visible(): Bson::Null },
            nothing => doc! { self.field: nothing },
        }
    }
}

/// The derived fields of a collection, which only the library writes, each with its empty value.
pub(crate) fn derived_fields(links: &[Link], collection: &str) -> Document {
    let mut fields = Document::new();
    for link in links {
        if link.host.collection == collection {
            put_nested(&mut fields, link.visible(), link.nothing());
        }
    }
    fields
}

/// True if a stored value of a derived field is empty.
pub(crate) fn says_nothing(value: &Bson) -> bool {
    match value {
        Bson::Array(list) => list.is_empty(),
        Bson::Document(parts) => parts.values().all(says_nothing),
        Bson::Null => true,
        value => Amount::read(value).is_some_and(Amount::is_zero),
    }
}

/// Adds the fields of a child that a link reads.
pub(crate) fn fields(link: &Link, fields: &mut Document) {
    for name in link.seen() {
        fields.insert(name, 1);
    }
    let schema = link.child.schema;
    if schema.is_some_and(|schema| schema.migrate.is_some()) {
        fields.insert(FIELD, 1);
    }
}
