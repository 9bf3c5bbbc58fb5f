//! The number of commands that the writes of a model send: found in the tables, before anything is sent.

mod delete;
mod reads;
mod steps;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use self::reads::durable_reads;
use self::steps::Steps;
use crate::bson_util::path::overlap;
use crate::graph::edges::{Edge, Edges};
use crate::graph::links::{DURABLE_TOGETHER, Link};
use crate::index::collect::{definitions, distinct};
use crate::index_spec::definition::Definition;
use crate::schema::model::ModelMeta;
use crate::schema::outbox::{Outbox, RecordedFields};
use crate::schema::registry;
use crate::schema::relation::OnDelete;
use crate::schema::stamps::Stamps;
use crate::schema::tree::TreeFields;

/// The largest number of edges that one fan-out sends at the same time.
const AT_ONCE: usize = 8;

/// The commands that bring what a document holds into a log: a durable read, an update of the log, and the removal from the document.
const DELIVERY: usize = 3;

/// The commands that bring the entry of a delete into a log: a durable read, and an update of the log.
const LAST_ENTRY: usize = 2;

/// The costs of writes of one document of a model: see [`ModelMeta::costs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Costs {
    /// `insert`.
    pub insert: WriteCosts,
    /// `update` of a field that no other document copies or lists.
    pub update: WriteCosts,
    /// `update` of a field that other documents copy, or that a list of a parent shows: the most expensive field, if there are several.
    /// `None` if there is no such field.
    pub update_followed: Option<WriteCosts>,
    /// `delete` of a document to which no other document refers, not even from the other side of a two-way array. `None` if documents
    /// below it are deleted with tombstones of their own, and if parents list or count a document that others may refer to: then the
    /// number of commands depends on the stored documents.
    pub delete_unreferenced: Option<WriteCosts>,
    /// The commands that `.emit(..)` adds to one of these: a delete waits for them, the others send them behind the answer. `None` if the
    /// documents emit no events.
    pub emit: Option<EmitCosts>,
}

/// The commands that an event adds to a write of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmitCosts {
    /// Commands behind the answer of an insert, an update, a save or an upsert.
    pub behind: usize,
    /// Commands that a delete sends one after the other before it returns.
    pub delete_awaited: usize,
}

/// The costs of one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct WriteCosts {
    /// Commands that are sent before the call returns.
    pub awaited: usize,
    /// Round trips that follow one another before the call returns. Commands that are sent at the same time take one.
    pub round_trips: usize,
    /// Commands that are sent after the call has returned. Calls of the same moment share them.
    pub behind: usize,
    /// Further commands behind the answer where the call has not waited until the updates of parents were durable, so that they are
    /// confirmed first: on a standalone server, and with a write concern of fewer servers than a majority.
    pub confirming: usize,
    /// Indexes that the write maintains, the index of `_id` and the library's own included. Indexes of flags are counted, although they
    /// hold no entry of a document without pending work.
    pub indexes: usize,
}

impl ModelMeta {
    /// The costs of an insert, an update and a delete of one document, in commands. Sends nothing.
    ///
    /// The numbers are those of a call by itself, outside a session, which finds everything as it usually is: the values that it copies
    /// are those of their sources, the program has counted under the parents before, a list that loses a document is not full, every
    /// reference of the document is set, an array of references has several elements, and there is one document for each reference path
    /// along which a change goes on. Under load calls share their commands. A write that finds something else, such as a parent that is
    /// being deleted, sends more. With `.settled()` the commands behind the answer are awaited, and parents and copies take separate
    /// steps. `level = transactional` adds the commands of its transaction. In a model with a shard key each statement for many documents is
    /// followed by a `find` of those that it has passed over; in one that is sharded by tenant, a `find` of the tenant goes before statements that
    /// know the `_id` alone. These are not counted.
    ///
    /// All models of the program count: another model may copy or list this one.
    ///
    /// ```
    /// # use mongo_model::{Id, MongoModel};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Debug, Serialize, Deserialize, MongoModel)]
    /// #[model(collection = "cities")]
    /// struct City {
    ///     #[serde(rename = "_id")]
    ///     id: Id<City>,
    ///     #[index]
    ///     name: String,
    /// }
    ///
    /// let costs = City::meta().costs();
    /// assert_eq!((costs.insert.awaited, costs.insert.behind), (1, 0));
    /// assert_eq!(costs.insert.indexes, 2);
    /// assert_eq!(costs.update_followed, None);
    /// ```
    #[must_use]
    pub fn costs(&self) -> Costs {
        let of = Writes::of(self);
        Costs {
            insert: of.insert(self),
            update: of.update(self),
            update_followed: of.update_followed(self),
            delete_unreferenced: of.delete(),
            emit: of.has_log(Outbox::Events).then_some(EmitCosts {
                behind: DELIVERY,
                delete_awaited: LAST_ENTRY,
            }),
        }
    }
}

