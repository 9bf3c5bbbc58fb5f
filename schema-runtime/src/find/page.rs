//! Reading page by page: each page starts where the last one ended, by value, so no page walks over those before it,
//! and inserts disturb none.

pub(crate) mod index;

use std::fmt;
use std::str::FromStr;

use bson::{Bson, Document, RawDocumentBuf, doc};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use self::index::Pattern;
use super::Find;
use crate::bson_util::depth::{LEVELS, deeper_than};
use crate::bson_util::order::{SortKey, after, equal, may_be_merged, position};
use crate::bson_util::redacted::Redacted;
use crate::bson_util::shorten::shorten;
use crate::builder::{document_scopes, read_options, reads_in_transactions};
use crate::driver;
use crate::error::{Error, Result};
use crate::projection::Projected;
use crate::schema::flat::FlatField;
use crate::schema::model::Model;
use crate::schema::rows::Kind;
use crate::schema::stored;
use crate::schema::tenant::{demanded_tenant, tenant_field};

/// A page, and the place where the next one starts. As JSON it is `{"items": [..], "next": ".."}`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page<O> {
    /// The documents, in order.
    pub items: Vec<O>,
    /// The place where the next page starts; `None` on the last page.
    pub next: Option<PageToken>,
}

impl<O> Page<O> {
    /// Turns each item into another, for example into the form that a web API shows.
    ///
    /// ```
    /// # use mongo_model::crud::Page;
    /// let page = Page { items: vec![1, 2], next: None };
    /// let shown = page.map(|item: i32| item.to_string());
    /// assert_eq!(shown.items, ["1", "2"]);
    /// ```
    #[must_use]
    pub fn map<T>(self, item: impl FnMut(O) -> T) -> Page<T> {
        Page {
            items: self.items.into_iter().map(item).collect(),
            next: self.next,
        }
    }
}

/// A position between two documents of an ordered query: the values of the sort fields in the last document of a page.
///
/// It is data that may go through a client: `Display` and serde write, and `FromStr` and serde read, a token of letters and digits. A query
/// accepts only a cursor of its own order and tenant; any other change to the token merely moves the position. `FromStr` refuses a token of
/// more than 65,536 characters, and one whose values are nested deeper than 100 levels.
#[derive(Clone, PartialEq)]
pub struct PageToken {
    /// The model and the order that the cursor belongs to.
    of: String,
    at: Vec<Bson>,
    /// The tenant whose documents the query finds, for a model with a wall.
    tenant: Option<Bson>,
}

impl PageToken {
    /// The longest text that is read as a token. A token contains the values of the sort fields, twice as long as they are stored.
    const LONGEST: usize = 1 << 16;
}

impl fmt::Debug for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageToken")
            .field("of", &self.of)
            .field("at", &Redacted(&self.at))
            .finish()
    }
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = doc! { "o": &self.of, "a": &self.at };
        parts.extend(self.tenant.clone().map(|tenant| ("t".to_owned(), tenant)));
        let raw = RawDocumentBuf::try_from(&parts);
        for byte in raw.map_err(|_| fmt::Error)?.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl FromStr for PageToken {
    type Err = Error;

    fn from_str(token: &str) -> Result<Self> {
        let damaged = || Error::WrongCursor {
            reason: "the token is damaged".to_owned(),
        };
        if token.len() > PageToken::LONGEST {
            return Err(Error::WrongCursor {
                reason: format!("the token is longer than {} characters", PageToken::LONGEST),
            });
        }
        let digits: Vec<u32> = token
            .chars()
            .map(|c| c.to_digit(16))
            .collect::<Option<_>>()
            .filter(|digits: &Vec<_>| digits.len() % 2 == 0)
            .ok_or_else(damaged)?;
        let bytes = digits
            .chunks_exact(2)
            .filter_map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok())
            .collect();
        let raw = RawDocumentBuf::from_bytes(bytes).map_err(|_| damaged())?;
        // Reading it recurses once a level.
        if deeper_than(&raw, LEVELS).is_some() {
            return Err(damaged());
        }
        let mut parts = Document::try_from(raw).map_err(|_| damaged())?;
        let tenant = parts.remove("t");
        match (parts.remove("o"), parts.remove("a")) {
            // No document has such a position, and the server compares nothing with it.
            (_, Some(Bson::Array(at))) if at.contains(&Bson::Undefined) => Err(damaged()),
            (Some(Bson::String(of)), Some(Bson::Array(at))) => Ok(PageToken { of, at, tenant }),
            _ => Err(damaged()),
        }
    }
}

