//! Repairs gaps, one after another, while the stream is still being followed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};
use tokio::sync::Notify;

use super::Shared;
use super::batch::Change;
use super::effects::{Done, Effects, Raised, to_flag};
use super::fanned::Fanned;
use super::interest::{Interest, Interests};
use super::position::{Gap, Pen, Scope};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::stored_id::id_of;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::graph::relations::Relations;
use crate::maintenance::repair::repair;
use crate::maintenance::verify::{Defect, Part, ReferenceReport, Scan, chosen, verify};
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::stored;

/// The shortest and the longest pause before a repair that failed is tried again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(600));

/// The largest number of comparisons of a scope, if other writers change its documents during each of them.
const ROUNDS: usize = 20;

/// The longest delay after which a document becomes visible, counted from its time field: clocks differ, and a slow write is late.
pub(crate) const OVERLAP: Duration = Duration::from_secs(60);

/// The largest number of flagged documents that are taken over together.
const FLAGGED: usize = 500;

/// The gaps that are not repaired yet, as they are stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gaps {
    list: Arc<Mutex<List>>,
    more: Arc<Notify>,
}

#[derive(Debug, Default)]
struct List {
    gaps: Vec<Gap>,
    /// The repair of this many gaps at the front has begun: what happens now may be behind its walk.
    begun: usize,
    /// The edges along which documents refer to sources that do not exist yet.
    dangling: HashSet<String>,
}

impl Gaps {
    pub(crate) fn new(gaps: Vec<Gap>, dangling: Vec<String>) -> Gaps {
        let list = List {
            gaps,
            begun: 0,
            dangling: dangling.into_iter().collect(),
        };
        Gaps {
            list: Arc::new(Mutex::new(list)),
            more: Arc::default(),
        }
    }

    fn change_list<T>(&self, change: impl FnOnce(&mut List) -> T) -> T {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut list)
    }

    /// The gaps whose scope no waiting gap covers. A gap whose repair has begun covers nothing that happens later.
    pub(crate) fn without_waiting(&self, gaps: Vec<Gap>) -> Vec<Gap> {
        self.change_list(|list| {
            let mut new: Vec<Gap> = Vec::new();
            for gap in gaps {
                let waiting = list.gaps.iter().skip(list.begun);
                if !waiting.chain(&new).any(|known| known.scope == gap.scope) {
                    new.push(gap);
                }
            }
            new
        })
    }

    /// Adds gaps that have been stored.
    pub(crate) fn add(&self, gaps: Vec<Gap>) {
        if !gaps.is_empty() {
            self.change_list(|list| list.gaps.extend(gaps));
            self.more.notify_one();
        }
    }

    /// These edges without the ones that are stored as dangling already.
    pub(crate) fn without_dangling(&self, mut names: Vec<String>) -> Vec<String> {
        self.change_list(|list| names.retain(|name| !list.dangling.contains(name)));
        names
    }

    /// Adds edges along which documents refer to sources that do not exist yet.
    pub(crate) fn await_sources(&self, dangling: Vec<String>) {
        self.change_list(|list| list.dangling.extend(dangling));
    }

    /// The edges along which a new source may be awaited: all, while a repair looks for references to sources that do not exist.
    pub(crate) fn awaited(&self, interests: &Interests) -> HashSet<String> {
        self.change_list(|list| {
            let begun = list.gaps.iter().take(list.begun);
            let looks = |gap: &Gap| !matches!(gap.scope, Scope::Link(_));
            match begun.into_iter().any(looks) {
                true => {
                    let edges = interests.all().flat_map(|interest| &interest.out);
                    edges.map(|edge| edge.name.clone()).collect()
                }
                false => list.dangling.clone(),
            }
        })
    }

    pub(crate) fn all(&self) -> Vec<Gap> {
        self.change_list(|list| list.gaps.clone())
    }

    fn take_first(&self) -> Option<Gap> {
        self.change_list(|list| {
            let first = list.gaps.first().cloned();
            list.begun = usize::from(first.is_some());
            first
        })
    }

    /// Ends a repair: removes its gap, or puts the gap behind the others if the repair failed. `compared` is the rest that it has left.
    fn end(&self, compared: Option<&Compared>) {
        self.change_list(|list| {
            list.begun = 0;
            if !list.gaps.is_empty() {
                let gap = list.gaps.remove(0);
                match compared {
                    Some(compared) => list.dangling.extend(compared.dangling.iter().cloned()),
                    None => list.gaps.push(gap),
                }
            }
        });
    }
}