/// The number of commands that confirm the updates of so many parents of one collection. Updates of many parents are durable themselves.
fn confirming(parents: usize) -> usize {
    match parents {
        0..DURABLE_TOGETHER => parents.min(2),
        _ => 0,
    }
}

/// The tables that decide what writes in one collection cost.
struct Writes {
    collection: &'static str,
    indexes: Vec<Definition>,
    /// References with copies, and checked ones, in documents of the collection.
    into: Vec<&'static Edge>,
    /// The derived data that parents keep of the documents. A field that is its own other side is left out: no write of a whole
    /// document, and no change of one other field, concerns it.
    links: Vec<&'static Link>,
}

impl Writes {
    fn of(meta: &ModelMeta) -> Self {
        let edges = Edges::get();
        let collection = meta.collection;
        let models = registry::models().into_iter();
        let models = models.filter(|model| model.collection == collection);
        Writes {
            collection,
            indexes: distinct(models.flat_map(definitions)),
            into: edges.incoming(collection).collect(),
            links: edges
                .links_of(collection)
                .filter(|link| !link.is_symmetric())
                .collect(),
        }
    }

    /// Every index of the collection.
    fn all_indexes(&self) -> usize {
        self.indexes.len() + 1
    }

    /// The indexes over this stored path.
    fn indexes_over(&self, path: &str) -> usize {
        let over = |one: &&Definition| one.keys.iter().any(|(key, _)| overlap(key, path));
        self.indexes.iter().filter(over).count()
    }

