//! The check of all references that may refuse a delete, before anything is written.

use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;

use bson::{Bson, Document};

use super::pages::{self, args, hashed, open};
use super::plan::Plan;
use super::refusals::{Going, RefusalCheck};
use crate::driver::{ClientSession, Database};
use crate::error::Result;
use crate::graph::relations::Relation;
use crate::outcome::progress::Tell;
use crate::schema::soft_delete::DocumentScope;

/// A walk over all documents that a delete concerns.
pub(crate) struct Check<'a, 't> {
    db: &'a Database,
    plan: &'a Plan,
    /// The documents seen so far. They are recorded only if the walk may come back to one, or if a refusing document may be among them.
    seen: HashSet<u128>,
    /// The documents that the delete removes; known after the first walk.
    going: Option<HashSet<u128>>,
    /// The pages to visit next, if the depth of the walk can be as great as the number of documents.
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

    /// Checks that nothing refuses the deletion of these documents of the collection of the call, and of all documents that are deleted
    /// with them.
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
                for keys in relation.keys(&page) {
                    let mut filter = relation.referring(&keys);
                    if plan.marks {
                        filter = DocumentScope::Live.restrict(relation.edge.target, filter);
                    }
                    let args = args(relation, plan.fields(child));
                    let asked = session.as_deref_mut();
                    let mut rows = open(db, relation, filter, args, asked).await?;
                    loop {
                        let children = pages::page(&mut rows).await?;
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
            }
            Ok(())
        })
    }
}
