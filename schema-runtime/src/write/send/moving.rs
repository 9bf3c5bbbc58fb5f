//! A document of a tree gets another parent, and all documents below it other ancestors (docs/PROTOCOL.md, 4.19).
//!
//! A document of the library says which node moves. The steps that follow are the same for every program: whoever finds a move that makes no
//! progress finishes it.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;

use super::request::UpdateRequest;
use super::{WAITS, finish_blocking_delete, not_deleted, prepare};
use crate::bson_util::id_key::{IdKey, IdMap};
use crate::bson_util::number::integer;
use crate::driver::{self, Database, Lasting, UpdateArgs};
use crate::error::violation::Violation;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::index::duplicate;
use crate::outcome::Outcome;
use crate::propagation::target::{self, Moving, Rewrite, read_state, wait};
use crate::schema::model::ModelMeta;
use crate::schema::tenant::{of_tenant, tenant_field};
use crate::schema::tree::TreeFields;
use crate::schema::{stamps, stored};

/// The callback that receives the number of documents that are moved.
pub(crate) type Listener<'t> = Box<dyn FnMut(u64) + Send + 't>;

/// A tree whose documents move.
pub(crate) struct Moves<'m> {
    pub(crate) db: &'m Database,
    pub(crate) meta: &'static ModelMeta,
    pub(crate) tree: TreeFields,
}

/// The parents of documents; `None` of a root.
type Parents = IdMap<Option<Bson>>;

/// The result of a move: the outcome, or the reason why the document stays.
type Ended = std::result::Result<Outcome, Error>;

