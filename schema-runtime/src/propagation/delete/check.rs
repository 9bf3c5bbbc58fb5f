//! The check of everything that may refuse a delete, before anything is written.

use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocumentBuf, doc};

use super::indexes::open_hinted;
use super::plan::{Plan, keys};
use crate::bson_util::id_key::IdKey;
use crate::driver::FindArgs;
use crate::driver::rows::Rows;
use crate::error::{Error, Result};
use crate::graph::relations::{Reach, Relation};
use crate::outcome::deleted::Blocker;
use crate::outcome::progress::Tell;
use crate::schema::relation::OnDelete;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::stored;
use crate::{ClientSession, Database, driver};

/// How many documents are read, marked or deleted together.
pub(crate) const PAGE: usize = 5_000;

/// How many of the documents that refuse are counted at most.
const COUNTED: u64 = 1_000;

/// The documents that the delete removes itself: their references do not refuse it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Going<'s> {
    /// The documents that the walk has seen, as hashes.
    Seen(&'s HashSet<u128>),
    /// The documents with this tombstone.
    Marked(ObjectId),
}

/// A document as a hash, so that a table can hold everything that a delete concerns.
fn hashed(collection: &str, id: &Bson) -> u128 {
    let key = (collection, IdKey::new(id));
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, &key).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// The arguments of a query of a relation, which must use the relation's index.
pub(crate) fn args(relation: &Relation, projection: Document) -> FindArgs {
    FindArgs {
        projection: Some(projection),
        batch_size: u32::try_from(PAGE).ok(),
        hint: relation.hint(),
        ..FindArgs::default()
    }
}

/// Opens a query of a relation.
///
/// # Errors
/// [`Error::MissingIndex`].
pub(crate) async fn open<'a>(
    db: &Database,
    relation: &Relation,
    filter: Document,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
) -> Result<Rows<'a>> {
    let (edge, child) = (&relation.edge.name, relation.child());
    open_hinted(db, edge, child, filter, args, session).await
}

/// The next documents of a result, at most a page.
pub(crate) async fn page(rows: &mut Rows<'_>) -> Result<Vec<Document>> {
    let mut page = Vec::new();
    while page.len() < PAGE {
        let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
        let Some(row) = row else { break };
        page.extend(row);
    }
    Ok(page)
}

/// The `_id`s of these documents.
pub(crate) fn ids(page: &[Document]) -> Vec<Bson> {
    page.iter()
        .filter_map(|one| one.get("_id").cloned())
        .collect()
}

