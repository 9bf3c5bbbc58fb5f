//! Changes of one document: W1 for what others copy, I1 and R1 for its own copies.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;

use super::inside::{self, with_copies};
use super::{Withdraw, follow, pending_marks, pending_of, settle};
use crate::crud::driver::{self, Lasting, UpdateArgs};
use crate::crud::{ROUNDS, id_of};
use crate::denorm::edges::{Edge, Edges, Touched, overlap};
use crate::denorm::fill::{self, Which};
use crate::denorm::flags;
use crate::denorm::outcome::{Outcome, Pending};
use crate::denorm::place::at;
use crate::denorm::source::{self, Known, Source};
use crate::denorm::target::Unverified;
use crate::error::{Error, Result};
use crate::model::{Level, ModelMeta};
use crate::update::ops::{Add, paths};
use crate::{ClientSession, Database};

/// What an update asks for.
#[derive(Debug)]
pub(crate) struct Asked<'c> {
    /// `{ "$set": { path: value } }`
    pub(crate) operators: &'c mut Document,
    /// What is appended to arrays.
    pub(crate) adds: &'c mut [Add],
}

/// What an update of a model with edges needs beside what was asked.
#[derive(Debug)]
pub(crate) struct Prepared {
    edges: &'static Edges,
    collection: &'static str,
    /// Edges whose copies have to follow.
    pub(super) touched: Touched,
    /// References that this update stores.
    pub(super) references: Vec<(&'static Edge, Bson)>,
    pub(super) token: ObjectId,
    withdraw: Withdraw,
    /// References beside frozen copies that this update sets, and to what.
    frozen: Vec<(&'static Edge, Bson)>,
}

impl Asked<'_> {
    /// What this update stores at or above the reference of an edge, as a document that has only that: a value that is set, and
    /// elements that are added.
    fn stored(&self, edge: &Edge) -> Vec<Document> {
        let reference = edge.place.path();
        let set = self.operators.get_document("$set").into_iter().flatten();
        let set = set.map(|(path, value)| (path.clone(), value.clone()));
        let adds = self.adds.iter();
        let adds = adds.map(|add| (add.path.clone(), Bson::Array(add.values.clone())));
        set.chain(adds)
            .filter(|(path, _)| overlap(path, &reference))
            .map(|(path, value)| wrap(&path, value))
            .collect()
    }
}

/// `{a: {b: value}}`
fn wrap(path: &str, value: Bson) -> Document {
    match path.split_once('.') {
        None => doc! { path: value },
        Some((step, rest)) => doc! { step: wrap(rest, value) },
    }
}

/// Looks at what an update asks for; `None` if it touches neither a copied field nor a reference with copies. References with
/// copies bring their copies along, read from their sources.
pub(crate) async fn prepare(
    db: &Database,
    edges: &'static Edges,
    meta: &'static ModelMeta,
    mut asked: Asked<'_>,
    level: Option<Level>,
    session: Option<&mut ClientSession>,
) -> Result<Option<Prepared>> {
    let collection = meta.collection;
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
                .map_err(|error| super::insert::unencodable(meta, error))?;
            wanted.extend(edge.place.keys(&raw).into_iter().map(|key| (edge, key)));
        }
        let mut set = asked
            .operators
            .get_document("$set")
            .into_iter()
            .flat_map(Document::keys);
        if set.any(|path| overlap(path, &reference)) {
            withdraw = Withdraw::Nothing;
            read = true;
        }
        read |= !edge.frozen.is_empty();
    }
    if read && !wanted.is_empty() {
        let known = source::by_keys(db, edges, &wanted, source::How::InSession(session)).await?;
        fill::not_dangling(&wanted, &known)?;
        fill_asked(edges, collection, &mut asked, &known);
    }
    beside(edges, collection, asked.operators);
    let frozen = frozen(edges, collection, asked.operators);
    let changed = paths(asked.operators, asked.adds);
    let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
    let touched = edges.touched(collection, &changed, level);
    let references: Vec<_> = wanted
        .into_iter()
        .filter(|(edge, _)| edge.marks())
        .collect();
    if touched.is_empty() && references.is_empty() && frozen.is_empty() {
        return Ok(None);
    }
    Ok(Some(Prepared {
        edges,
        collection,
        touched,
        references,
        token: ObjectId::new(),
        withdraw,
        frozen,
    }))
}

/// A reference with copies is replaced or removed; nothing is calculated with it.
fn only_set(operators: &Document, path: &str, meta: &ModelMeta) -> Result<()> {
    let with = operators.iter().find(|(_, paths)| {
        paths
            .as_document()
            .is_some_and(|paths| paths.contains_key(path))
    });
    match with {
        Some((operator, _))
            if !["$set", "$unset", "$pull", "$pullAll", "$pop"].contains(&operator.as_str()) =>
        {
            Err(Error::Unsupported {
                what: format!(
                    "{operator} of {}.{path}, which is a reference with copies: `set` it, so that its copies follow",
                    meta.name
                ),
            })
        }
        _ => Ok(()),
    }
}