impl Moves<'_> {
    /// Gives a document another parent, or none. A call of a tenant moves its documents alone.
    pub(crate) async fn move_to(
        &self,
        (node, to): (Bson, Bson),
        tenant: Option<&Bson>,
        listener: &mut Option<Listener<'_>>,
    ) -> Result<Outcome> {
        let (path, collection) = (self.tree.path, self.meta.collection);
        let edges = Edges::get();
        edges.in_no_circle()?;
        let mut copies = edges.out_of(collection).flat_map(|edge| &edge.live);
        let mut shown = edges.links_of(collection).flat_map(|link| link.seen());
        if copies.any(|copied| copied.from == path) || shown.any(|field| field == path) {
            let what = format!(
                "a move of a {}, whose `{path}` other documents store",
                self.meta.name
            );
            return Err(Error::Impossible { what });
        }
        let mut move_it = doc! { "node": &node, "to": &to };
        let tenant = self.find_tenant((&node, &to), tenant).await?;
        move_it.extend(tenant.map(|tenant| ("tenant".to_owned(), tenant)));
        let token = ObjectId::new();
        move_it.insert("token", token);
        loop {
            if let Some(moving) = self.begin_move(&move_it, token).await? {
                return Box::pin(self.finish(moving, listener)).await?;
            }
            if let Some(other) = wait(self.db, collection)
                .await?
                .filter(|other| other.token != token.into())
            {
                // Why the document of another call stays is for that call to know.
                let _ = Box::pin(self.finish(other, &mut None)).await?;
            }
        }
    }

    /// Finishes the move that another program has left, if there is one and `take` chooses it.
    pub(crate) async fn resume(
        &self,
        take: &mut (dyn FnMut(&Moving) -> bool + Send),
    ) -> Result<bool> {
        let state = read_state(self.db, self.meta.collection).await?;
        let Some(moving) = state
            .as_ref()
            .and_then(Moving::read)
            .filter(|moving| take(moving))
        else {
            return Ok(false);
        };
        let _ = Box::pin(self.finish(moving, &mut None)).await?;
        Ok(true)
    }

    /// The tenant of a document that moves; its new parent has to have the same. A document keeps its tenant while others refer to it. Sends
    /// one `find`, if the model has a tenant.
    async fn find_tenant(
        &self,
        (node, to): (&Bson, &Bson),
        seen: Option<&Bson>,
    ) -> Result<Option<Bson>> {
        let Some(field) = tenant_field(self.meta) else {
            return Ok(None);
        };
        let (fields, ids) = (doc! { field: 1 }, [node.clone(), to.clone()]);
        let (name, inside) = (self.meta.collection, of_tenant(self.meta, seen));
        let read = driver::read_where(self.db, name, ("_id", &ids), &inside, &fields, None).await?;
        let tenant = |id: &Bson| {
            let is_id = |one: &&Document| one.get("_id").map(IdKey::new) == Some(IdKey::new(id));
            let one = read.iter().find(is_id)?;
            Some(one.get(field).cloned().unwrap_or(Bson::Null))
        };
        let Some(own) = tenant(node) else {
            return Err(self.not_found(node));
        };
        let is_own = |tenant: Bson| IdKey::new(&tenant) == IdKey::new(&own);
        match *to == Bson::Null || tenant(to).is_some_and(is_own) {
            true => Ok(Some(own)),
            false => Err(self.dangling(to)),
        }
    }

    /// T: one `findAndModify`. `None` if a move is under way.
    async fn begin_move(&self, moving: &Document, token: ObjectId) -> Result<Option<Moving>> {
        // Where the document is lost, with a backup of some collections, the revision is still greater than those in the tree.
        let next = doc! { "$add": [{ "$ifNull": ["$revision", 0_i64] }, 1_i64] };
        let revision = doc! { "$max": [next, { "$toLong": "$$NOW" }] };
        let args = UpdateArgs {
            filter: doc! { "_id": self.meta.collection, "moving": { "$exists": false } },
            changes: UpdateModifications::Pipeline(vec![doc! {
                "$set": { "moving": { "$literal": moving }, "revision": revision },
            }]),
            many: false,
            upsert: true,
            lasting: Lasting::Durable,
            strings: driver::Strings::Exactly,
        };
        let fields = Document::new();
        let begun = driver::update_and_read(self.db, stored::TREES, args, fields, None).await;
        fault!("after_t");
        let found = match begun {
            Ok(found) => found,
            Err(error) if driver::is_duplicate(&error) || driver::outcome_unknown(&error) => {
                read_state(self.db, self.meta.collection).await?
            }
            Err(error) => return Err(error),
        };
        let moving = found.as_ref().and_then(Moving::read);
        Ok(moving.filter(|moving| moving.token == token.into()))
    }

    /// The steps after T. Each has no effect the second time.
    async fn finish(&self, moving: Moving, listener: &mut Option<Listener<'_>>) -> Result<Ended> {
        let (db, collection) = (self.db, self.meta.collection);
        let moving = match self.decide(moving).await? {
            Ok(moving) => moving,
            Err(ended) => return Ok(ended),
        };
        fault!("after_v");
        let placed = Box::pin(self.place(&moving)).await?;
        fault!("after_n");
        let mut ended = match placed {
            Ok(outcome) => Ok(outcome),
            Err(refused) if !self.is_placed(&moving).await? => {
                self.end(&moving).await?;
                // Another program has made this move, and one above it since.
                let anywhere = Moving {
                    path: None,
                    ..moving
                };
                return Ok(match self.is_placed(&anywhere).await? {
                    true => Ok(outcome_of_another()),
                    false => Err(refused),
                });
            }
            Err(refused) => Err(refused),
        };
        let rewrite = self.rewrite(&moving);
        let (mut rows, mut changed) = (rewrite.find_below(db).await?, 0);
        while let Some(more) = rewrite.change_next(db, &mut rows).await? {
            changed += more;
            if let Some(listener) = listener {
                listener(changed);
            }
            let done = i64::try_from(changed).unwrap_or(i64::MAX);
            let beat = doc! { "$set": { "moving.done": done } };
            self.change_state(&moving, doc! {}, beat).await?;
            fault!("mid_s");
        }
        fault!("after_s");
        self.end(&moving).await?;
        fault!("after_e");
        // Writers of documents that were stored meanwhile have left their marks to this one.
        let marked = doc! { stored::UNVERIFIED_TOKEN: { "$exists": true } };
        Box::pin(target::resume(db, collection, marked, &mut |_| true)).await?;
        if let Ok(outcome) = &mut ended {
            outcome.modified += changed;
        }
        Ok(ended)
    }

    fn rewrite(&self, moving: &Moving) -> Rewrite<'static> {
        Rewrite {
            collection: self.meta.collection,
            tree: self.tree,
            node: moving.node.clone(),
            path: moving.path.clone().unwrap_or_default(),
            revision: moving.revision,
        }
    }

    /// Changes the document of the tree while this move is under way. True if it still is.
    async fn change_state(
        &self,
        moving: &Moving,
        also: Document,
        update: Document,
    ) -> Result<bool> {
        let mut q = doc! { "_id": self.meta.collection, "revision": moving.revision, "moving": { "$exists": true } };
        q.extend(also);
        let update = doc! { "q": q, "u": update };
        let sent = driver::statements(self.db, stored::TREES, &[update], true, None).await?;
        Ok(sent.matched > 0)
    }

    async fn end(&self, moving: &Moving) -> Result<()> {
        self.change_state(moving, doc! {}, doc! { "$unset": { "moving": "" } })
            .await?;
        Ok(())
    }

    /// V: decides once, for all programs, whether the document may move, and to where. Sends two `aggregate`s and an `update`.
    async fn decide(&self, mut moving: Moving) -> Result<std::result::Result<Moving, Ended>> {
        if moving.path.is_some() {
            return Ok(Ok(moving));
        }
        let open = doc! { "moving.path": { "$exists": false } };
        let new = self.new_path(&moving).await?;
        let update = match &new {
            Ok(path) => doc! { "$set": { "moving.path": path } },
            Err(_) => doc! { "$unset": { "moving": "" } },
        };
        fault!("before_v");
        let refused = match (self.change_state(&moving, open, update).await?, new) {
            (true, Ok(path)) => {
                moving.path = Some(path);
                return Ok(Ok(moving));
            }
            (true, Err(refused)) => return Ok(Err(Err(refused))),
            (false, new) => new.err(),
        };
        let state = read_state(self.db, self.meta.collection).await?;
        let now = state.as_ref().and_then(Moving::read);
        if let Some(now) = now.filter(|now| now.revision == moving.revision && now.path.is_some()) {
            return Ok(Ok(now));
        }
        // Another program has finished the move, or refused it.
        Ok(Err(match self.is_placed(&moving).await? {
            true => Ok(outcome_of_another()),
            false => Err(refused.unwrap_or_else(|| self.unsettled(&moving))),
        }))
    }

    /// The documents above the moved document and its new parent, each with its parent, as they are: stored ancestors may be those of an
    /// earlier move. One `aggregate`.
    async fn read_parents(&self, moving: &Moving) -> Result<Parents> {
        let (TreeFields { above, .. }, collection) = (self.tree, self.meta.collection);
        // No document of the program has a field of this name.
        let walk = doc! { "from": collection, "startWith": format!("${above}"), "connectFromField": above, "connectToField": "_id", "as": stored::OWN };
        let own = |field: &str| format!("{}.{field}", stored::OWN);
        let pipeline = vec![
            doc! { "$match": { "_id": { "$in": [&moving.node, &moving.to] } } },
            doc! { "$graphLookup": walk },
            doc! { "$project": { above: 1, own("_id"): 1, own(above): 1 } },
        ];
        let rows = driver::aggregated(self.db, collection, pipeline).await?;
        let walked = rows
            .iter()
            .filter_map(|row| row.get_array(stored::OWN).ok());
        let all = rows
            .iter()
            .chain(walked.flatten().filter_map(Bson::as_document));
        let parents = all.filter_map(|one| {
            let above = one.get(above).filter(|above| **above != Bson::Null);
            Some((IdKey::new(one.get("_id")?), above.cloned()))
        });
        Ok(parents.collect())
    }

    /// The ancestors of the children of a document, by these parents.
    fn ancestors(&self, parents: &Parents, of: &Bson) -> std::result::Result<Vec<Bson>, Error> {
        let (mut next, mut path) = (Some(of).filter(|of| **of != Bson::Null), Vec::new());
        while let Some(key) = next {
            let parent = parents.get(&IdKey::new(key));
            let Some(parent) = parent.filter(|_| path.len() as u64 <= self.tree.depth) else {
                return Err(self.dangling(key));
            };
            path.insert(0, key.clone());
            next = parent.as_ref();
        }
        Ok(path)
    }

    /// The new ancestors, or the reason why the document may not move.
    async fn new_path(&self, moving: &Moving) -> Result<std::result::Result<Vec<Bson>, Error>> {
        let (path, depth) = (self.tree.path, self.tree.depth);
        let (name, node) = (self.meta.name, &moving.node);
        let parents = self.read_parents(moving).await?;
        let is_node = |id: &Bson| IdKey::new(id) == IdKey::new(node);
        if !parents.contains_key(&IdKey::new(node)) {
            return Ok(Err(self.not_found(node)));
        }
        let new = match self.ancestors(&parents, &moving.to) {
            Ok(new) if !new.iter().any(is_node) => new,
            Err(dangling) => return Ok(Err(dangling)),
            Ok(_) => {
                let (id, to) = (Box::new(node.clone()), Box::new(moving.to.clone()));
                return Ok(Err(Error::BelowItself {
                    model: name,
                    id,
                    to,
                }));
            }
        };
        let field = format!("${path}");
        let from = doc! { "$indexOfArray": [&field, { "$literal": node }] };
        let levels = doc! { "$max": { "$subtract": [{ "$size": &field }, from] } };
        let pipeline = vec![
            doc! { "$match": { path: { "$eq": node } } },
            doc! { "$group": { "_id": null, "levels": levels } },
        ];
        let rows = driver::aggregated(self.db, self.meta.collection, pipeline).await?;
        let levels = rows.first().and_then(|row| integer(row.get("levels")));
        if new.len() as u64 + levels.unwrap_or(0).unsigned_abs() > depth {
            let too_deep = Violation::too_long(path.to_owned(), depth);
            return Ok(Err(Error::invalid(name, vec![too_deep])));
        }
        Ok(Ok(new))
    }

    fn not_found(&self, node: &Bson) -> Error {
        Error::NotFound {
            model: self.meta.name,
            id: Box::new(node.clone()),
        }
    }

    fn dangling(&self, parent: &Bson) -> Error {
        Error::Dangling {
            model: self.meta.name,
            field: self.tree.above.to_owned(),
            target: self.meta.name,
            ids: vec![parent.clone()],
        }
    }

    fn unsettled(&self, moving: &Moving) -> Error {
        Error::Unsettled {
            model: self.meta.name,
            id: Box::new(moving.node.clone()),
        }
    }

    /// N: the document gets its parent and its ancestors by one update, which its lists and counts follow. A refusal of the server is made
    /// final for all programs: the document takes the revision of this move where it stands.
    async fn place(&self, moving: &Moving) -> Result<Ended> {
        let refused = match Box::pin(self.try_place(moving)).await {
            Ok(outcome) => return Ok(Ok(outcome)),
            Err(error) if driver::is_batch_wide(&error) => return Err(error),
            Err(error) => duplicate::typed(self.meta, driver::outgrown(self.meta, error), &[]),
        };
        let parents = self.read_parents(moving).await?;
        let above = parents.get(&IdKey::new(&moving.node)).cloned().flatten();
        let mut set = doc! { stored::PLACE: moving.revision };
        if let Ok(path) = self.ancestors(&parents, above.as_ref().unwrap_or(&Bson::Null)) {
            set.insert(self.tree.path, path);
        }
        let mut q = doc! { "_id": { "$eq": &moving.node }, self.tree.above: { "$eq": above } };
        q.extend(self.rewrite(moving).outdated());
        let fence = doc! { "q": q, "u": { "$set": set } };
        driver::statements(self.db, self.meta.collection, &[fence], true, None).await?;
        Ok(Err(refused))
    }

    async fn try_place(&self, moving: &Moving) -> Result<Outcome> {
        let (db, meta, tree) = (self.db, self.meta, self.tree);
        let mut id = doc! { "_id": { "$eq": &moving.node } };
        id.extend(of_tenant(meta, moving.tenant.as_ref()));
        let mut filter = id.clone();
        filter.extend(self.rewrite(moving).outdated());
        not_deleted(meta, &mut filter);
        for _ in 0..=WAITS {
            let mut set = doc! { tree.path: &moving.path };
            let mut operators = Document::new();
            match &moving.to {
                Bson::Null if tree.is_left_out => {
                    operators.insert("$unset", doc! { tree.above: "" });
                }
                to => drop(set.insert(tree.above, to)),
            }
            operators.insert("$set", set);
            let request = UpdateRequest {
                operators: &mut operators,
                adds: &mut [],
                one: Some(&id),
                many: None,
            };
            let prepared = Box::pin(prepare(db, meta, request, None, None)).await?;
            if let Ok(set) = operators.get_document_mut("$set") {
                set.insert(stored::PLACE, moving.revision);
            }
            let outcome = match prepared {
                Some(prepared) => {
                    let sent = Box::pin(prepared.send(db, filter.clone(), operators, None)).await?;
                    match sent.outcome.matched {
                        0 => Outcome::default(),
                        _ => Box::pin(prepared.follow(db, &id, sent, false)).await?,
                    }
                }
                None => {
                    stamps::touch(meta, &mut operators);
                    let args = UpdateArgs {
                        lasting: Lasting::Durable,
                        ..UpdateArgs::plain(filter.clone(), operators, false)
                    };
                    let sent = driver::update(db, meta.collection, args, None).await?;
                    Outcome {
                        matched: sent.matched_count,
                        modified: sent.modified_count,
                        ..Outcome::default()
                    }
                }
            };
            if outcome.matched > 0 {
                return Ok(outcome);
            }
            if self.is_placed(moving).await? {
                return Ok(outcome_of_another());
            }
            if !finish_blocking_delete(db, meta, &id).await? {
                break;
            }
        }
        Err(
            match self
                .read_parents(moving)
                .await?
                .contains_key(&IdKey::new(&moving.node))
            {
                true => self.unsettled(moving),
                false => self.not_found(&moving.node),
            },
        )
    }

    /// True if the document has the parent and, once these are decided, the ancestors of this move.
    async fn is_placed(&self, moving: &Moving) -> Result<bool> {
        let fields = doc! { self.tree.above: 1, self.tree.path: 1 };
        let ids = [moving.node.clone()];
        let found =
            driver::read_by(self.db, self.meta.collection, "_id", &ids, &fields, None).await?;
        Ok(found
            .first()
            .is_some_and(|found| moving.has_placed(self.tree, found)))
    }
}

/// The outcome of a move that another program has finished.
fn outcome_of_another() -> Outcome {
    Outcome {
        matched: 1,
        modified: 1,
        ..Outcome::default()
    }
}
