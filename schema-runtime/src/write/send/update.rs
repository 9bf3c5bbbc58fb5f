//! Updates one document: writes changed sources (W1) for the copies of other documents, and new copies (I1, R1) in the document.

mod pipeline;

use std::collections::HashSet;
use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;

use super::early::{self, Changed, Early, Rest};
use super::inside::{self, with_copies};
use super::request::{UpdateRequest, alone, beside, clear_asked, fill_asked, only_set, plain};
use super::{
    Withdraw, cascade, count, follow, is_flagged, pending_counts, pending_marks, pending_of,
    verify_new_copies,
};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::overlap;
use crate::bson_util::stored_id::id_in_filter;
use crate::document::encoding::unencodable;
use crate::driver::{Lasting, UpdateArgs};
use crate::error::{Error, Result};
use crate::finisher;
use crate::graph::edges::{Edge, Edges, Touched};
use crate::graph::flags;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::outcome::{Outcome, Pending};
use crate::propagation::counter::apply::CountToken;
use crate::propagation::fill::Frozen;
use crate::propagation::sources_by_key::{ReadMode, SourcesByKey, read_by_keys};
use crate::propagation::target::Unverified;
use crate::propagation::{counter, fill, recent, source, two_way};
use crate::schema::model::ModelMeta;
use crate::schema::relation::Level;
use crate::schema::soft_delete::{Mark, deleted_field};
use crate::schema::stamps::AlwaysWritten;
use crate::schema::stored;
use crate::write::change::ops::paths;
use crate::{ClientSession, Database, driver};

