//! Finds documents: the filter, the order, and the type that each document is read as.

pub(crate) mod access;
pub(crate) mod count;
mod each;
pub(crate) mod fresh;
pub(crate) mod group;
pub(crate) mod ids;
pub(crate) mod nearby;
pub(crate) mod nearest;
mod numbered;
pub(crate) mod one;
pub(crate) mod operators;
pub(crate) mod page;
pub(crate) mod periods;
pub(crate) mod rank;
pub(crate) mod ranked;
mod sort;
mod stages;
pub(crate) mod tree;
pub(crate) mod unwind;
pub(crate) mod variant;

use std::fmt;
use std::marker::PhantomData;

use bson::{Document, doc};
use mongodb::options::ReadConcernLevel;

pub use self::count::Count;
pub use self::ids::Ids;
pub use self::one::{Exists, FindOne, OneId, Required};
pub use self::sort::{ByCollation, IntoSort, Sort, ThenBy};
use super::driver;
use crate::bson_util::order::{SortKey, may_be_merged};
use crate::bson_util::redacted::Redacted;
use crate::builder::awaits;
use crate::builder::{document_scopes, read_options, reads_in_transactions};
use crate::driver::call::Streamed;
use crate::driver::{ClientSession, Database};
use crate::error::Result;
use crate::error::unread::SkippedDocument;
use crate::filter::{AskedOf, Conditions, Countable, Filter, Orders, has_strings, join_collations};
use crate::projection::Projected;
use crate::schema::field::Handles;
use crate::schema::index_row::CollationRow;
use crate::schema::model::Model;
use crate::schema::soft_delete::DocumentScope;
use crate::tenant::{Confined, Wall, confine};

/// Types that a builder carries without a value of theirs.
type Types<T> = PhantomData<fn() -> T>;

/// A `find` about to be sent; each document is read as `O`. `.await` gives a `Vec`, [`stream`](Find::stream) a stream. `K` is the
/// order that the filter sets by itself: none, unless it has `near`.
#[must_use = "nothing is sent before it is awaited"]
pub struct Find<'a, M, O = M, K = ()> {
    pub(crate) db: &'a Database,
    pub(crate) filter: Result<Document>,
    pub(crate) sort: Option<Document>,
    pub(crate) limit: Option<u64>,
    pub(crate) skip: Option<u64>,
    pub(crate) options: driver::ReadOptions,
    /// The collation by which it compares strings, where a condition or the order needs one.
    pub(crate) collation: Option<&'static CollationRow>,
    /// True if the filter matches one exact id or reference, instead of every value that the collection's collation calls equal.
    pub(crate) exact: bool,
    /// The documents that the query sees, if the model has `soft_delete`.
    pub(crate) scope: DocumentScope,
    pub(crate) session: Option<&'a mut ClientSession>,
    /// The access pattern that this query belongs to.
    pub(crate) pattern: Option<page::index::Pattern>,
    /// The listener for documents that are left out because they cannot be decoded.
    pub(crate) skipped: Option<driver::rows::SkipListener<'a>>,
    types: Types<(M, O, K)>,
}

impl<M, O, K> fmt::Debug for Find<'_, M, O, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Find")
            .field("filter", &Redacted(&self.filter))
            .field("sort", &self.sort)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model, K> Find<'a, M, M, K> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        Find {
            db,
            filter,
            sort: None,
            limit: None,
            skip: None,
            options: driver::ReadOptions::default(),
            collation: None,
            exact: false,
            scope: DocumentScope::Live,
            session: None,
            pattern: None,
            skipped: None,
            types: PhantomData,
        }
    }
}

impl<'a, M: Model, K> Find<'a, M, M, K> {
    /// The documents that meet a filter of the user's.
    pub(crate) fn filtered(db: &'a Database, filter: Result<Conditions>) -> Self {
        let (filter, collation) = match filter {
            Ok(filter) => (Ok(filter.document), filter.collation),
            Err(error) => (Err(error), None),
        };
        let mut find = Find::new(db, filter);
        find.collation = collation;
        find
    }
}

