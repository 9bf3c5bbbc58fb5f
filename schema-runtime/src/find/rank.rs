//! Ranks beside those of the documents that a query finds.

use std::fmt;

use bson::{Bson, Document, RawDocument, doc};

use super::Find;
use crate::builder::{awaits, read_options, reads_in_transactions};
use crate::error::{Error, Result};
use crate::schema::field::place::{Path, path};
use crate::schema::field::{Field, Handles};
use crate::schema::model::Model;
use crate::schema::rank::Rank;

/// The side of a rank on which the next one is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

/// A query for a rank that no document has, about to be sent. `.await` gives a [`Rank`].
#[must_use = "nothing is sent before it is awaited"]
pub struct NextRank<'a, M> {
    find: Find<'a, M>,
    /// The path of the ranks.
    ranks: String,
    side: Side,
    /// The rank beside which it is to be; `None` for the beginning or the end of the order.
    beside: Option<Rank>,
}

impl<M> fmt::Debug for NextRank<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model, K> Find<'a, M, M, K> {
    /// Gives a [`Rank`] before those of all documents of the query, whose order, `skip` and `limit` do not matter. Sends one `find` for one
    /// document, in the order of the ranks; nothing is written.
    pub fn rank_first<P: Path<Root = M>, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, Rank, I, W>,
    ) -> NextRank<'a, M> {
        self.next_rank(field, Side::Above, None)
    }

    /// Gives a [`Rank`] after those of all documents of the query, as [`rank_first`](Self::rank_first).
    pub fn rank_last<P: Path<Root = M>, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, Rank, I, W>,
    ) -> NextRank<'a, M> {
        self.next_rank(field, Side::Below, None)
    }

    /// Gives a [`Rank`] right after this one, before all others of the query that are greater, as [`rank_first`](Self::rank_first).
    ///
    /// # Errors
    /// [`Error::Impossible`] after some hundred documents that were each put at the same place; [`Rank::spread`] then gives all of them
    /// new ranks.
    pub fn rank_after<P: Path<Root = M>, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, Rank, I, W>,
        rank: &Rank,
    ) -> NextRank<'a, M> {
        self.next_rank(field, Side::Above, Some(rank.clone()))
    }

    /// Gives a [`Rank`] right before this one, as [`rank_after`](Self::rank_after).
    ///
    /// # Errors
    /// As [`rank_after`](Self::rank_after).
    pub fn rank_before<P: Path<Root = M>, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, Rank, I, W>,
        rank: &Rank,
    ) -> NextRank<'a, M> {
        self.next_rank(field, Side::Below, Some(rank.clone()))
    }

    fn next_rank<P: Path<Root = M>, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, Rank, I, W>,
        side: Side,
        beside: Option<Rank>,
    ) -> NextRank<'a, M> {
        let _ = field(M::FieldHandles::VALUE);
        NextRank {
            find: self.retyped(),
            ranks: path::<P>(),
            side,
            beside,
        }
    }
}

read_options!(['a, M] NextRank<'a, M>, find.options);
reads_in_transactions!(['a, M] NextRank<'a, M>, find.session);

/// The text at this path.
fn text_at<'r>(raw: &'r RawDocument, path: &str) -> Option<&'r str> {
    match path.split_once('.') {
        None => raw.get_str(path).ok(),
        Some((step, rest)) => text_at(raw.get_document(step).ok()?, rest),
    }
}

impl<M: Model> NextRank<'_, M> {
    async fn find(self) -> Result<Rank> {
        let NextRank {
            find,
            ranks,
            side,
            beside,
        } = self;
        let (operator, order) = match side {
            Side::Below => ("$lt", -1),
            Side::Above => ("$gt", 1),
        };
        let others: Bson = match &beside {
            Some(rank) => doc! { operator: rank.as_str() }.into(),
            None => doc! { "$gt": "" }.into(),
        };
        let mut find = find.narrowed(Ok(doc! { &ranks: others }));
        find.sort = Some(doc! { &ranks: order });
        (find.skip, find.limit) = (None, Some(1));
        let projection: Document = doc! { "_id": 0, &ranks: 1 };
        let (_, rows) = find.send(Some(projection), &[]).await?;
        let read = |raw: &RawDocument| Ok(text_at(raw, &ranks).and_then(|text| text.parse().ok()));
        let next: Option<Rank> = rows.all(read).await?.pop().flatten();
        let (lower, upper) = match side {
            Side::Below => (next, beside),
            Side::Above => (beside, next),
        };
        Rank::between(lower.as_ref(), upper.as_ref()).ok_or_else(|| Error::Impossible {
            what: format!(
                "there is no room for a rank at this place of {}.{ranks}: give the documents new ones with `Rank::spread`",
                M::model_meta().name
            ),
        })
    }
}

awaits!(['a, M: Model] NextRank<'a, M> => Rank, self { self.find().await });
