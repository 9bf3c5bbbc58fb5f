//! The check of everything that may refuse a delete, before anything is written.

use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;

use bson::{Bson, Document};

use super::indexes::open_hinted;
use super::plan::{Plan, keys};
use super::refusals::{Going, RefusalCheck};
use crate::bson_util::id_key::IdKey;
use crate::driver::FindArgs;
use crate::driver::rows::Rows;
use crate::error::Result;
use crate::graph::relations::Relation;
use crate::outcome::progress::Tell;
use crate::schema::soft_delete::DocumentScope;
use crate::{ClientSession, Database};

/// How many documents are read, marked or deleted together.
pub(crate) const PAGE: usize = 5_000;

/// A document as a hash, so that a table can hold everything that a delete concerns.
pub(super) fn hashed(collection: &str, id: &Bson) -> u128 {
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
            let check = RefusalCheck {
                db,
                plan,
                collection,
                page: &page,
                going: Going::Seen(self.going.as_ref().unwrap_or(&nothing)),
            };
            let which = |relation: &Relation| plan.entangled(relation) == second;
            check.run(which, session.as_deref_mut()).await?;
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