impl Serialize for PageToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PageToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let token = String::deserialize(deserializer)?;
        token.parse().map_err(D::Error::custom)
    }
}

/// The query of a page, about to be sent. `.await` gives a [`Page`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Paged<'a, M, O = M> {
    find: Find<'a, M, O>,
    size: u32,
    after: Option<PageToken>,
}

impl<M, O> fmt::Debug for Paged<'_, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paged")
            .field("find", &self.find)
            .field("size", &self.size)
            .field("after", &self.after)
            .finish()
    }
}

impl<'a, M: Model, O, K> Find<'a, M, O, K> {
    /// Returns one page of at most `size` documents (at least one). Sends one `find` for `size + 1`, to recognise the
    /// last page.
    ///
    /// The order is that of `sort`, then the `_id` as tie-breaker (in the direction of the last field); without `sort`
    /// it is by `_id`. It is BSON's order of all types, in which absent values count as null. An index in exactly that
    /// order serves every page equally well, however far in it is (from MongoDB 5.0 on). A filter with `or` or `is_in` and an
    /// order by an optional field are sorted in memory, because the server would merge absent values and nulls in another
    /// order. `limit` and `skip` are ignored.
    ///
    /// # Errors
    /// When awaited: [`Error::NotPageable`] for an order by an array, or by a field whose BSON type is not known, and behind a document
    /// whose `_id`, a text, is equal to another one by the collation of the query (which takes one `find` more to know);
    /// [`Error::PageNotIndexed`] for an access pattern whose index does not continue in that order up to the `_id`.
    pub fn page(self, size: u32) -> Paged<'a, M, O> {
        Paged {
            find: self.retyped(),
            size: size.max(1),
            after: None,
        }
    }
}

impl<M: Model, O> Paged<'_, M, O> {
    /// Starts the page where another one ended, given its `next`. `None` is the first page.
    ///
    /// # Errors
    /// When awaited: [`Error::WrongCursor`] if the cursor comes from another model or order, or from a query of another tenant.
    pub fn after(mut self, cursor: impl Into<Option<PageToken>>) -> Self {
        self.after = cursor.into();
        self
    }
}

