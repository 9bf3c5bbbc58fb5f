//! Builds the query of a method that a declared access pattern generates.

use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

use bson::{Bson, Document};

use super::Find;
use super::page::Pattern;
use crate::codec::Encode;
use crate::driver::Database;
use crate::error::{Error, Result};
use crate::index::collect::condition;
use crate::schema::access::AccessRow;
use crate::schema::field::place::{Path, path};
use crate::schema::field::{Field, encode};
use crate::schema::flat::stored_path;
use crate::schema::model::Model;
use crate::schema::tenant::tenant_field;

/// The builder of a `find` for the `n`-th access pattern of its model.
pub struct AccessQuery<M> {
    row: Option<&'static AccessRow>,
    conditions: Result<Vec<(String, &'static str, Bson)>>,
    sort: Document,
    model: PhantomData<fn() -> M>,
}

impl<M: Model> AccessQuery<M> {
    /// Starts with the conditions that the pattern fixes for every call.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let meta = M::model_meta();
        let row = meta.accesses.get(n);
        let only = row.map_or(&[][..], |row| row.only);
        let conditions = only
            .iter()
            .map(|one| {
                let (op, value) = condition(one.op);
                (stored_path(meta.shape, "", one.path), op, value)
            })
            .collect();
        AccessQuery {
            row,
            conditions: Ok(conditions),
            sort: Document::new(),
            model: PhantomData,
        }
    }

    /// The field equals `value`.
    #[must_use]
    pub fn equal<P, T: ?Sized, E, I, W>(self, _: Field<P, T, I, W>, value: &E) -> Self
    where
        P: Path<Root = M>,
        P::Codec: Encode<E>,
    {
        self.with::<P, E>("$eq", value)
    }

    /// The field lies in `range`.
    #[must_use]
    pub fn within<P, T: ?Sized, E, I, W>(
        self,
        _: Field<P, T, I, W>,
        range: &impl RangeBounds<E>,
    ) -> Self
    where
        P: Path<Root = M>,
        P::Codec: Encode<E>,
    {
        let asked = match range.start_bound() {
            Bound::Included(from) => self.with::<P, E>("$gte", from),
            Bound::Excluded(from) => self.with::<P, E>("$gt", from),
            Bound::Unbounded => self,
        };
        match range.end_bound() {
            Bound::Included(to) => asked.with::<P, E>("$lte", to),
            Bound::Excluded(to) => asked.with::<P, E>("$lt", to),
            Bound::Unbounded => asked,
        }
    }

    fn with<P, E>(mut self, op: &'static str, value: &E) -> Self
    where
        P: Path<Root = M>,
        P::Codec: Encode<E>,
    {
        let value = encode::<P, E>(value).map_err(|source| Error::Encode {
            model: M::model_meta().name,
            field: path::<P>(),
            source: Box::new(source),
        });
        self.conditions = self.conditions.and_then(|mut conditions| {
            conditions.push((path::<P>(), op, value?));
            Ok(conditions)
        });
        self
    }

    /// Orders documents that are equal so far.
    #[must_use]
    pub fn sorted<P: Path<Root = M>, T: ?Sized, I, W>(
        mut self,
        _: Field<P, T, I, W>,
        descending: bool,
    ) -> Self {
        self.sort
            .insert(path::<P>(), if descending { -1 } else { 1 });
        self
    }

    /// The pattern, as far as pages need it.
    fn pattern(&self) -> Option<Pattern> {
        let conditions = self.conditions.as_ref().ok()?.iter();
        let equal = conditions.filter(|(_, operator, _)| *operator == "$eq");
        let tenant = tenant_field(M::model_meta()).map(str::to_owned);
        Some(Pattern {
            row: self.row?,
            constant: equal.map(|(path, ..)| path.clone()).chain(tenant).collect(),
        })
    }

    /// The `find`.
    pub fn find(self, db: &Database) -> Find<'_, M> {
        let limit = self.row.map(|row| row.limit).filter(|&limit| limit > 0);
        let pattern = self.pattern();
        let find = Find::new(db, self.conditions.map(crate::index::collect::all_of));
        let find = find.sorted((!self.sort.is_empty()).then_some(self.sort));
        let find = find.of_pattern(pattern);
        match limit {
            Some(limit) => find.limit(limit),
            None => find,
        }
    }
}