impl<'a, M: Model, O, K> Find<'a, M, O, K> {
    /// Makes the query compare strings by this collation too. `exact` is true if the added condition compares strings exactly.
    fn collated(&mut self, collation: Option<&'static CollationRow>, exact: bool) {
        if collation.is_none() && self.collation.is_none() {
            return;
        }
        // A filter that has a collation has no exact comparison of strings.
        let plain = self.collation.is_none();
        let strings = |filter: &Document| plain && has_strings(filter);
        let own = self.filter.as_ref().is_ok_and(strings);
        let sides = ((self.collation, own), (collation, exact));
        match join_collations(M::model_meta().name, sides.0, sides.1) {
            Ok(joined) => self.collation = joined,
            Err(error) => self.filter = Err(error),
        }
    }

    pub(crate) fn sorted(mut self, sort: Option<Document>) -> Self {
        self.sort = sort;
        self
    }

    pub(crate) fn of_pattern(mut self, pattern: Option<page::index::Pattern>) -> Self {
        self.pattern = pattern;
        self
    }

    /// Strings in the filter are compared byte by byte, whatever collation the collection has.
    pub(crate) fn exactly(mut self) -> Self {
        self.exact = true;
        self
    }

    /// Finds only documents that also meet `more`.
    pub(crate) fn narrowed(mut self, more: Result<Document>) -> Self {
        self.filter = self
            .filter
            .and_then(|filter| Ok(doc! { "$and": [filter, more?] }));
        self
    }

