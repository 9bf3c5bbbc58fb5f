//! The elements that an update adds to arrays and removes from them.

use std::collections::HashSet;

use bson::Bson;

use super::value::{check_element, encoded, owner, row_at};
use super::{Changes, of_elements};
use crate::bson_util::id_key::IdKey;
use crate::codec::Encode;
use crate::error::violation::Violation;
use crate::error::{Error, Result};
use crate::filter::whole;
use crate::schema::field::place::{Path, path};
use crate::schema::model::Model;
use crate::write::adds::Add;

impl Changes {
    /// Values to be appended.
    pub(crate) fn add<M: Model, P: Path, E>(
        &mut self,
        values: impl Iterator<Item = E>,
        distinct: bool,
    ) where
        P::Codec: Encode<E>,
    {
        match self.adding::<M, P, E>(values, distinct) {
            Ok(Some(add)) => {
                self.scope::<P>();
                self.needs.change(M::model_meta(), "$push", &add.path);
                self.adds.push(add);
            }
            Ok(None) => self.may_be_empty = true,
            Err(error) => self.fail(error),
        }
    }

    fn adding<M: Model, P: Path, E>(
        &self,
        values: impl Iterator<Item = E>,
        distinct: bool,
    ) -> Result<Option<Add>>
    where
        P::Codec: Encode<E>,
    {
        let path = path::<P>();
        self.may_change::<M>(&path)?;
        let owner = owner::<M>(&path);
        let row = row_at(M::model_meta().shape, &path);
        let relation = row.and_then(|row| row.relation);
        let identity = row.and_then(of_elements::reference);
        if distinct && identity.is_none() && row.is_some_and(of_elements::hold_copies) {
            return Err(of_elements::not_compared(&owner));
        }
        let max = row.map_or(0, |row| row.most_elements(M::model_meta().rules(true)));
        let mut add = Add {
            path,
            identity,
            row,
            owner,
            max,
            distinct: distinct || relation.is_some() || identity.is_some(),
            values: Vec::new(),
        };
        let mut seen = HashSet::new();
        for value in values {
            let value = encoded::<M, P, E>(&value)?;
            if let Some(row) = row {
                check_element::<M>(row, &value, &add.path)?;
            }
            let new = !add.distinct
                || add
                    .key(&value)
                    .is_none_or(|key| seen.insert(IdKey::new(key)));
            if new {
                add.values.push(value);
            }
        }
        let len = add.values.len() as u64;
        if max > 0 && len > max {
            let violation = Violation::too_long(add.path, max);
            return Err(Error::invalid(M::model_meta().name, vec![violation]));
        }
        Ok((len > 0).then_some(add))
    }

    /// Removes an element wherever it is in the array. A struct is found by its fields: another program may store them in another order,
    /// and the library stores more beside copies.
    pub(crate) fn pull<M: Model, P: Path, E>(&mut self, value: &E)
    where
        P::Codec: Encode<E>,
    {
        let path = path::<P>();
        let row = row_at(M::model_meta().shape, &path);
        let value = encoded::<M, P, E>(value);
        match row.filter(|row| of_elements::hold_copies(row)) {
            Some(row) => {
                let element = value.and_then(|value| {
                    of_elements::condition(M::model_meta().name, row, &path, &value)
                });
                self.put_result::<M, P>("$pull", element.map(Bson::Document));
            }
            None => {
                let fields = |value: &Bson| row.and_then(|row| whole::by_fields(row, value));
                match value.as_ref().ok().and_then(fields) {
                    Some(fields) => self.put_result::<M, P>("$pull", Ok(fields.into())),
                    None => {
                        let values = value.map(|value| Bson::Array(vec![value]));
                        self.put_result::<M, P>("$pullAll", values);
                    }
                }
            }
        }
    }
}