/// Fills copies inside the values that are set and added, and sets those beside a reference that is set.
fn fill_asked(edges: &Edges, collection: &str, asked: &mut Asked<'_>, known: &Known) {
    let mut more = Document::new();
    if let Ok(set) = asked.operators.get_document_mut("$set") {
        for (path, value) in set.iter_mut() {
            let mut document = wrap(path, std::mem::replace(value, Bson::Null));
            fill::fill(edges, collection, &mut document, known, Which::All);
            for edge in edges.into(collection).filter(|edge| edge.place.is_single()) {
                if edge.place.path() == *path {
                    let key = at(&document, path).cloned().unwrap_or(Bson::Null);
                    if let Some(source) = known.get(edge, &key) {
                        let value_of = |from| source.fields.get(from).cloned();
                        let copies = edge.copies();
                        let copies = copies
                            .filter_map(|copied| Some((edge.full(copied), value_of(copied.from)?)));
                        more.extend(copies);
                    }
                }
            }
            *value = at(&document, path).cloned().unwrap_or(Bson::Null);
        }
        set.extend(more);
    }
    for add in asked.adds.iter_mut() {
        let mut document = wrap(&add.path, Bson::Array(std::mem::take(&mut add.values)));
        fill::fill(edges, collection, &mut document, known, Which::Frozen);
        if let Some(Bson::Array(values)) = at(&document, &add.path) {
            add.values.clone_from(values);
        }
    }
}

/// A reference that is set or removed on its own takes its revision along, and the copies that are not set with it.
fn beside(edges: &Edges, collection: &str, operators: &mut Document) {
    let holds = |operators: &Document, operator: &str, path: &str| {
        operators
            .get_document(operator)
            .is_ok_and(|paths| paths.contains_key(path))
    };
    for edge in edges.into(collection).filter(|edge| edge.place.is_single()) {
        let reference = edge.place.path();
        if !holds(operators, "$set", &reference) && !holds(operators, "$unset", &reference) {
            continue;
        }
        let mut gone = doc! { edge.place.revision_path(): "" };
        for copied in edge.copies() {
            let path = edge.full(copied);
            if !holds(operators, "$set", &path) {
                gone.insert(path, "");
            }
        }
        flags::merge(operators, "$unset", gone);
    }
}

/// The references that are set on their own and have frozen copies beside them.
fn frozen(
    edges: &'static Edges,
    collection: &str,
    operators: &Document,
) -> Vec<(&'static Edge, Bson)> {
    let set = operators.get_document("$set").ok();
    edges
        .all()
        .iter()
        .filter(|edge| edge.target.collection == collection)
        .filter(|edge| edge.place.is_single() && !edge.frozen.is_empty())
        .filter_map(|edge| Some((edge, set?.get(edge.place.path())?.clone())))
        .collect()
}

/// What one try did.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) outcome: Outcome,
    source: Option<Source>,
}

impl Prepared {
    /// Sends the update once; again where a reference beside frozen copies has changed since it was read.
    pub(crate) async fn send(
        &self,
        db: &Database,
        filter: Document,
        operators: Document,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        if self.frozen.is_empty() {
            return self.send_once(db, filter, operators, session).await;
        }
        let id = id_of(&filter);
        let mut fields = doc! {};
        fields.extend(
            self.frozen
                .iter()
                .map(|(edge, _)| (edge.place.path(), Bson::from(1))),
        );
        let mut before = None;
        for _ in 0..ROUNDS {
            let ids = std::slice::from_ref(&id);
            let found = driver::read_by(
                db,
                self.collection,
                "_id",
                ids,
                &fields,
                session.as_deref_mut(),
            );
            let found = found.await?.into_iter().next();
            let (mut now, mut filter) = (operators.clone(), filter.clone());
            let mut unchanged = Vec::new();
            for (edge, key) in found.iter().flat_map(|_| &self.frozen) {
                let path = edge.place.path();
                let stored = found.as_ref().and_then(|found| at(found, &path));
                unchanged.push(Bson::Document(doc! { &path: { "$eq": stored.cloned() } }));
                if stored == Some(key)
                    && let Ok(set) = now.get_document_mut("$set")
                {
                    for copied in &edge.frozen {
                        set.remove(edge.full(copied));
                    }
                }
            }
            if !unchanged.is_empty() {
                filter = doc! { "_id": filter.get("_id").cloned(), "$and": [filter, { "$and": unchanged }] };
            }
            let sent = self
                .send_once(db, filter, now, session.as_deref_mut())
                .await?;
            // Something else did not match.
            if sent.outcome.matched > 0 || found.is_none() || found == before {
                return Ok(sent);
            }
            before = found;
        }
        Ok(Sent {
            outcome: Outcome::default(),
            source: None,
        })
    }

    /// Sends the update, together with copies that are to be written in one transaction with it.
    async fn send_once(
        &self,
        db: &Database,
        filter: Document,
        operators: Document,
        session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        Ok(with_copies!(db, self.touched.inside, session => {
            self.write(db, filter.clone(), operators.clone(), session).await
        }))
    }

