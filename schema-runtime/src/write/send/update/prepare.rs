//! Prepares an update: finds the references that it stores, reads their sources (R0), fills the copies, and decides what has to follow.

use std::collections::HashSet;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocumentBuf, doc};
use futures::future::BoxFuture;

use super::super::request::{UpdateRequest, fits_pipeline};
use super::super::{Withdraw, mark_flag};
use super::{Marking, Prepared};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::overlap;
use crate::bson_util::stored_id::{id_in_filter, id_of};
use crate::document::encoding::unencodable;
use crate::driver::{self, ClientSession, Database, FindArgs};
use crate::error::{Error, Result};
use crate::finisher;
use crate::graph::edges::{Edge, Edges};
use crate::graph::links::Link;
use crate::propagation::capacity::{NewChild, NewParents};
use crate::propagation::counter::apply::CountToken;
use crate::propagation::fill::Frozen;
use crate::propagation::source_reads::ReadMode;
use crate::propagation::sources_by_key::SourcesByKey;
use crate::propagation::{capacity, counter, fill, recent, sources_by_key, tenants};
use crate::schema::model::ModelMeta;
use crate::schema::relation::Level;
use crate::schema::soft_delete::{Mark, deleted_field};
use crate::schema::stamps::AlwaysWritten;
use crate::schema::tenant::of_tenant;
use crate::write::adds::paths;

/// Prepares an update; `None` if it touches neither a copied field nor a reference that is checked, or has copies or derived data. Fills
/// the copies of the references that it sets from their sources.
pub(crate) fn prepare<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    mut request: UpdateRequest<'f>,
    level: Option<Level>,
    mut session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Option<Prepared>>> {
    Box::pin(async move {
        let edges = Edges::get();
        let collection = meta.collection;
        recent::check_server(db, collection).await?;
        let in_session = session.is_some();
        let stored = StoredReferences::find(meta, &request)?;
        let filter = request.many.or(request.one);
        let tenant = {
            let set = request.operators.get_document("$set").ok();
            tenants::of_update(meta, (&stored.keys, set), filter)?
        };
        request.clear_copies_of_absent(collection);
        let read = stored
            .fill_from_sources(
                db,
                meta,
                &mut request,
                tenant.as_ref(),
                session.as_deref_mut(),
            )
            .await?;
        request.unset_sibling_copies(collection);
        let changed = paths(request.operators, request.adds);
        let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
        let mut touched = edges.touched(collection, &changed, level);
        if in_session {
            touched = touched.all_flagged();
        }
        let withdraw = stored.withdraw;
        let references = stored.marked();
        let links = ChangedLinks::find(collection, &changed);
        let skips = read.skipped.is_some();
        if touched.is_empty() && references.is_empty() && !skips && !links.moves {
            return Ok(None);
        }
        let new_parents = match links.moves {
            true => {
                let of = (meta, tenant.as_ref());
                links.check_parents(db, of, &request, session).await?
            }
            false => Vec::new(),
        };
        Ok(Some(Prepared {
            count_token: links.counts.then(CountToken::now),
            collection,
            touched,
            references,
            tenant,
            sources: read.sources,
            token: ObjectId::new(),
            withdraw,
            moves: links.moves,
            lists: links.lists,
            new_parents,
            always: AlwaysWritten::of(meta),
            passed_over: read.skipped,
            returning: false,
            marking: None,
        }))
    })
}

/// The references that an update stores.
struct StoredReferences {
    /// The keys, in the order of the edges, as often as they are stored.
    keys: Vec<(&'static Edge, Bson)>,
    /// True if their sources are read before the update.
    reads_sources: bool,
    /// True if a reference with frozen copies is set.
    sets_frozen: bool,
    withdraw: Withdraw,
}

/// The result of R0.
#[derive(Default)]
struct ReadSources {
    /// The sources, if the update stores what they say.
    sources: Option<SourcesByKey>,
    /// A filter that skips the documents which have the new reference already.
    skipped: Option<Document>,
}

impl StoredReferences {
    fn find(meta: &'static ModelMeta, request: &UpdateRequest<'_>) -> Result<Self> {
        let mut out = StoredReferences {
            keys: Vec::new(),
            reads_sources: false,
            sets_frozen: false,
            withdraw: Withdraw::Elements,
        };
        let changed = paths(request.operators, request.adds);
        let edges = Edges::get().all().iter();
        for edge in edges.filter(|edge| edge.target.collection == meta.collection) {
            let reference = edge.place.path();
            for path in changed.iter().filter(|path| overlap(path, &reference)) {
                request.check_operator_at(path, meta)?;
            }
            for stored in request.stored(edge) {
                let raw =
                    RawDocumentBuf::try_from(&stored).map_err(|error| unencodable(meta, error))?;
                let keys = edge.place.keys(&raw).into_iter();
                out.keys.extend(keys.map(|key| (edge, key)));
            }
            let set = request.operators.get_document("$set").into_iter();
            let mut set = set.flat_map(Document::keys);
            if set.any(|path| overlap(path, &reference)) {
                out.withdraw = Withdraw::Rule;
                out.reads_sources = true;
                out.sets_frozen |= !edge.frozen.is_empty();
            }
            out.reads_sources |= edge.is_filled_first();
        }
        // A reference without live copies is refused before it is written, and needs no other look before the call returns.
        out.reads_sources |= out.keys.iter().all(|(edge, _)| edge.live.is_empty());
        Ok(out)
    }