/// The additions that an update of a model with edges needs.
#[derive(Debug)]
pub(crate) struct Prepared {
    collection: &'static str,
    /// Edges whose copies have to be updated.
    pub(crate) touched: Touched,
    /// References that this update stores.
    pub(crate) references: Vec<(&'static Edge, Bson)>,
    /// The sources of these references, if the update stores what they say.
    pub(super) sources: Option<SourcesByKey>,
    pub(crate) token: ObjectId,
    withdraw: Withdraw,
    /// True if the update writes a reference whose parents hold derived data of their children.
    pub(crate) moves: bool,
    /// The token of children that another parent may have to count after this update.
    pub(crate) begun: Option<CountToken>,
    /// True if some of these parents hold a list of their children.
    lists: bool,
    /// The fields that every write of the model changes.
    always: Option<AlwaysWritten>,
    /// An additional filter of an update of many documents: it skips those that have the new reference already.
    pub(crate) passed_over: Option<Document>,
    /// True if the caller needs the changed document.
    pub(crate) returning: bool,
    /// The mark, if the update changes nothing but whether documents are deleted.
    pub(crate) marking: Option<Marking>,
}

/// A write that marks documents as deleted, or makes them live again.
#[derive(Debug)]
pub(crate) struct Marking {
    pub(crate) meta: &'static ModelMeta,
    mark: Mark,
    /// True if it flags the documents, because others are marked with them.
    pub(crate) cascades: bool,
    /// How the filter of many documents compares strings.
    pub(crate) strings: driver::Strings,
}

/// Prepares an update; `None` if it touches neither a copied field nor a reference that is checked, or has copies or derived data. Fills the copies
/// of the references that it sets from their sources.
pub(crate) async fn prepare(
    db: &Database,
    meta: &'static ModelMeta,
    mut asked: UpdateRequest<'_>,
    level: Option<Level>,
    mut session: Option<&mut ClientSession>,
) -> Result<Option<Prepared>> {
    let edges = Edges::get();
    let collection = meta.collection;
    recent::check_server(db, collection).await?;
    let in_session = session.is_some();
    let mut frozen = false;
    let mut passed_over = None;
    let mut wanted: Vec<(&'static Edge, Bson)> = Vec::new();
    let mut read = false;
    let mut withdraw = Withdraw::Elements;
    let changed = paths(asked.operators, asked.adds);
    for edge in edges
        .all()
        .iter()
        .filter(|edge| edge.target.collection == collection)
    {
        let reference = edge.place.path();
        for path in changed.iter().filter(|path| overlap(path, &reference)) {
            only_set(asked.operators, path, meta)?;
        }
        for stored in asked.stored(edge) {
            let raw = bson::RawDocumentBuf::try_from(&stored)
                .map_err(|error| unencodable(meta, error))?;
            wanted.extend(edge.place.keys(&raw).into_iter().map(|key| (edge, key)));
        }
        let mut set = asked
            .operators
            .get_document("$set")
            .into_iter()
            .flat_map(Document::keys);
        if set.any(|path| overlap(path, &reference)) {
            withdraw = Withdraw::Rule;
            read = true;
            frozen |= !edge.frozen.is_empty();
        }
        read |= !edge.frozen.is_empty();
    }
    clear_asked(collection, &mut asked);
    // A reference without live copies is refused before it is written, and needs no other look before the call returns.
    read |= wanted.iter().all(|(edge, _)| edge.live.is_empty());
    let mut sources = None;
    // In a session the verification waits for the commit, so dangling references have to be found now.
    if (read || session.is_some()) && !wanted.is_empty() {
        let how = ReadMode::InSession(session.as_deref_mut());
        let known = read_by_keys(db, &wanted, how).await?;
        fill::not_dangling(&wanted, &known)?;
        let stored = match asked.one {
            Some(filter) if frozen => {
                Frozen::stored(db, collection, filter, session.as_deref_mut()).await?
            }
            None if frozen => {
                passed_over = Some(alone(meta, &asked)?);
                Frozen::default()
            }
            _ => Frozen::default(),
        };
        fill_asked(collection, &mut asked, &known, &stored);
        sources = read.then_some(known);
    }
    beside(collection, asked.operators);
    let changed = paths(asked.operators, asked.adds);
    let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
    let mut touched = edges.touched(collection, &changed, level);
    if in_session {
        touched = touched.all_flagged();
    }
    // Each once, however often an array refers to it: an element is corrected by one part of a statement.
    let mut seen = HashSet::new();
    let references: Vec<_> = wanted
        .into_iter()
        .filter(|(edge, key)| edge.marks() && seen.insert((&edge.name, IdKey::new(key))))
        .collect();
    let mut links = edges.links_of(collection);
    let moves = links.any(|link| changed.iter().any(|path| link.moves_at(path)));
    let mut links = edges.links_of(collection);
    let lists = links.any(|link| link.is_two_way() && changed.contains(&link.row));
    if touched.is_empty() && references.is_empty() && passed_over.is_none() && !moves {
        return Ok(None);
    }
    if moves && !plain(collection, asked.operators, asked.adds) {
        return Err(Error::Impossible {
            what: format!(
                "an update of {} that sets a reference whose parents keep something of their children, together with operators other than `set` and `unset` of whole fields: send two updates",
                meta.name
            ),
        });
    }
    let counted = |link: &Link| link.counts() && changed.iter().any(|path| link.moves_at(path));
    let counts = edges.links_of(collection).any(counted);
    let set = asked.operators.get_document("$set").ok();
    if let (true, false, true, Some(set)) = (counts, in_session, finisher::is_behind(), set) {
        counter::learn_epochs(db, collection, |link| link.parents_in(set)).await?;
    }
    let begun = counts.then(CountToken::now);
    if moves {
        let set = asked.operators.get_document("$set").ok();
        let child = asked.one.map_or(Bson::Null, id_in_filter);
        let belongs = |link: &Link| {
            let parents = set.map(|set| link.parents_in(set));
            vec![(child.clone(), parents.unwrap_or_default())]
        };
        two_way::check_capacity(db, collection, belongs, &[], session).await?;
    }
    Ok(Some(Prepared {
        begun,
        collection,
        touched,
        references,
        sources,
        token: ObjectId::new(),
        withdraw,
        moves,
        lists,
        always: AlwaysWritten::of(meta),
        passed_over,
        returning: false,
        marking: None,
    }))
}

/// Prepares the mark of a deleted document, or its removal; `None` if no other document follows it.
pub(crate) async fn prepare_marking(
    db: &Database,
    meta: &'static ModelMeta,
    mark: Mark,
    (token, strings): (ObjectId, driver::Strings),
    in_session: bool,
) -> Result<Option<Prepared>> {
    let edges = Edges::get();
    let collection = meta.collection;
    let cascades = mark != Mark::Remove && !in_session && cascade::along(meta).next().is_some();
    recent::check_server(db, collection).await?;
    let name = deleted_field(meta).unwrap_or_default();
    let mut touched = edges.touched(collection, &[name], None);
    if in_session {
        touched = touched.all_flagged();
    }
    let counts = edges.links_of(collection).any(Link::counts);
    if touched.is_empty() && !counts && !cascades {
        return Ok(None);
    }
    Ok(Some(Prepared {
        begun: counts.then(CountToken::now),
        collection,
        touched,
        references: Vec::new(),
        sources: None,
        token,
        withdraw: Withdraw::Elements,
        moves: true,
        lists: edges.links_of(collection).any(Link::is_two_way),
        always: None,
        passed_over: None,
        returning: false,
        marking: Some(Marking {
            meta,
            mark,
            cascades,
            strings,
        }),
    }))
}

/// The result of one attempt.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) outcome: Outcome,
    source: Option<Source>,
    /// The changed document, if the caller needs it.
    pub(crate) document: Option<Document>,
    /// Lists of parents that were changed in a transaction, pending until its commit.
    lists: Vec<Pending>,
    /// True if the library's own transaction has written everything that other documents store about the changed one.
    inside: bool,
}

impl Prepared {
    /// Sends the update once, together with the writes that belong into one transaction with it: copies, and both lists if a
    /// document gets another parent.
    pub(crate) async fn send(
        &self,
        db: &Database,
        filter: Document,
        operators: Document,
        session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        let inside = !self.touched.inside.is_empty() || self.lists;
        Ok(with_copies!(db, inside, session, own => {
            self.write(db, filter.clone(), operators.clone(), session, own).await
        }))
    }