/// Checks that no document refuses the deletion of these.
///
/// # Errors
/// [`Error::Referenced`] with all documents that refuse.
pub(crate) async fn refused(
    db: &Database,
    plan: &Plan,
    collection: &str,
    page: &[Document],
    going: Going<'_>,
    which: impl Fn(&Relation) -> bool,
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let mut found: Option<(&'static str, Bson)> = None;
    let mut by = Vec::new();
    let denies = |relation: &&Relation| relation.rule == OnDelete::Deny && which(relation);
    for relation in plan.relations.to(collection).filter(denies) {
        let keys = keys(relation, page);
        if keys.is_empty() {
            continue;
        }
        let mut filter = relation.referring(&keys);
        if plan.marks {
            filter = DocumentScope::Live.restrict(relation.edge.target, filter);
        }
        let entangled = plan.entangled(relation);
        if let (Going::Marked(op), true) = (going, entangled) {
            filter.insert(stored::TOMBSTONE, doc! { "$ne": op });
        }
        let passes = |raw: &bson::RawDocument| match going {
            Going::Seen(seen) if entangled => {
                let id = raw.get("_id").ok().flatten();
                let id = id.and_then(|id| Bson::try_from(id).ok());
                !id.is_some_and(|id| seen.contains(&hashed(relation.child(), &id)))
            }
            _ => true,
        };
        let mut args = args(relation, doc! { "_id": 1, relation.edge.place.root(): 1 });
        if !(matches!(going, Going::Seen(_)) && entangled) {
            args.limit = Some(-1);
        }
        let session = session.as_deref_mut();
        let mut rows = open(db, relation, filter.clone(), args, session).await?;
        let mut first: Option<RawDocumentBuf> = None;
        let mut count = 0;
        while let Some(row) = rows
            .next(|raw| Ok(passes(raw).then(|| raw.to_owned())))
            .await?
        {
            if let Some(row) = row {
                count += 1;
                first.get_or_insert(row);
            }
            if count >= COUNTED {
                break;
            }
        }
        let session = rows.session();
        let Some(first) = first else { continue };
        if count == 1 && !entangled {
            count = driver::count(
                db,
                relation.child(),
                filter,
                Some(COUNTED),
                driver::Strings::Exactly,
                driver::ReadOptions::from_primary(),
                session,
            )
            .await?;
        }
        let whole = Document::try_from(first.as_ref()).unwrap_or_default();
        found.get_or_insert_with(|| {
            let held = match &relation.reach {
                Reach::Scan(hidden) => hidden.held(&whole, &keys),
                Reach::Index => relation.edge.place.keys(&first),
            };
            let held = held.iter().find(|key| keys.contains(key));
            let key = held.or(keys.first()).cloned();
            (relation.edge.source.name, key.unwrap_or(Bson::Null))
        });
        by.push(Blocker {
            model: relation.edge.target.name,
            field: relation.shown(),
            count: count.max(1),
            more: count >= COUNTED,
            sample: whole.get("_id").cloned().unwrap_or(Bson::Null),
        });
    }
    match found {
        None => Ok(()),
        Some((model, id)) => Err(Error::Referenced {
            model,
            id: Box::new(id),
            by,
        }),
    }
}

/// A walk over everything that a delete concerns.
pub(crate) struct Check<'a, 't> {
    db: &'a Database,
    plan: &'a Plan,
    /// The documents seen so far, if the walk may come back to one, or if a refusing document may be among them.
    seen: HashSet<u128>,
    /// The documents that the delete removes, after the first walk.
    going: Option<HashSet<u128>>,
    /// The pages to visit next, if the walk may be as deep as there are documents.
    waiting: VecDeque<(&'static str, Vec<Document>)>,
    tell: &'a mut Tell<'t>,
}

impl<'a, 't> Check<'a, 't> {
    pub(crate) fn new(db: &'a Database, plan: &'a Plan, tell: &'a mut Tell<'t>) -> Self {
        Check {
            db,
            plan,
            seen: HashSet::new(),
            going: None,
            waiting: VecDeque::new(),
            tell,
        }
    }

    /// Starts the second walk: all documents that the delete removes are known now.
    pub(crate) fn again(&mut self) {
        self.going = Some(std::mem::take(&mut self.seen));
    }

    /// Checks that nothing refuses the deletion of these documents of the collection of the call, and of all that are deleted with them.
    pub(crate) async fn roots(
        &mut self,
        page: &[Document],
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        self.visit(self.plan.root, page.to_vec(), session.as_deref_mut())
            .await?;
        while let Some((collection, page)) = self.waiting.pop_front() {
            self.visit(collection, page, session.as_deref_mut()).await?;
        }
        Ok(())
    }

    fn visit<'f>(
        &'f mut self,
        collection: &'static str,
        mut page: Vec<Document>,
        mut session: Option<&'f mut ClientSession>,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'f>> {
        Box::pin(async move {
            let (db, plan) = (self.db, self.plan);
            if plan.circular || plan.is_entangled() {
                page.retain(|one| {
                    let id = one.get("_id").unwrap_or(&Bson::Null);
                    self.seen.insert(hashed(collection, id))
                });
            }
            if page.is_empty() {
                return Ok(());
            }
            let nothing = HashSet::new();
            let second = self.going.is_some();
            let going = Going::Seen(self.going.as_ref().unwrap_or(&nothing));
            let which = |relation: &Relation| plan.entangled(relation) == second;
            let asked = session.as_deref_mut();
            refused(db, plan, collection, &page, going, which, asked).await?;
            if !second {
                self.tell.looked(page.len());
            }
            for relation in plan.descents(collection) {
                let child = relation.child();
                let mut filter = relation.referring(&keys(relation, &page));
                if plan.marks {
                    filter = DocumentScope::Live.restrict(relation.edge.target, filter);
                }
                let args = args(relation, plan.fields(child));
                let asked = session.as_deref_mut();
                let mut rows = open(db, relation, filter, args, asked).await?;
                loop {
                    let children = self::page(&mut rows).await?;
                    if children.is_empty() {
                        break;
                    }
                    if plan.circular {
                        self.waiting.push_back((child, children));
                    } else {
                        self.visit(child, children, rows.session()).await?;
                    }
                }
            }
            Ok(())
        })
    }
}