    /// The same query once more, outside of a session.
    ///
    /// # Errors
    /// That of the filter.
    pub(crate) fn again(&mut self) -> Result<Find<'a, M, O, K>> {
        let filter = std::mem::replace(&mut self.filter, Ok(Document::new()))?;
        self.filter = Ok(filter.clone());
        Ok(Find {
            db: self.db,
            filter: Ok(filter),
            sort: self.sort.clone(),
            limit: self.limit,
            skip: self.skip,
            options: self.options.clone(),
            collation: self.collation,
            exact: self.exact,
            scope: self.scope,
            session: None,
            pattern: None,
            skipped: None,
            types: PhantomData,
        })
    }

    pub(crate) fn retyped<O2, K2>(self) -> Find<'a, M, O2, K2> {
        Find {
            db: self.db,
            filter: self.filter,
            sort: self.sort,
            limit: self.limit,
            skip: self.skip,
            options: self.options,
            collation: self.collation,
            exact: self.exact,
            scope: self.scope,
            session: self.session,
            pattern: self.pattern,
            skipped: self.skipped,
            types: PhantomData,
        }
    }

    /// Keeps only documents that also meet this filter. An index serves the conditions of the call before it; the
    /// server checks what that finds, so no index need serve this filter too.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize, MongoModel)]
    /// #[model(collection = "events", index(keys(host, -time)), access(recent(host, sort = -time, limit = 100)))]
    /// pub struct Event {
    ///     #[serde(rename = "_id")]
    ///     pub id: Id<Event>,
    ///     pub host: String,
    ///     pub time: bson::DateTime,
    ///     pub level: i32,
    /// }
    ///
    /// # async fn example(db: &Database) -> Result<()> {
    /// let severe = || Event::recent(db, "web-1").filter(|e| e.level.gte(3));
    /// let last = severe().await?;
    /// let all = severe().count().await?;
    /// let any = severe().exists().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn filter<F, S, C>(self, filter: F) -> Find<'a, M, O, <S as Orders<K>>::Order>
    where
        F: FnOnce(M::FieldHandles) -> Filter<C, S>,
        S: AskedOf<M, C> + Orders<K>,
    {
        let mut find = self;
        let more = filter(M::FieldHandles::VALUE).into_scanned();
        if let Ok(more) = &more {
            let exact = more.collation.is_none() && has_strings(&more.document);
            find.collated(more.collation, exact);
        }
        find.narrowed(more.map(|more| more.document)).retyped()
    }

    /// Counts the documents without reading them, regardless of order, `skip` and `limit`. Sends one `aggregate`.
    pub fn count(self) -> Count<'a, M>
    where
        K: Countable,
    {
        Count::of(self)
    }

    /// Asks if there is such a document. Sends one `find` for one `_id`; order, `skip` and `limit` do not matter,
    /// unless `limit` is 0.
    pub fn exists(self) -> Exists<'a, M> {
        Exists::of(self)
    }

    /// Sorts in this order. An index whose keys continue with it after the keys of the filter saves the server a sort in memory.
    pub fn sort<C, S: IntoSort<M, C>>(mut self, order: impl FnOnce(M::FieldHandles) -> S) -> Self {
        let order = order(M::FieldHandles::VALUE).into_sort();
        for collation in &order.collations {
            self.collated(Some(*collation), false);
        }
        self.sort = Some(order.keys());
        self
    }

    /// Returns at most this many documents. With 0, it returns none and sends nothing.
    pub fn limit(mut self, documents: u64) -> Self {
        self.limit = Some(documents);
        self
    }

    /// Skips this many documents. The server walks over them.
    pub fn skip(mut self, documents: u64) -> Self {
        self.skip = Some(documents);
        self
    }

    /// Reads each document as a projection, so that the server sends its fields and no others.
    pub fn project<V: Projected<M>>(self) -> Find<'a, M, V, K> {
        self.retyped()
    }

    /// Leaves out documents that cannot be decoded, where the read would end with an error: `listener` gets each of them. Without it, one
    /// document that another program stored ends a list of a million. Errors that are not about one document still end the read.
    ///
    /// It holds for `.await`, [`stream`](Find::stream), [`ids`](Find::ids), [`for_each`](Find::for_each), the outer query of a
    /// [`join`](Find::join), and a [`page`](Find::page), which then has fewer documents; not for the documents that a join
    /// loads, and not with `fresh`. `limit`
    /// counts documents that are left out. The reply holds the `_id` also where the projection leaves it out.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "users")]
    /// # pub struct User {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<User>,
    /// #     #[index(unique)]
    /// #     pub email: String,
    /// # }
    /// # async fn example(db: &Database) -> Result<()> {
    /// let mut skipped = 0;
    /// let users = User::scan(db, |u| u.email.starts_with("a"))
    ///     .skip_undecodable(|document| {
    ///         eprintln!("{} {}: {}", document.model, document.id, document.path);
    ///         skipped += 1;
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn skip_undecodable(mut self, listener: impl FnMut(SkippedDocument) + Send + 'a) -> Self {
        self.skipped = Some(Box::new(listener));
        self
    }

    /// Reads only the `_id` of each document. If the index that serves the filter contains the `_id` (as those that
    /// references generate do), the server does not read the documents.
    pub fn ids(self) -> Ids<'a, M> {
        Ids {
            find: self.retyped(),
        }
    }
}