    async fn write(
        &self,
        db: &Database,
        mut filter: Document,
        mut operators: Document,
        mut session: Option<&mut ClientSession>,
        own: bool,
    ) -> Result<Sent> {
        fault!("before_w1");
        let piped = self.is_piped(&operators);
        if !piped {
            self.mark(&mut operators);
        }
        let args = |filter, changes| UpdateArgs {
            filter,
            changes,
            many: false,
            upsert: false,
            lasting: Lasting::Durable,
            strings: driver::Strings::Exactly,
        };
        if self.touched.is_empty() && self.begun.is_none() && self.marking.is_none() {
            if let Some(always) = self.always.as_ref().filter(|_| piped) {
                always.touch(&mut operators);
            }
            let changes = UpdateModifications::Document(operators);
            if self.returning {
                let (args, all) = (args(filter, changes), Document::new());
                let found =
                    driver::update_and_read(db, self.collection, args, all, session).await?;
                let matched = u64::from(found.is_some());
                return Ok(Sent {
                    outcome: Outcome {
                        matched,
                        modified: matched,
                        ..Outcome::default()
                    },
                    source: None,
                    document: found,
                    lists: Vec::new(),
                    inside: false,
                });
            }
            let result =
                driver::update(db, self.collection, args(filter, changes), session).await?;
            let outcome = Outcome {
                matched: result.matched_count,
                modified: result.modified_count,
                ..Outcome::default()
            };
            return Ok(Sent {
                outcome,
                source: None,
                document: None,
                lists: Vec::new(),
                inside: false,
            });
        }
        filter.insert(stored::TOMBSTONE, doc! { "$exists": false });
        let changes = if piped {
            UpdateModifications::Pipeline(self.pipeline(&operators, None))
        } else {
            flags::bump(&mut operators, &self.touched.flagged);
            UpdateModifications::Document(operators)
        };
        let fields = match self.returning {
            true => Document::new(),
            false => source::fields(self.collection),
        };
        let found = driver::update_and_read(
            db,
            self.collection,
            args(filter, changes),
            fields,
            session.as_deref_mut(),
        )
        .await?;
        let matched = u64::from(found.is_some());
        let document = found.clone().filter(|_| self.returning);
        let source = found.map(Source::read);
        let mut lists = Vec::new();
        let inside = own && session.is_some();
        let inside = inside
            && source
                .as_ref()
                .is_some_and(|source| self.is_two_way(source));
        if let (Some(source), Some(session)) = (&source, session) {
            let collection = self.collection;
            inside::fan_out(db, &self.touched.inside, &[source], &mut *session).await?;
            if let Some(begun) = self.begun {
                let child = [&source.fields];
                counter::in_session(db, collection, begun, child, &mut *session).await?;
            }
            lists = inside::links(db, collection, &[source], session, own).await?;
        }
        let outcome = Outcome {
            matched,
            modified: matched,
            ..Outcome::default()
        };
        Ok(Sent {
            outcome,
            source,
            document,
            lists,
            inside,
        })
    }

