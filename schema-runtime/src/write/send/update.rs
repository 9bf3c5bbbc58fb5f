//! Updates of one document of a model that others copy from, list or count, or that refers to others: W1 and R1. `prepare` completes the
//! update, `pipeline` is its form with conditions of the server, and `follow` goes on after it.

mod follow;
mod pipeline;
mod prepare;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;

pub(crate) use self::prepare::{prepare, prepare_marking};
use super::Withdraw;
use super::inside::{TransactionWrites, with_copies};
use crate::driver::{self, ClientSession, Database, Lasting, UpdateArgs};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges, Touched};
use crate::graph::flags;
use crate::graph::source::Source;
use crate::outcome::{Outcome, Pending};
use crate::propagation::capacity::{NewParents, reserve_places};
use crate::propagation::counter::Reservations;
use crate::propagation::counter::apply::CountToken;
use crate::propagation::source;
use crate::propagation::sources_by_key::SourcesByKey;
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::Mark;
use crate::schema::stamps::AlwaysWritten;
use crate::schema::stored;

/// The additions that an update of a model with edges needs.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(super) collection: &'static str,
    /// Edges whose copies have to be updated.
    pub(crate) touched: Touched,
    /// References that this update stores.
    pub(crate) references: Vec<(&'static Edge, Bson)>,
    /// The tenant of the documents, if the update stores references to other documents with a tenant.
    pub(super) tenant: Option<Bson>,
    /// The sources of these references, if the update stores what they say.
    pub(super) sources: Option<SourcesByKey>,
    pub(crate) token: ObjectId,
    withdraw: Withdraw,
    /// True if the update writes a reference whose parents hold derived data of their children.
    pub(crate) moves: bool,
    /// The token of children that another parent may have to count after this update.
    pub(crate) count_token: Option<CountToken>,
    /// True if some of these parents hold a list of their children.
    lists: bool,
    /// The children with their new parents, whose lists have to have places for them; none in a session, where that is checked before.
    pub(super) new_parents: Vec<NewParents>,
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
    /// True if the write flags the documents, because other documents are marked with them.
    pub(crate) cascades: bool,
    /// The way in which the filter of many documents compares strings.
    pub(crate) strings: driver::Strings,
}

/// The result of one attempt.
#[derive(Debug, Default)]
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

impl Sent {
    /// The result of a write that gives the document it has changed, if any.
    fn found(document: Option<&Document>) -> Self {
        let matched = u64::from(document.is_some());
        Sent {
            outcome: Outcome {
                matched,
                modified: matched,
                ..Outcome::default()
            },
            ..Sent::default()
        }
    }
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
        let places = reserve_places(db, &self.new_parents, &[], None).await?;
        match self.send_in_places(db, filter, operators, session).await {
            Ok(sent) => {
                if sent.outcome.matched == 0 {
                    places.release(db).await?;
                }
                Ok(sent)
            }
            Err(error) => Err(places.release_after(db, error).await),
        }
    }

    async fn send_in_places(
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

    /// R1 alone, or W1; where the document gets a parent whose number has a bound, P1 before it.
    async fn write(
        &self,
        db: &Database,
        filter: Document,
        operators: Document,
        session: Option<&mut ClientSession>,
        own: bool,
    ) -> Result<Sent> {
        let reserved = match session {
            Some(_) => Reservations::none(),
            None => self.reserve_move(db, &filter, &operators).await?,
        };
        match self.write_once(db, filter, operators, session, own).await {
            Ok(sent) => {
                self.release_unused(db, &reserved, sent.source.as_ref())
                    .await?;
                Ok(sent)
            }
            Err(error) => Err(reserved.release_after(db, error).await),
        }
    }

    async fn write_once(
        &self,
        db: &Database,
        filter: Document,
        mut operators: Document,
        session: Option<&mut ClientSession>,
        own: bool,
    ) -> Result<Sent> {
        fault!("before_w1");
        let mut others = operators.clone();
        let events = super::events::take(&mut others);
        let piped = self.is_piped(&others);
        if !piped {
            self.mark(&mut operators);
        }
        if self.is_followed() {
            let changes = if piped {
                let mut pipeline = self.pipeline(&others, None);
                pipeline.extend(events);
                UpdateModifications::Pipeline(pipeline)
            } else {
                flags::bump(&mut operators, &self.touched.flagged);
                UpdateModifications::Document(operators)
            };
            return self
                .write_source(db, durable(filter, changes), session, own)
                .await;
        }
        if let Some(always) = self.always.as_ref().filter(|_| piped) {
            always.touch(&mut operators);
        }
        let changes = UpdateModifications::Document(operators);
        self.write_references(db, durable(filter, changes), session)
            .await
    }

    /// True if other documents follow the changed one.
    pub(super) fn is_followed(&self) -> bool {
        !self.touched.is_empty() || self.count_token.is_some() || self.marking.is_some()
    }

    /// R1 of a document that no other document follows.
    async fn write_references(
        &self,
        db: &Database,
        args: UpdateArgs,
        session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        if self.returning {
            let all = Document::new();
            let found = driver::update_and_read(db, self.collection, args, all, session).await?;
            let mut sent = Sent::found(found.as_ref());
            sent.document = found;
            return Ok(sent);
        }
        let result = driver::update(db, self.collection, args, session).await?;
        Ok(Sent {
            outcome: Outcome {
                matched: result.matched_count,
                modified: result.modified_count,
                ..Outcome::default()
            },
            ..Sent::default()
        })
    }

    /// Sends W1, and in a transaction (the library's own, if `own`) also the writes that belong into it with the source.
    async fn write_source(
        &self,
        db: &Database,
        mut args: UpdateArgs,
        mut session: Option<&mut ClientSession>,
        own: bool,
    ) -> Result<Sent> {
        args.filter
            .insert(stored::TOMBSTONE, doc! { "$exists": false });
        let fields = match self.returning {
            true => Document::new(),
            false => source::fields(self.collection),
        };
        let held = session.as_deref_mut();
        let found = driver::update_and_read(db, self.collection, args, fields, held).await?;
        let mut sent = Sent::found(found.as_ref());
        sent.document = found.clone().filter(|_| self.returning);
        sent.source = found.map(Source::read);
        if let (Some(source), Some(session)) = (&sent.source, session) {
            sent.inside = own && self.is_two_way(source);
            let writes = TransactionWrites {
                db,
                collection: self.collection,
                touched: &self.touched,
                count_token: self.count_token,
            };
            sent.lists = writes.send(source, session, own).await?;
        }
        Ok(sent)
    }

    /// True if only parents with two-way references store something about the changed document.
    fn is_two_way(&self, source: &Source) -> bool {
        let two_way = |name: &String| {
            let mut links = Edges::get().links_of(self.collection);
            links.any(|link| link.name == *name && link.is_two_way())
        };
        source.pending.iter().all(two_way) && self.touched.unflagged.is_empty()
    }
}

/// A durable update of one document.
fn durable(filter: Document, changes: UpdateModifications) -> UpdateArgs {
    UpdateArgs {
        filter,
        changes,
        many: false,
        upsert: false,
        lasting: Lasting::Durable,
        strings: driver::Strings::Exactly,
    }
}