    /// R0. Fills the copies in the request.
    async fn fill_from_sources(
        &self,
        db: &Database,
        meta: &'static ModelMeta,
        request: &mut UpdateRequest<'_>,
        tenant: Option<&Bson>,
        mut session: Option<&mut ClientSession>,
    ) -> Result<ReadSources> {
        // In a session the verification waits for the commit, so dangling references have to be found now, and those through the wall
        // always.
        let reads_sources = self.reads_sources || tenant.is_some();
        if self.keys.is_empty() || !reads_sources && session.is_none() {
            return Ok(ReadSources::default());
        }
        let (collection, held) = (meta.collection, session.as_deref_mut());
        let how = ReadMode::InSession(held);
        let known = sources_by_key::read_by_keys(db, &self.keys, tenant, how).await?;
        fill::not_dangling(&self.keys, &known)?;
        let mut read = ReadSources::default();
        let frozen = match request.one {
            Some(filter) if self.sets_frozen => {
                Frozen::stored(db, collection, filter, session).await?
            }
            None if self.sets_frozen => {
                read.skipped = Some(request.only_reference_set(meta)?);
                Frozen::default()
            }
            _ => Frozen::default(),
        };
        request.fill_copies(collection, &known, &frozen);
        read.sources = reads_sources.then_some(known);
        Ok(read)
    }

    /// The references that the update marks: each once, however often an array refers to it, because one part of a statement corrects an
    /// element.
    fn marked(self) -> Vec<(&'static Edge, Bson)> {
        let mut seen = HashSet::new();
        self.keys
            .into_iter()
            .filter(|(edge, key)| edge.marks() && seen.insert((&edge.name, IdKey::new(key))))
            .collect()
    }
}

/// The changes that an update makes to the parents of the document.
struct ChangedLinks {
    /// True if the update writes a reference whose parents hold derived data of their children, or a field that they add up.
    moves: bool,
    /// True if some of these parents hold an array of their children.
    lists: bool,
    /// True if some of these parents count their children.
    counts: bool,
}

impl ChangedLinks {
    fn find(collection: &str, changed: &[&str]) -> Self {
        let links = || Edges::get().links_of(collection);
        let moves = |link: &Link| changed.iter().any(|path| link.regroups_at(path));
        let counts = |link: &Link| changed.iter().any(|path| link.counts_at(path));
        ChangedLinks {
            moves: links().any(moves),
            lists: links().any(|link| link.is_two_way() && changed.contains(&link.row)),
            counts: links().any(counts),
        }
    }

    /// C0 of the new parents; in a session the check that they are there and have room. Gives those that are checked where the update is
    /// sent.
    async fn check_parents(
        &self,
        db: &Database,
        (meta, tenant): (&'static ModelMeta, Option<&Bson>),
        request: &UpdateRequest<'_>,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Vec<NewParents>> {
        let collection = meta.collection;
        if !fits_pipeline(collection, request.operators, request.adds) {
            return Err(Error::Impossible {
                what: format!(
                    "an update of {} that sets a reference whose parents keep something of their children, or a field that they add up, together with operators other than `set` and `unset` of whole fields: send two updates",
                    meta.name
                ),
            });
        }
        let set = request.operators.get_document("$set").ok();
        if let Some(set) = set.filter(|_| self.counts && session.is_none() && finisher::is_behind())
        {
            let parents = |link: &Link| {
                let inside = of_tenant(link.host, tenant);
                let parents = link.parents_in(set).into_iter();
                parents.map(|id| (id, inside.clone())).collect()
            };
            counter::learn_epochs(db, collection, parents).await?;
        }
        let children = self.children(db, collection, request, session.as_deref_mut());
        let children = children.await?;
        let belongs = |link: &Link| {
            let parents = set.map_or_else(Vec::new, |set| link.parents_in(set));
            let new = |id: &Bson| NewChild {
                id: id.clone(),
                parents: parents.clone(),
                tenant: tenant.cloned(),
            };
            children.iter().map(new).collect()
        };
        let all = capacity::along_links(collection, belongs);
        if session.is_none() {
            return Ok(all);
        }
        capacity::reserve_places(db, &all, &[], session).await?;
        Ok(Vec::new())
    }

    /// The `_id` of the child that is updated; of many children as many as are sure not to fit into a bounded array, and null where no
    /// array is bounded.
    async fn children(
        &self,
        db: &Database,
        collection: &str,
        request: &UpdateRequest<'_>,
        session: Option<&mut ClientSession>,
    ) -> Result<Vec<Bson>> {
        let links = Edges::get().links_of(collection);
        let bounds = links.filter(|link| self.lists && link.is_two_way());
        let max = bounds.map(Link::max).max().unwrap_or(0);
        let gains = request.operators.contains_key("$set");
        let one = request.one.map_or(Bson::Null, id_in_filter);
        let (filter, limit, strings) = match (request.one, request.many) {
            (_, Some(filter)) => (filter, max + 1, driver::Strings::AsCollection),
            (Some(filter), None) if one == Bson::Null => (filter, 1, driver::Strings::Exactly),
            _ => return Ok(vec![one]),
        };
        if max == 0 || !gains {
            return Ok(vec![one]);
        }
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            limit: i64::try_from(limit).ok(),
            strings,
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, collection, filter.clone(), args, session).await?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next(|raw| Ok(id_of(raw))).await? {
            ids.push(row);
        }
        Ok(ids)
    }
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
    let cascades = mark != Mark::Remove && !in_session && mark_flag::along(meta).next().is_some();
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
        count_token: counts.then(CountToken::now),
        collection,
        touched,
        references: Vec::new(),
        tenant: None,
        sources: None,
        token,
        withdraw: Withdraw::Elements,
        moves: true,
        lists: edges.links_of(collection).any(Link::is_two_way),
        new_parents: Vec::new(),
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