    async fn write(
        &self,
        db: &Database,
        mut filter: Document,
        mut operators: Document,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        fault!("before_w1");
        let plain = plain(&operators) && self.references.is_empty();
        self.mark(&mut operators);
        let args = |filter, changes| UpdateArgs {
            filter,
            changes,
            many: false,
            upsert: false,
            lasting: Lasting::Durable,
        };
        if self.touched.is_empty() {
            let changes = UpdateModifications::Document(operators);
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
            });
        }
        filter.insert("_dn.del", doc! { "$exists": false });
        let changes = if plain {
            UpdateModifications::Pipeline(self.pipeline(&operators))
        } else {
            flags::bump(&mut operators, &self.touched.flagged);
            UpdateModifications::Document(operators)
        };
        let fields = source::fields(self.edges, self.collection);
        let found = driver::update_and_read(
            db,
            self.collection,
            args(filter, changes),
            fields,
            session.as_deref_mut(),
        )
        .await?;
        let matched = u64::from(found.is_some());
        let source = found.map(Source::read);
        if let (Some(source), Some(session)) = (&source, session) {
            inside::fan_out(db, self.edges, &self.touched.inside, &[source], session).await?;
        }
        let outcome = Outcome {
            matched,
            modified: matched,
            ..Outcome::default()
        };
        Ok(Sent { outcome, source })
    }

    /// Whether nothing has to follow, neither for others nor for its own copies.
    pub(crate) fn ends_here(&self) -> bool {
        self.touched.is_empty() && self.references.is_empty()
    }

    /// Adds the mark of new copies.
    pub(super) fn mark(&self, operators: &mut Document) {
        if !self.references.is_empty() {
            flags::merge(
                operators,
                "$push",
                doc! { "_dn.u": flags::mark(self.token) },
            );
        }
    }

    /// The update as a pipeline, which says by itself whether a copied field changes: where none does, nothing has to follow.
    fn pipeline(&self, operators: &Document) -> Vec<Document> {
        let set = operators.get_document("$set").cloned().unwrap_or_default();
        let unset = operators
            .get_document("$unset")
            .cloned()
            .unwrap_or_default();
        let copied: Vec<&str> = self
            .edges
            .out_of(self.collection)
            .flat_map(|edge| edge.live.iter().map(|copied| copied.from))
            .collect();
        let asked = set.iter().map(|(path, value)| (path, Some(value)));
        let asked = asked.chain(unset.keys().map(|path| (path, None)));
        let changed: Vec<Bson> = asked
            .filter(|(path, _)| copied.contains(&path.as_str()))
            .map(|(path, value)| flags::differs(path, value))
            .collect();
        let all = self.edges.flagged(self.collection);
        let changed = Bson::Document(doc! { "$or": changed });
        let mut pipeline = vec![
            doc! { "$set": { "_dn": flags::bumped(changed, &self.touched.flagged, &all) } },
            doc! { "$unset": "_dn.b" },
        ];
        if !set.is_empty() {
            let literal = set
                .into_iter()
                .map(|(path, value)| (path, doc! { "$literal": value }));
            let literal: Document = literal
                .map(|(path, value)| (path, Bson::Document(value)))
                .collect();
            pipeline.push(doc! { "$set": literal });
        }
        if !unset.is_empty() {
            let paths: Vec<String> = unset.keys().cloned().collect();
            pipeline.push(doc! { "$unset": paths });
        }
        pipeline
    }

    /// What follows a write that matched: the copies of a source, the comparison of new copies with theirs. In a session all of it
    /// waits for the commit.
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
            return Ok(outcome);
        }
        if !self.references.is_empty() {
            let marked = Unverified {
                id: id_of(filter),
                tokens: vec![self.token],
                references: self.references.clone(),
            };
            fault!("after_i1");
            let settled = settle(
                db,
                self.edges,
                self.collection,
                self.token,
                &[marked],
                self.withdraw,
            )
            .await;
            outcome.pending.extend(settled?);
        }
        if let Some(source) = sent.source {
            outcome.pending.extend(
                follow(
                    db,
                    self.edges,
                    self.collection,
                    source,
                    &self.touched.unflagged,
                )
                .await?,
            );
        }
        Ok(outcome)
    }

    fn pending(&self, source: Option<&Source>) -> Vec<Pending> {
        let mut pending = pending_marks(self.collection, self.token, &self.references);
        pending.extend(
            source
                .map(|source| pending_of(self.edges, self.collection, source))
                .into_iter()
                .flatten(),
        );
        pending
    }
}

/// Whether an update only sets and removes fields at the top of the document, so that a pipeline means the same.
fn plain(operators: &Document) -> bool {
    operators.iter().all(|(operator, paths)| {
        let paths = paths.as_document();
        matches!(operator.as_str(), "$set" | "$unset")
            && paths.is_some_and(|paths| paths.keys().all(|path| !path.contains('.')))
    })
}
