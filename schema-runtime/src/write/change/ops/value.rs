//! Values of fields as they are stored, checked against the bounds that the model declares.

use bson::{Bson, RawDocumentBuf, doc};

use crate::codec::Encode;
use crate::document::guard;
use crate::error::{Error, Result};
use crate::schema::field::encode;
use crate::schema::field::place::{Path, path};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::rows::{FieldRow, Shape};

/// Encodes elements of the array at `P`, and checks the bounds inside them.
pub(crate) fn elements<M: Model, P: Path, E>(
    values: impl IntoIterator<Item = impl std::borrow::Borrow<E>>,
) -> Result<Vec<Bson>>
where
    P::Codec: Encode<E>,
{
    let path = path::<P>();
    let row = row_at(M::model_meta().shape, &path);
    let values = values.into_iter().map(|value| {
        let value = encoded::<M, P, E>(value.borrow())?;
        if let Some(row) = row {
            check_element::<M>(row, &value, &path)?;
        }
        Ok(value)
    });
    values.collect()
}

/// The field at a path, as errors name it.
pub(super) fn owner<M: Model>(path: &str) -> String {
    owner_of(M::model_meta(), path)
}

pub(super) fn owner_of(meta: &ModelMeta, path: &str) -> String {
    format!("{}.{path}", meta.name)
}

/// A value as the field at `P` stores it.
pub(super) fn encoded<M: Model, P: Path, T>(value: &T) -> Result<Bson>
where
    P::Codec: Encode<T>,
{
    encode::<P, T>(value).map_err(|source| Error::Encode {
        model: M::model_meta().name,
        field: path::<P>(),
        source: Box::new(source),
    })
}

/// The row of the field at a stored path.
pub(super) fn row_at(shape: &'static Shape, path: &str) -> Option<&'static FieldRow> {
    let (step, rest) = path
        .split_once('.')
        .map_or((path, None), |(step, rest)| (step, Some(rest)));
    shape.fields.iter().find_map(|row| {
        if row.name.is_empty() {
            return row.shape.and_then(|inner| row_at(inner, path));
        }
        match rest {
            _ if row.name != step => None,
            None => Some(row),
            Some(rest) => row.shape.and_then(|inner| row_at(inner, rest)),
        }
    })
}

/// Checks the bounds and rules of a value that a field is to become.
pub(super) fn check_value<M: Model>(row: &FieldRow, value: &Bson, path: &str) -> Result<()> {
    if row.is_unchecked(M::model_meta().rules(true)) {
        return Ok(());
    }
    with_raw(value, |raw| guard::value(row, raw, (M::model_meta(), path)))
}

/// Checks the bounds and rules of one element that an array is to have.
pub(super) fn check_element<M: Model>(row: &FieldRow, value: &Bson, path: &str) -> Result<()> {
    if row.is_unchecked(M::model_meta().rules(true)) {
        return Ok(());
    }
    with_raw(value, |raw| {
        guard::element(row, raw, (M::model_meta(), path))
    })
}

fn with_raw(value: &Bson, check: impl FnOnce(bson::RawBsonRef<'_>) -> Result<()>) -> Result<()> {
    let Ok(raw) = RawDocumentBuf::try_from(&doc! { "v": value.clone() }) else {
        return Ok(());
    };
    raw.get("v").ok().flatten().map_or(Ok(()), check)
}
