//! The update of one parent for the children of some calls, and the marks and tokens that it leaves on the parent.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::children::ChangedChildren;
use crate::driver::Database;
use crate::graph::flags;
use crate::graph::links::{Link, Recent};
use crate::graph::source::Source;
use crate::propagation::counter::{CountAt, GroupCount, tokens_of_calls};
use crate::propagation::links::ToRefill;
use crate::propagation::recent::{Attempt, ListUpdate, Marks};
use crate::schema::stored;

/// The state of the children of a call after their parents were updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Finished {
    /// The children were as their parents know them when their flags were removed.
    Confirmed,
    /// The flags were removed, but some children may have changed before: lists are compared with the children.
    Changed,
    /// The flags of the children may still be set.
    Failed,
}

/// The marks and tokens that one update has left on its parent, and the number of its calls that are not finished yet.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) parent: Bson,
    pub(super) unfinished: usize,
    pub(super) worst: Finished,
    pub(super) lists: Vec<(&'static Link, Marks)>,
    pub(super) tokens: Vec<ObjectId>,
}

/// The marks and tokens that an update has left on a parent. If they are found there later, no crash of the server has undone the update.
#[derive(Debug)]
pub(crate) struct Evidence {
    marks: Vec<ObjectId>,
    tokens: Vec<ObjectId>,
}

impl Evidence {
    /// True if the parent shows that the update was made. An update is one write, so that any part of it proves the rest.
    pub(crate) fn is_on(&self, parent: &Document) -> bool {
        let mut marks = flags::marks(parent, stored::key::UNCONFIRMED);
        let is_own = |mark: &Document| {
            let token = flags::token_of(mark);
            token.is_some_and(|token| self.marks.contains(&token))
        };
        marks.any(is_own) || tokens_of_calls(parent).any(|token| self.tokens.contains(&token))
    }
}

impl Group {
    /// Takes the marks of the lists that may lack children: the calls compare these lists with the children, and remove the marks.
    pub(super) fn take_refill(&mut self) -> ToRefill {
        let lists = self.lists.iter_mut();
        let lists = lists.map(|(link, marks)| (*link, std::mem::take(&mut marks.refill)));
        lists.filter(|(_, marks)| !marks.is_empty()).collect()
    }

    pub(super) fn evidence(&self) -> Evidence {
        let marks = self.lists.iter();
        let marks = marks.flat_map(|(_, marks)| marks.put.iter().chain(&marks.refill));
        Evidence {
            marks: marks.copied().collect(),
            tokens: self.tokens.clone(),
        }
    }
}

/// The update of one parent for the children of some calls.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) parent: Bson,
    query: Document,
    update: Bson,
    calls: usize,
    attempts: Vec<(&'static Link, Attempt)>,
    count: Option<GroupCount>,
    tokens: Vec<ObjectId>,
    /// The epoch that starts because tokens are removed.
    next: Option<ObjectId>,
    pub(super) removes_marks: bool,
}