    fn marked(&self) -> Vec<&'static Edge> {
        let marked = self.into.iter().filter(|edge| edge.marks());
        marked.copied().collect()
    }

    fn insert(&self, meta: &ModelMeta) -> WriteCosts {
        let mut steps = Steps::default();
        if Edges::get().involves(self.collection) {
            self.insert_involved(meta, &mut steps);
        } else {
            steps.at_once(1);
        }
        self.deliver_history(&mut steps);
        self.deliver_other_sides(&mut steps);
        steps.costs(self.all_indexes())
    }

    fn has_log(&self, outbox: Outbox) -> bool {
        outbox.log_of(self.collection).is_some()
    }

    /// The delivery of the entries of changed arrays on the other sides of references, where their models keep a history.
    fn deliver_other_sides(&self, steps: &mut Steps) {
        let links = self.links.iter().filter(|link| link.is_two_way());
        let recorded = links.filter(|link| {
            let history = RecordedFields::find(link.host.collection);
            history.is_some_and(|(_, history)| history.records(link.field))
        });
        steps.later(DELIVERY * recorded.count());
    }

    /// The delivery of the entry of a change, if the model keeps a history. Gives the number of indexes that hold the entry.
    fn deliver_history(&self, steps: &mut Steps) -> usize {
        let recorded = usize::from(self.has_log(Outbox::History));
        steps.later(DELIVERY * recorded);
        recorded
    }

    fn insert_involved(&self, meta: &ModelMeta, steps: &mut Steps) {
        let marked = self.marked();
        // The ancestors follow from those of the parent, unless a document of the tree moves meanwhile.
        let is_tree = usize::from(TreeFields::of(meta).is_some());
        steps.in_turn(is_tree);
        steps.later(is_tree);
        self.read_sources_before(&marked, steps);
        let two_way = self.links.iter().filter(|link| link.is_two_way()).count();
        steps.in_turn(two_way);
        // The places in each parent are reserved by one update.
        let bounded = self.links.iter().filter(|link| link.bound.is_some());
        let bounded: BTreeSet<_> = bounded
            .map(|link| (link.host.collection, link.row))
            .collect();
        steps.in_turn(bounded.len());
        self.store_and_read(&marked, steps);
        let waiting: Vec<&Edge> = Edges::get()
            .out_of(self.collection)
            .filter(|edge| edge.on_delete == OnDelete::Keep)
            .collect();
        let is_child = !self.links.is_empty();
        if (is_child || !waiting.is_empty() || !marked.is_empty()) && self.shows_times(meta) {
            steps.in_turn(1);
        }
        self.count_new_parent(steps);
        if !waiting.is_empty() || two_way > 0 {
            self.insert_in_steps(&marked, &waiting, steps);
        } else if is_child || !marked.is_empty() {
            self.insert_early(&marked, steps);
        }
    }

    /// True if another document shows a time that the server's clock gives a new document.
    fn shows_times(&self, meta: &ModelMeta) -> bool {
        let Some(stamps) = Stamps::of(meta) else {
            return false;
        };
        let out = Edges::get().out_of(self.collection);
        let copied = out.flat_map(|edge| edge.live.iter().map(|copied| copied.from.as_str()));
        let listed = Edges::get().links_of(self.collection).flat_map(Link::seen);
        let shown: BTreeSet<&str> = copied.chain(listed).collect();
        stamps.times().any(|time| shown.contains(time))
    }

    /// The search of a new parent for children that existed before it.
    fn count_new_parent(&self, steps: &mut Steps) {
        let links = Edges::get().links().iter();
        let kept = links.filter(|link| link.host.collection == self.collection);
        let kept: Vec<&Link> = kept.collect();
        if kept.is_empty() {
            return;
        }
        let children = kept
            .iter()
            .map(|link| (link.child.collection, &*link.reference));
        let counted = kept.iter().filter(|link| link.counts());
        let counted = counted.map(|link| (link.child.collection, &*link.key));
        let children: BTreeSet<_> = children.collect();
        let counted: BTreeSet<_> = counted.collect();
        steps.later(children.len() + counted.len() + 1);
    }

    /// The parents follow at once, and one statement removes all flags behind the answer. Parents that have places of the document follow behind
    /// the answer as well.
    fn insert_early(&self, marked: &[&Edge], steps: &mut Steps) {
        let hosts = self.hosts(|_| true);
        let awaited = self.hosts(|link| !self.is_reserved(link));
        steps.at_once(awaited.len());
        steps.later(self.hosts(|link| self.is_reserved(link)).len());
        // An update of one parent by itself reads what is copied from that parent.
        let read = |edge: &&&Edge| {
            let parents = hosts.get(edge.source.collection);
            edge.key == "_id"
                && parents.is_some_and(|parents| {
                    parents.len() == 1 && parents.contains(&*edge.place.path())
                })
        };
        let shown = |edge: &&Edge| {
            edge.live.is_empty() && edge.key == "_id" && Edges::get().changes_target(edge)
        };
        let unread = marked.iter().filter(|edge| !read(edge) && !shown(edge));
        let unread: Vec<&Edge> = unread.copied().collect();
        steps.later(durable_reads(&unread));
        let alone = |edge: &&Edge| edge.live.is_empty() || edge.place.is_single();
        match marked.iter().all(alone) {
            true => steps.later(1),
            false => self.resume(marked, steps),
        }
        steps.later(hosts.len());
        steps.confirm(
            awaited
                .values()
                .map(|parents| confirming(parents.len()))
                .sum(),
        );
    }

    /// True if this reference leads to a parent whose numbers have the document when it is stored: a number with a bound is one of them, and
    /// no list shows the document.
    fn is_reserved(&self, link: &Link) -> bool {
        let beside = || {
            let all = self.links.iter().filter(|one| one.periods.is_none());
            all.filter(|one| one.host.collection == link.host.collection && one.row == link.row)
        };
        beside().any(|one| one.bound.is_some()) && beside().all(|one| one.counts())
    }

    /// The steps of a finisher if one statement cannot remove all flags, because each copy in an array is corrected by itself.
    fn resume(&self, marked: &[&Edge], steps: &mut Steps) {
        // A find of the document, the sources once more, the correction with the removal of the mark.
        steps.later(1 + durable_reads(marked) + 1);
        let counts = self.links.iter().filter(|link| link.counts());
        let counted: BTreeSet<_> = counts
            .map(|link| (link.host.collection, &*link.key))
            .collect();
        if !counted.is_empty() {
            // A find and a durable read of the document, the epochs, two looks at each parent, the removal of the flag.
            let epochs: BTreeSet<_> = counted.iter().map(|(host, _)| host).collect();
            steps.later(2 + epochs.len() + 2 * counted.len() + 1);
        }
        let lists = self.links.iter().filter(|link| !link.counts()).count();
        if lists > 0 {
            // A find and a durable read of the document, an update of each list, the removal of the flags.
            steps.later(2 + lists + 1);
            // Each list is compared with the child: two finds, a durable read of the child, the removal of the mark.
            steps.later(4 * lists);
        }
    }

    /// The collections of the parents along these links, each with the references that lead there.
    fn hosts(&self, among: impl Fn(&Link) -> bool) -> BTreeMap<&'static str, BTreeSet<&str>> {
        let mut hosts: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        for link in self.links.iter().filter(|link| among(link)) {
            let references = hosts.entry(link.host.collection).or_default();
            references.insert(match link.periods {
                None => &link.reference,
                Some(_) => &link.key,
            });
        }
        hosts
    }

    /// Copies, copies of the document itself, lists and counts follow one after another.
    fn insert_in_steps(&self, marked: &[&Edge], waiting: &[&Edge], steps: &mut Steps) {
        let alone = |edge: &&Edge| edge.live.is_empty() || edge.place.is_single();
        if !marked.iter().all(alone) {
            // In arrays each copy is corrected by itself, after a find of the document and one more read of the sources.
            steps.later(2 * durable_reads(marked) + 2);
        } else if !marked.is_empty() {
            steps.in_turn(durable_reads(marked) + 1);
        }
        fan_out_at_once(waiting.len(), steps);
        let named: Vec<&&Link> = self.links.iter().filter(|link| !link.counts()).collect();
        steps.in_turn(named.len());
        if !waiting.is_empty() || !named.is_empty() {
            steps.later(1 + named.len());
        }
        // Nothing refers to the document yet: its copies have no copies.
        let onward = waiting.iter().map(|edge| Edges::get().onward(edge));
        steps.in_turn(onward.filter(|names| !names.is_empty()).count());
        let counts = self.links.iter().filter(|link| link.counts());
        let counted: BTreeSet<_> = counts
            .map(|link| (link.host.collection, &*link.key))
            .collect();
        if !counted.is_empty() {
            steps.in_turn(counted.len() + 1);
            steps.later(counted.len());
        }
    }

    fn update(&self, meta: &ModelMeta) -> WriteCosts {
        let paths = meta.shape.fields.iter().map(|row| row.name);
        let unseen = paths.filter(|path| !path.is_empty() && *path != "_id" && !self.is_seen(path));
        let indexes = unseen.map(|path| self.indexes_over(path)).max();
        let mut steps = Steps::default();
        steps.at_once(1);
        let recorded = self.deliver_history(&mut steps);
        steps.costs(indexes.unwrap_or(0) + recorded)
    }

    /// True if a change of this field also changes other documents.
    fn is_seen(&self, path: &str) -> bool {
        !Edges::get().copying(self.collection, &[path]).is_empty()
            || self.links.iter().any(|link| link.sees(&[path]))
            || self.is_reference_or_copy(path)
    }

    /// True if the field is a reference that other documents follow, or holds copies.
    fn is_reference_or_copy(&self, path: &str) -> bool {
        let of = |edge: &Edge| {
            let copies = edge.copies().map(|copied| edge.full(copied));
            let mut paths = copies.chain([edge.place.path()]);
            paths.any(|one| overlap(&one, path))
        };
        self.links.iter().any(|link| link.moves_at(path)) || self.into.iter().any(|edge| of(edge))
    }

    fn update_followed(&self, meta: &ModelMeta) -> Option<WriteCosts> {
        // A natural key does not change while a reference holds it.
        let is_key = |path: &str| {
            let edges = Edges::get().out_of(self.collection);
            path == "_id" || edges.into_iter().any(|edge| edge.key == path)
        };
        let out = Edges::get().out_of(self.collection);
        let copied = out.flat_map(|edge| edge.live.iter().map(|copied| copied.from.as_str()));
        let listed = self.links.iter().flat_map(|link| link.seen().skip(1));
        let paths: BTreeSet<&str> = copied.chain(listed).collect();
        let stamped = |path: &&str| Stamps::of(meta).is_some_and(|stamps| stamps.has(path));
        paths
            .into_iter()
            .filter(|path| !is_key(path) && !self.is_reference_or_copy(path) && !stamped(path))
            .map(|path| self.update_of(path))
            .max_by_key(|costs| (costs.round_trips, costs.awaited, costs.behind))
    }

    /// The update of one field that other documents show.
    fn update_of(&self, path: &str) -> WriteCosts {
        let touched = Edges::get().touched(self.collection, &[path], None);
        let named = |name: &&str| Edges::get().named(self.collection, name);
        let edges: Vec<&Edge> = touched
            .flagged
            .iter()
            .chain(&touched.unflagged)
            .filter_map(named)
            .collect();
        let shown = self.links.iter().filter(|link| link.sees(&[path]));
        let (numbers, lists): (Vec<&&Link>, Vec<&&Link>) = shown.partition(|link| link.counts());
        let mut steps = Steps::default();
        steps.at_once(1);
        if edges.is_empty() {
            let mut hosts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for link in lists.iter().chain(&numbers) {
                let parents = hosts.entry(link.host.collection).or_default();
                parents.insert(&link.reference);
            }
            steps.at_once(hosts.len());
            steps.later(1 + hosts.len());
            steps.confirm(
                hosts
                    .values()
                    .map(|parents| confirming(parents.len()))
                    .sum(),
            );
        } else {
            self.fan_out(&edges, lists.len(), !touched.flagged.is_empty(), &mut steps);
        }
        let flags = usize::from(!touched.flagged.is_empty());
        let recorded = self.deliver_history(&mut steps);
        steps.costs(self.indexes_over(path) + flags + recorded)
    }

    /// W2 and W3 of one source: its copies, then the lists that show it, then the copies of its copies.
    fn fan_out(&self, edges: &[&Edge], lists: usize, flagged: bool, steps: &mut Steps) {
        fan_out_at_once(edges.len(), steps);
        steps.in_turn(lists);
        steps.later(usize::from(flagged) + lists);
        for edge in edges {
            steps.in_turn(self.onward(edge));
        }
    }

    /// The commands that follow one after another where the copies of one document are copied further. Copies form no circle.
    fn onward(&self, edge: &Edge) -> usize {
        let names = Edges::get().onward(edge);
        if names.is_empty() {
            return 0;
        }
        let target = edge.target.collection;
        let further = names
            .iter()
            .filter_map(|name| Edges::get().named(target, name));
        let further: Vec<&Edge> = further.collect();
        let lists = names.len() - further.len();
        // A find and a durable read of the document; each edge; each list and its marks; the removal of the flag.
        let own = 2 + further.len() + 2 * lists + 1;
        own + further.iter().map(|edge| self.onward(edge)).sum::<usize>()
    }
}

/// W2 of several edges, some of them at a time.
fn fan_out_at_once(edges: usize, steps: &mut Steps) {
    let mut left = edges;
    while left > 0 {
        let some = left.min(AT_ONCE);
        steps.at_once(some);
        left -= some;
    }
}