/// Repairs gaps for as long as this program leads.
pub(crate) async fn run(pen: Pen, gaps: Gaps, times: Vec<(&'static str, String)>, shared: Shared) {
    let interests = Interests::among(Relations::get());
    let mut pause = PAUSES.0;
    loop {
        let Some(gap) = gaps.take_first() else {
            gaps.more.notified().await;
            continue;
        };
        let done = repair_gap(&pen, &interests, &times, &gap).await;
        if let Err(Error::LeaseLost { .. }) = &done {
            return;
        }
        gaps.end(done.as_ref().ok());
        shared.change(|status| {
            status.gaps = gaps.all();
            match &done {
                Ok(compared) => {
                    status.repaired += 1;
                    let refused = compared.refused.iter();
                    refused.for_each(|refused| status.note(refused));
                }
                Err(error) => status.note(format!("the repair of a gap ({}): {error}", gap.reason)),
            }
        });
        pause = match done {
            Ok(_) => PAUSES.0,
            Err(_) => {
                tokio::time::sleep(pause).await;
                (pause * 2).min(PAUSES.1)
            }
        };
    }
}

async fn repair_gap(
    pen: &Pen,
    interests: &Interests,
    times: &[(&'static str, String)],
    gap: &Gap,
) -> Result<Compared> {
    fault!("follow_before_repair");
    if let (Scope::Everything { .. }, Some(from)) = (&gap.scope, gap.from) {
        raise_changed(&pen.db, interests, times, from).await?;
    }
    fault!("follow_after_changed");
    let compared = repair_scope(&pen.db, interests, &gap.scope).await?;
    fault!("follow_after_repair");
    pen.clear(gap, &compared.dangling).await?;
    Ok(compared)
}

/// The rest that the comparison of a scope has left.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// The changes that the server refused.
    pub(crate) refused: Vec<String>,
    /// The edges along which documents refer to sources that do not exist.
    dangling: Vec<String>,
}

/// Compares everything in a scope, and corrects it.
///
/// # Errors
/// The driver's, [`Error::MissingIndex`]; [`Error::Busy`] if other writers changed the same documents during every look. Then the gap
/// stays.
pub(crate) async fn repair_scope(
    db: &Database,
    interests: &Interests,
    scope: &Scope,
) -> Result<Compared> {
    let edges = Edges::get();
    let all = || registry::models();
    let (models, links, keeps_orphans): (Vec<&'static ModelMeta>, Vec<&'static Link>, bool) =
        match scope {
            Scope::Everything { followed } => (all(), edges.links().iter().collect(), !followed),
            Scope::Collection(name) => around(name),
            Scope::References(name) => (around(name).0, Vec::new(), false),
            Scope::Link(name) => {
                let links = edges.links().iter().filter(|link| link.name == *name);
                (Vec::new(), links.collect(), true)
            }
        };
    let mut effects = Effects {
        db,
        interests,
        fanned: Fanned::default(),
    };
    let mut refused = Vec::new();
    let mut dangling = Vec::new();
    if !models.is_empty() {
        refused.extend(take_over_flags(&mut effects).await?);
        refused.extend(raise_sources(&mut effects, &models).await?);
        for round in 0.. {
            let references = repair(db)
                .models(&models)
                .part(Part::References(doc! {}))
                .keeping_orphans(keeps_orphans)
                .await?;
            let reasons = references.refused.iter();
            refused.extend(reasons.map(|(id, reason)| format!("{id}: {reason}")));
            let orphans = references.found.references.iter();
            let leads_nowhere = [Defect::Orphan, Defect::OtherTenant];
            let orphans =
                orphans.filter(|edge| leads_nowhere.iter().any(|kind| edge.count(*kind) > 0));
            dangling.extend(orphans.map(|edge| edge.name.clone()));
            if references.found.unsettled == 0 {
                break;
            }
            busy(round)?;
        }
        if !refused.is_empty() {
            left_unflagged(db, &models).await?;
        }
    }
    for link in links {
        for round in 0.. {
            let (_, unsettled) = effects.mend_parents(link, None).await?;
            if !unsettled {
                break;
            }
            busy(round)?;
        }
    }
    Ok(Compared { refused, dangling })
}

/// Raises the sources whose time field says that they changed after this time, and fans them out: what other programs changed in the gap
/// is right after that, long before everything is compared. The comparison finds the rest: what they deleted, and changes of targets.
async fn raise_changed(
    db: &Database,
    interests: &Interests,
    times: &[(&'static str, String)],
    from: DateTime,
) -> Result<()> {
    let overlap = i64::try_from(OVERLAP.as_millis()).unwrap_or_default();
    let from = DateTime::from_millis(from.timestamp_millis() - overlap);
    let mut effects = Effects {
        db,
        interests,
        fanned: Fanned::default(),
    };
    let mut done = Done::default();
    for (collection, field) in times {
        let Some(interest) = interests.find(collection) else {
            continue;
        };
        if !interest.keeps_revisions() {
            continue;
        }
        let filter = doc! { field: { "$gte": from }, stored::TOMBSTONE: { "$exists": false } };
        let mut rows = ids(db, interest.collection, filter).await?;
        loop {
            let changes = rows.take(FLAGGED).await?;
            if changes.is_empty() {
                break;
            }
            raise_all(&mut effects, interest, &changes, &mut done).await?;
        }
    }
    // The server refuses the same when everything is compared.
    Ok(())
}

/// Raises documents, and fans out all that they are sources of.
async fn raise_all(
    effects: &mut Effects<'_>,
    interest: &Interest,
    changes: &[Change],
    done: &mut Done,
) -> Result<()> {
    let raised = changes.iter().map(|change| Raised {
        id: &change.id,
        names: to_flag(interest, change),
        // A gap does not say what happened in it: another program may have put all of the document back.
        whole: true,
        doubtful: false,
    });
    effects.raise(interest, raised.collect(), done).await
}

/// The `_id`s of documents, in pieces.
struct Ids(driver::Rows<'static>);

async fn ids(db: &Database, collection: &'static str, filter: Document) -> Result<Ids> {
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        ..FindArgs::default()
    };
    driver::open(db, collection, filter, args, None)
        .await
        .map(Ids)
}

impl Ids {
    /// The next ones, as documents that were stored; none at the end.
    async fn take(&mut self, n: usize) -> Result<Vec<Change>> {
        let mut out = Vec::new();
        while out.len() < n {
            match self.0.next(|raw| Ok(id_of(raw))).await? {
                Some(id) => out.push(Change::stored(id)),
                None => break,
            }
        }
        Ok(out)
    }
}

/// Raises the source of every copy that is wrong, and fans it out. A copy that is compared at the revision that it has can be overwritten
/// by a late fan-out of that revision, from before another program's change; one that is written at a new revision cannot.
async fn raise_sources(
    effects: &mut Effects<'_>,
    models: &[&'static ModelMeta],
) -> Result<Vec<String>> {
    let mut done = Done::default();
    let (db, interests) = (effects.db, effects.interests);
    let mut scan = Scan::new(db, chosen(Some(models)));
    while let Some(batch) = scan.next().await? {
        let mut sources: BTreeMap<&'static str, HashMap<IdKey, (Bson, Vec<&'static str>)>> =
            BTreeMap::new();
        for wrong in &batch.wrong {
            let stale = matches!(wrong.finding.kind, Defect::Stale | Defect::WrongType);
            if let (Some(id), true, false) = (&wrong.source, stale, wrong.of_reference) {
                let sources = sources.entry(wrong.edge.source.collection).or_default();
                let source = sources
                    .entry(IdKey::new(id))
                    .or_insert_with(|| (id.clone(), Vec::new()));
                if !source.1.contains(&wrong.edge.name.as_str()) {
                    source.1.push(&wrong.edge.name);
                }
            }
        }
        for (collection, sources) in &sources {
            let Some(interest) = interests.find(collection) else {
                continue;
            };
            let raised = sources.values().map(|(id, names)| Raised {
                id,
                names: names.clone(),
                whole: true,
                doubtful: false,
            });
            effects.raise(interest, raised.collect(), &mut done).await?;
        }
    }
    Ok(done.refused)
}

/// Checks that every document that the server refused to change is flagged. Without a flag, only the gap leads to the document.
async fn left_unflagged(db: &Database, models: &[&'static ModelMeta]) -> Result<()> {
    let found = verify(db)
        .models(models)
        .part(Part::References(doc! {}))
        .await?;
    let wrong = [Defect::Stale, Defect::WrongType, Defect::Ahead];
    let wrong = |edge: &&ReferenceReport| wrong.iter().any(|kind| edge.count(*kind) > 0);
    match found.references.iter().find(wrong) {
        None => Ok(()),
        Some(edge) => Err(Error::Refused {
            reference: edge.name.clone(),
            code: 0,
            message: "the server refuses a change, and what is wrong without it carries no flag"
                .to_owned(),
        }),
    }
}

/// Raises all sources that are flagged, and compares all copies that are marked. The comparison passes over what is flagged, because a
/// writer is about to finish it; but what that writer writes, it read before another program's change, and it clears its flag without
/// another look. Now its revision has passed, and the values are those of now.
async fn take_over_flags(effects: &mut Effects<'_>) -> Result<Vec<String>> {
    let mut done = Done::default();
    for interest in effects.interests.all() {
        let mut flags = Vec::new();
        if interest.keeps_revisions() {
            flags.push(stored::PENDING);
        }
        if !interest.incoming.is_empty() {
            flags.push(stored::UNVERIFIED_TOKEN);
        }
        for flag in flags {
            let filter =
                doc! { flag: { "$exists": true }, stored::TOMBSTONE: { "$exists": false } };
            let mut rows = ids(effects.db, interest.collection, filter).await?;
            loop {
                let changes = rows.take(FLAGGED).await?;
                if changes.is_empty() {
                    break;
                }
                if flag == stored::PENDING {
                    raise_all(effects, interest, &changes, &mut done).await?;
                } else {
                    let changes: Vec<&Change> = changes.iter().collect();
                    effects
                        .compare_copies(interest, &changes, &mut done)
                        .await?;
                }
            }
        }
    }
    // The comparison that follows covers everything that these effects would record as gaps.
    Ok(done.refused)
}

/// The models that hold references to a collection or are stored in it, and the links that it takes part in.
fn around(name: &str) -> (Vec<&'static ModelMeta>, Vec<&'static Link>, bool) {
    let mut collections = BTreeSet::from([name]);
    let to = Relations::get().to(name);
    collections.extend(to.map(|relation| relation.child()));
    let models = registry::models().into_iter();
    let models = models.filter(|model| collections.contains(model.collection));
    let links = Edges::get().links().iter();
    let links = links.filter(|link| link.child.collection == name || link.host.collection == name);
    (models.collect(), links.collect(), false)
}

fn busy(round: usize) -> Result<()> {
    match round < ROUNDS {
        true => Ok(()),
        false => Err(Error::Busy {
            what: "a gap".to_owned(),
        }),
    }
}