read_options!(['a, M, O] Paged<'a, M, O>, find.options);
reads_in_transactions!(['a, M, O] Paged<'a, M, O>, find.session);
document_scopes!(['a, M: Model, O] Paged<'a, M, O>, M, find.scope);

/// The order of a query as the keys of a position.
///
/// # Errors
/// [`Error::NotPageable`] if a field may hold several values, or its type is not known.
pub(super) fn sort_keys<M: Model>(order: &Document) -> Result<Vec<SortKey>> {
    let keys = order.iter();
    keys.map(|(path, order)| sort_key::<M>(path, order))
        .collect()
}

/// True if two `_id`s of the model may be equal by a collation.
pub(super) fn may_have_text_ids<M: Model>() -> bool {
    let fields = &M::model_meta().flat().fields;
    let id = fields.iter().find(|field| field.path == "_id");
    id.is_none_or(|id| matches!(id.kind, Kind::String | Kind::Document | Kind::Any))
}

fn sort_key<M: Model>(path: &str, order: &Bson) -> Result<SortKey> {
    let fields = &M::model_meta().flat().fields;
    let field = fields.iter().find(|field| field.path == path);
    let not = |reason| Error::NotPageable {
        model: M::model_meta().name,
        field: path.to_owned(),
        reason,
    };
    match field {
        None => Err(not("it is not a field of the model")),
        Some(field) if field.through_array => Err(not("it lies in an array")),
        Some(FlatField {
            kind: Kind::Array | Kind::Map,
            ..
        }) => Err(not("it is an array or map")),
        // The field may hold an array. An `_id` never does.
        Some(FlatField {
            kind: Kind::Any, ..
        }) if path != "_id" => Err(not("its BSON type is not known")),
        Some(field) => Ok(SortKey {
            path: path.to_owned(),
            descending: *order != Bson::Int32(1),
            nullable: field.nullable,
        }),
    }
}

/// Refuses a page behind a document whose `_id` the collation of the query takes for equal with others: nothing says which of them were
/// on the page before.
async fn refuse_equal_ids<'a, M: Model, O>(
    mut find: Find<'a, M, O>,
    keys: &[SortKey],
    at: &[Bson],
) -> Result<Find<'a, M, O>> {
    let conditions = std::mem::replace(&mut find.filter, Ok(Document::new()))?;
    let mut filter = equal(keys, at);
    filter.push(conditions.clone());
    find.filter = Ok(conditions);
    let args = driver::FindArgs {
        limit: Some(2),
        sort: None,
        ..find.args_of(Some(doc! { "_id": 1 }))
    };
    let filter = find
        .scope
        .restrict(M::model_meta(), doc! { "$and": filter });
    let session = find.session.as_deref_mut();
    let collection = M::model_meta().collection;
    let rows = driver::open(find.db, collection, filter, args, session).await?;
    let same = rows.all(|_| Ok(())).await?;
    match same.len() {
        2 => Err(Error::NotPageable {
            model: M::model_meta().name,
            field: "_id".to_owned(),
            reason: "the query compares strings by a collation, by which several `_id`s are equal",
        }),
        _ => Ok(find),
    }
}

crate::builder::awaits!(['a, M: Model, O: Projected<M>] Paged<'a, M, O> => Page<O>, self {
    let Paged { mut find, size, after: cursor } = self;
    let mut order = find.sort.take().unwrap_or_default();
    if !order.contains_key("_id") {
        let last = order.values().last().cloned().unwrap_or(Bson::Int32(1));
        order.insert("_id", last);
    }
    if let Some(pattern) = &find.pattern {
        pattern.check(M::model_meta(), &order)?;
    }
    let keys = sort_keys::<M>(&order)?;
    let mut of = format!("{} {order}", M::model_meta().name);
    if let Some(collation) = find.collation {
        of.push_str(&format!(" by {collation:?}"));
    }
    let walled = tenant_field(M::model_meta()).zip(find.filter.as_ref().ok());
    let tenant = walled.and_then(|(field, filter)| demanded_tenant(field, filter).cloned());
    // The server may merge several parts of an index, documents with an absent value before those with null. Its sort, an index and
    // a cursor take both for equal. No index ends with a field that no document has, so the server sorts in memory.
    let merged = find.filter.as_ref().is_ok_and(may_be_merged);
    if merged && keys.iter().any(|key| key.nullable) {
        order.insert(stored::own("none"), 1);
    }
    if let Some(cursor) = cursor {
        if cursor.of != of || cursor.at.len() != keys.len() {
            let reason = format!("it is of `{}`, this is `{of}`", shorten(&cursor.of));
            return Err(Error::WrongCursor { reason });
        }
        if cursor.tenant != tenant {
            let reason = "it is of another tenant".to_owned();
            return Err(Error::WrongCursor { reason });
        }
        if find.collation.is_some() && may_have_text_ids::<M>() {
            find = refuse_equal_ids(find, &keys, &cursor.at).await?;
        }
        find = find.narrowed(Ok(after(&keys, &cursor.at)));
    }
    let paths: Vec<&str> = keys.iter().map(|key| &*key.path).collect();
    find = find.sorted(Some(order)).limit(u64::from(size) + 1);
    find.skip = None;
    let (_, mut rows) = find.open(&paths).await?;
    let (mut items, mut read, mut last, mut more) = (Vec::new(), 0, None, false);
    loop {
        let row = rows.next(|raw| {
            more = read == size;
            if more {
                return Ok(None);
            }
            read += 1;
            last = Some(position(&keys, raw));
            driver::decode_as::<M, O>(raw).map(Some)
        });
        match row.await? {
            Some(Some(document)) => items.push(document),
            Some(None) | None => break,
        }
    }
    let next = last.filter(|_| more);
    Ok(Page { items, next: next.map(|at| PageToken { of, at, tenant }) })
});

#[cfg(test)]
mod tests {
    use super::{Bson, Page, PageToken};

    #[test]
    fn a_page_and_its_cursor_go_through_json() {
        let next = PageToken {
            of: "Part".to_owned(),
            at: vec![Bson::Int32(7)],
            tenant: Some(Bson::Int32(1)),
        };
        let page = Page {
            items: vec![1, 2],
            next: Some(next.clone()),
        };
        let json = serde_json::to_value(page.map(|item: i32| item * 10)).expect("written");
        assert_eq!(json["items"], serde_json::json!([10, 20]));
        let cursor = serde_json::from_value::<PageToken>(json["next"].clone());
        assert_eq!(cursor.expect("its own token"), next);
        let damaged = serde_json::from_value::<PageToken>("00".into()).expect_err("damaged");
        assert_eq!(
            damaged.to_string(),
            "the cursor does not belong to this query: the token is damaged"
        );
    }
}