    /// True if only parents with two-way references store something about the changed document.
    fn is_two_way(&self, source: &Source) -> bool {
        let two_way = |name: &String| {
            let mut links = Edges::get().links_of(self.collection);
            links.any(|link| link.name == *name && link.is_two_way())
        };
        source.pending.iter().all(two_way) && self.touched.unflagged.is_empty()
    }

    /// Propagates a write that matched: updates the copies of a source, and verifies new copies. In a session all of this is pending
    /// until the commit.
    pub(crate) async fn follow(
        &self,
        db: &Database,
        filter: &Document,
        sent: Sent,
        in_session: bool,
    ) -> Result<Outcome> {
        let mut outcome = sent.outcome;
        fault!("after_w1");
        if in_session {
            outcome.pending = self.pending(sent.source.as_ref());
            outcome.pending.extend(sent.lists);
            return Ok(outcome);
        }
        let marked = (!self.references.is_empty()).then(|| Unverified {
            id: id_in_filter(filter),
            tokens: vec![self.token],
            references: self.references.clone(),
        });
        let rest = match self
            .apply(db, sent.source.as_ref(), marked.as_ref())
            .await?
        {
            Early::Done(pending) => {
                outcome.pending = pending;
                return Ok(outcome);
            }
            Early::Not(rest) => rest,
        };
        if let Some(marked) = marked.filter(|_| !rest.copied) {
            fault!("after_i1");
            let settled =
                verify_new_copies(db, self.collection, self.token, &[marked], self.withdraw).await;
            outcome.pending.extend(settled?);
        }
        if let (Some(begun), Some(source)) = (self.begun, &sent.source)
            && is_flagged(&source.fields, begun)
        {
            let child = [&source.fields];
            let left = count(db, self.collection, begun, child, None).await?;
            outcome.pending.extend(left);
        }
        if let Some(source) = sent
            .source
            .as_ref()
            .filter(|_| sent.inside && finisher::is_behind())
        {
            // The parents have been right since the commit. The same updates again, outside of it, prove that before the flag goes.
            let (own, collection) = (db.clone(), self.collection);
            let source = vec![source.clone()];
            let followed = async move {
                let left = source::finish(&own, collection, source, &[]).await?;
                let mut left = left.pending.into_iter();
                Ok(left.next().and_then(|one| one.reason))
            };
            finisher::later(db, followed).await;
        } else if let Some(source) = sent.source {
            outcome
                .pending
                .extend(follow(db, self.collection, source, &self.touched.unflagged).await?);
        }
        rest.finish(outcome.pending.is_empty());
        Ok(outcome)
    }

    /// Propagates the write before the call answers, and removes its flags after that, where that is possible.
    async fn apply(
        &self,
        db: &Database,
        source: Option<&Source>,
        marked: Option<&Unverified>,
    ) -> Result<Early> {
        let known = marked.is_none() || self.sources.is_some();
        if !finisher::is_behind() || !self.touched.unflagged.is_empty() || !known {
            return Ok(Early::Not(Rest::default()));
        }
        let child = match (source, marked) {
            (Some(source), _) => source.clone(),
            (None, Some(marked)) => Source::read(doc! { "_id": marked.id.clone() }),
            (None, None) => return Ok(Early::Not(Rest::default())),
        };
        let changed = Changed {
            begun: self.begun.filter(|begun| is_flagged(&child.fields, *begun)),
            children: vec![Arc::new(child)],
            marked: marked.map_or(&[], std::slice::from_ref),
            sources: self.sources.as_ref().filter(|_| marked.is_some()),
            filled: true,
        };
        early::apply(db, self.collection, changed, &[]).await
    }

    fn pending(&self, source: Option<&Source>) -> Vec<Pending> {
        let mut pending = pending_marks(self.collection, self.token, &self.references);
        pending.extend(
            source
                .map(|source| pending_of(self.collection, source))
                .into_iter()
                .flatten(),
        );
        let flagged =
            |begun: &CountToken| source.is_some_and(|source| is_flagged(&source.fields, *begun));
        if let Some(begun) = self.begun.filter(flagged) {
            pending.extend(pending_counts(self.collection, begun));
        }
        pending
    }
}