read_options!(['a, M, O, K] Find<'a, M, O, K>, options);
reads_in_transactions!(['a, M, O, K] Find<'a, M, O, K>, session);
document_scopes!(['a, M: Model, O, K] Find<'a, M, O, K>, M, scope);

impl<'a, M: Model, O: Projected<M>, K> Find<'a, M, O, K> {
    /// Returns the documents as they arrive; memory holds one batch. Dropping the stream closes the cursor.
    ///
    /// A slow consumer may lose the server's cursor: it requested no batch for half an hour, the server was restarted, or another
    /// primary was elected. In an order by `_id`, or by fields and then by `_id`, the stream goes on behind the last document that it gave, with another
    /// `find`; else it ends with [`Error::CursorLost`](crate::Error::CursorLost). In a session, and with read concern `snapshot`, it never
    /// goes on.
    #[track_caller]
    pub fn stream(self) -> impl futures::Stream<Item = Result<O>> + Send + 'a {
        let find: Find<'a, M, O> = self.retyped();
        Streamed::of::<Self>(driver::stream_of(
            async move { Ok(find.open(&[]).await?.1) },
            driver::decode_as::<M, O>,
        ))
    }

    /// Sends the command; the reply also holds the values at `paths`.
    pub(crate) async fn open(self, paths: &[&str]) -> Result<(&'a Database, driver::Rows<'a>)> {
        let projection = crate::projection::versions::asked::<M, O>();
        self.send(projection, paths).await
    }
}

impl<'a, M: Model, O, K> Find<'a, M, O, K> {
    /// The filter as it is sent: also if documents are seen that are marked as deleted.
    pub(crate) fn take_filter(&mut self) -> Result<Document> {
        let filter = std::mem::replace(&mut self.filter, Ok(Document::new()))?;
        Ok(self.scope.restrict(M::model_meta(), filter))
    }

    pub(crate) fn strings(&self) -> driver::Strings {
        if let Some(collation) = self.collation {
            driver::Strings::Collated(collation)
        } else if self.exact {
            driver::Strings::Exactly
        } else {
            driver::Strings::AsCollection
        }
    }

    /// Sends the command; the reply holds this projection and the values at `paths`.
    async fn send(
        mut self,
        projection: Option<Document>,
        paths: &[&str],
    ) -> Result<(&'a Database, driver::Rows<'a>)> {
        let skip = self.skipped.take();
        let keys = self.walk_keys();
        let places = keys.iter().flatten().map(|key| &*key.path);
        let id = skip.as_ref().map(|_| "_id");
        let paths = paths.iter().copied().chain(places).chain(id);
        let projection = projection.map(|projection| {
            paths.fold(projection, |projection, path| {
                crate::projection::with_path(projection, path)
            })
        });
        let args = self.args_of(projection);
        let filter = self.take_filter()?;
        let collection = M::model_meta().collection;
        let walk = keys.map(|keys| driver::Walk::new(self.db, collection, &filter, &args, keys));
        let rows = driver::open(self.db, collection, filter, args, self.session).await?;
        Ok((self.db, rows.walking(walk).skipping(skip)))
    }

    /// The keys of the order, if no two documents are equal in it: then a read goes on where it loses its cursor.
    fn walk_keys(&self) -> Option<Vec<SortKey>> {
        let order = self.sort.as_ref()?;
        // No model has `snapshot` among its options.
        let concern = self.options.concern.as_ref();
        let concern = concern.or(self.db.read_concern());
        if !order.contains_key("_id")
            || self.session.is_some()
            || concern.is_some_and(|concern| concern.level == ReadConcernLevel::Snapshot)
            || self.collation.is_some() && page::may_have_text_ids::<M>()
        {
            return None;
        }
        let keys = page::sort_keys::<M>(order).ok()?;
        let merged = self.filter.as_ref().is_ok_and(may_be_merged);
        (!merged || keys.iter().all(|key| !key.nullable)).then_some(keys)
    }

    fn args_of(&self, projection: Option<Document>) -> driver::FindArgs {
        driver::FindArgs {
            hint: None,
            reads: driver::Reads::AsConfigured,
            strings: self.strings(),
            sort: self.sort.clone(),
            limit: self
                .limit
                .map(|limit| i64::try_from(limit).unwrap_or(i64::MAX)),
            skip: self.skip,
            // With the batch size equal to the limit, all documents come in one reply if they fit into it.
            batch_size: u32::try_from(self.limit.unwrap_or(0))
                .ok()
                .filter(|&n| n > 0),
            projection,
            options: self.options.clone(),
        }
    }
}

awaits!(['a, M: Model, O: Projected<M>, K: 'static] Find<'a, M, O, K> => Vec<O>, self {
    let (_, rows) = self.open(&[]).await?;
    rows.all(driver::decode_as::<M, O>).await
});

impl<M: Model, O, K> Confined for Find<'_, M, O, K> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.filter = confine::<M>(wall, self.filter);
        self.options.reason = wall.reason();
        self
    }
}