impl Statement {
    /// Plans the update, which also removes these tokens and marks. `None` if the epoch of the parent does not allow to count the children,
    /// if the children belong to several tenants, or if they are too many for one update of a list.
    ///
    /// Operators push new children that no list has had yet. They cost the server a fraction of the pipeline that compares children with
    /// the entries of the list; the filter demands that the list has none of them.
    pub(super) fn plan(
        db: &Database,
        calls: &[ChangedChildren],
        unneeded: &[ObjectId],
        marks: &[ObjectId],
    ) -> Option<Self> {
        let first = calls.first()?;
        if calls.iter().any(|call| call.inside != first.inside) {
            return None;
        }
        let parent = first.parent.clone();
        let counted: Vec<&CountAt> = calls.iter().filter_map(|one| one.count.as_ref()).collect();
        let mut query = doc! { "_id": { "$eq": &parent } };
        query.extend(first.inside.clone());
        let mut count = None;
        if !counted.is_empty() {
            let group = GroupCount::plan(db, &counted)?;
            query = group.filter(unneeded.len());
            count = Some(group);
        }
        query.insert(stored::TOMBSTONE, doc! { "$exists": false });
        let mut changes = Vec::new();
        for (link, list, children) in by_list(calls) {
            changes.push(ListUpdate::plan(link, list, &parent, &children)?);
        }
        let next = (count.is_some() && !unneeded.is_empty()).then(ObjectId::new);
        let is_plain = count.as_ref().is_none_or(GroupCount::is_plain);
        let only_adds = is_plain && next.is_none() && marks.is_empty();
        let update = if only_adds && changes.iter().all(ListUpdate::only_adds) {
            let mut operators = Document::new();
            changes
                .iter()
                .for_each(|change| change.push(&mut query, &mut operators));
            if let Some(count) = &count {
                count.push(&mut operators);
            }
            Bson::Document(operators)
        } else {
            let mut pipeline: Vec<Document> = Vec::new();
            pipeline.extend(changes.iter().flat_map(ListUpdate::stages));
            pipeline.extend(count.as_ref().map(|count| count.stage(unneeded, next)));
            if !marks.is_empty() {
                pipeline.extend(flags::unmark_links(marks));
            }
            Bson::from(pipeline)
        };
        let attempts = changes.into_iter().map(ListUpdate::into_attempt);
        let attempts = attempts.collect();
        Some(Statement {
            parent,
            query,
            update,
            calls: calls.len(),
            attempts,
            tokens: counted.iter().map(|count| count.token()).collect(),
            count,
            next,
            removes_marks: !marks.is_empty(),
        })
    }

    /// The filter and the update, which are sent once.
    pub(super) fn take(&mut self) -> (Document, Bson) {
        let update = std::mem::replace(&mut self.update, Bson::Null);
        (std::mem::take(&mut self.query), update)
    }

    /// The filter and the update as a statement of a command.
    pub(super) fn take_update(&mut self) -> Document {
        let (query, update) = self.take();
        doc! { "q": query, "u": update }
    }

    /// True if the update removes the tokens that nothing needs any more.
    pub(super) fn removes_tokens(&self) -> bool {
        self.next.is_some()
    }

    /// True if the parent shows that the update was made.
    pub(super) fn is_on(&self, parent: &Document) -> bool {
        let counted = tokens_of_calls(parent).any(|token| self.tokens.contains(&token));
        let mut lists = self.attempts.iter();
        counted || lists.any(|(_, attempt)| attempt.marks(parent).any())
    }

    /// Records the result. Call it after the update; `parent` is the parent after the update, if it was read.
    pub(super) fn done(self, db: &Database, parent: Option<&Document>) -> Group {
        if let Some(count) = &self.count {
            count.done(db, self.next);
        }
        let lists = self.attempts.into_iter().map(|(link, attempt)| {
            let marks = match parent {
                Some(parent) => attempt.marks(parent),
                None => attempt.all_marks(),
            };
            (link, marks)
        });
        Group {
            parent: self.parent,
            unfinished: self.calls,
            worst: Finished::Confirmed,
            lists: lists.collect(),
            tokens: self.tokens,
        }
    }
}

/// A list, and the children that change it. Each child comes with true if it belongs into the list.
type OfList<'c> = (&'static Link, &'static Recent, Vec<(&'c Source, bool)>);

fn by_list(calls: &[ChangedChildren]) -> Vec<OfList<'_>> {
    let mut out: Vec<OfList<'_>> = Vec::new();
    for (link, list, children) in calls.iter().flat_map(|call| &call.lists) {
        let changes = children.iter().map(|(child, belongs)| (&**child, *belongs));
        match out
            .iter_mut()
            .find(|(known, ..)| std::ptr::eq(*known, *link))
        {
            Some((.., known)) => known.extend(changes),
            None => out.push((link, list, changes.collect())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_of_a_finisher_is_no_evidence() {
        let (token, child) = (ObjectId::new(), ObjectId::new());
        let evidence = Evidence {
            marks: Vec::new(),
            tokens: vec![token],
        };
        let with = |tokens: Bson| doc! { "_dn": { "k": { "a": tokens } } };
        assert!(evidence.is_on(&with(vec![doc! { "t": token }].into())));
        assert!(!evidence.is_on(&with(vec![doc! { "t": token, "i": child }].into())));
        assert!(!evidence.is_on(&with(vec![doc! { "t": ObjectId::new() }].into())));
        assert!(!evidence.is_on(&Document::new()));
    }
}
