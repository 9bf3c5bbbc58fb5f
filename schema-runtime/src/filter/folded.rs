//! Comparisons by the collation of an index, which may ignore case and accents.

use std::fmt;

use bson::{Bson, Document, doc};

use super::expr::{Expr, condition};
use super::{Filter, StringValue};
use crate::bson_util::redacted::Redacted;
use crate::codec::Encode;
use crate::error::{Error, Result};
use crate::schema::field::place::{Path, path, whole_path};
use crate::schema::field::{Field, IndexKind, IntoArg};
use crate::schema::flat::FlatField;
use crate::schema::index_row::CollationRow;
use crate::schema::model::Model;

/// A filter, and the collation by which the command that it is part of compares strings.
pub struct Conditions {
    pub(crate) document: Document,
    pub(crate) collation: Option<&'static CollationRow>,
}

impl fmt::Debug for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Redacted(&self.document).fmt(f)
    }
}

impl Conditions {
    /// A filter of the library's.
    pub(crate) fn exact(document: Document) -> Self {
        Conditions {
            document,
            collation: None,
        }
    }

    pub(super) fn without_collation(self, model: &'static str) -> Result<Document> {
        match self.collation {
            None => Ok(self.document),
            Some(_) => Err(Error::Impossible {
                what: format!(
                    "{model}: only `find`, `find_one`, `count`, `exists`, `scan` and what continues them compare without regard to case; find the `_id`s first"
                ),
            }),
        }
    }
}

impl<P: Path, T, I: IndexKind, W> Field<P, T, I, W>
where
    P::Root: Model,
{
    fn folded(condition: Result<Document>) -> Filter<P::Root, T::Folded<I>>
    where
        T: StringValue,
    {
        let expr = condition.map(|condition| Expr::folded(condition, I::COLLATION));
        Filter::at::<P>(expr)
    }

    /// The string equals `value` by the collation of the field's index, which ignores case at `strength = 2`, and
    /// accents too at 1.
    ///
    /// MongoDB compares all strings of a command in one way, so compare the other strings of the filter with `eq_ci`
    /// and the like too: a call whose filter also has an exact comparison returns [`Error::TwoCollations`].
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize, MongoModel)]
    /// #[model(collection = "users")]
    /// pub struct User {
    ///     #[serde(rename = "_id")]
    ///     pub id: Id<User>,
    ///     #[index(unique, collation(locale = "en", strength = 2))]
    ///     pub email: String,
    /// }
    ///
    /// # async fn example(db: &Database) -> Result<()> {
    /// let ada = User::find_one(db, |u| u.email.eq_ci("Ada@Example.com")).await?;
    /// let sorted = User::find(db, |u| u.email.starts_with_ci("a")).sort(|u| u.email.asc_ci()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn eq_ci(self, value: impl IntoArg<T>) -> Filter<P::Root, T::Folded<I>>
    where
        T: StringValue,
        P::Codec: Encode<T>,
    {
        let value = Self::encoded(&value.into_arg());
        Self::folded(value.map(|value| condition(&path::<P>(), "$eq", value)))
    }

    /// The string equals one of `values` by the collation of the field's index: see [`eq_ci`](Field::eq_ci).
    pub fn is_in_ci<V: IntoArg<T>>(
        self,
        values: impl IntoIterator<Item = V>,
    ) -> Filter<P::Root, T::Folded<I>>
    where
        T: StringValue,
        P::Codec: Encode<T>,
    {
        let values = values.into_iter();
        let values = values.map(|value| Self::encoded(&value.into_arg()));
        let values: Result<Vec<Bson>> = values.collect();
        Self::folded(values.map(|values| condition(&path::<P>(), "$in", Bson::Array(values))))
    }

    /// The string begins with `prefix` by the collation of the field's index: one of its beginnings equals `prefix` as
    /// [`eq_ci`](Field::eq_ci) compares them. It reads a range of the index.
    ///
    /// A pair of letters that the locale sorts as one (`ch` in Czech) does not begin with its first letter. Of a string,
    /// the server compares beginnings of up to `4 n + 32` characters with a prefix of `n` characters.
    ///
    /// # Errors
    /// The call that takes the filter returns [`Error::Impossible`] for an index with `numeric_ordering`, where
    /// strings that begin alike are not adjacent, and for a field inside an array unless the index has `strength = 1`.
    pub fn starts_with_ci(self, prefix: &str) -> Filter<P::Root, T::Folded<I>>
    where
        T: StringValue,
    {
        Self::folded(starts_with::<P>(prefix, I::COLLATION))
    }
}

/// The condition that the string at `P` begins with `prefix` by this collation.
fn starts_with<P: Path>(prefix: &str, collation: Option<&CollationRow>) -> Result<Document>
where
    P::Root: Model,
{
    let (meta, path) = (P::Root::model_meta(), path::<P>());
    let impossible = |reason: &str| Error::Impossible {
        what: format!("{}.{}: {reason}", meta.name, whole_path::<P>()),
    };
    if collation.is_some_and(|row| row.numeric_ordering == Some(true)) {
        return Err(impossible(
            "in an index with `numeric_ordering` strings that begin alike do not stand together",
        ));
    }
    // No character sorts after this one, in any locale.
    let end = format!("{prefix}\u{ffff}");
    let mut range = doc! { "$gte": prefix, "$lt": end };
    if !path.is_empty() {
        range = doc! { &path: range };
    }
    let is_base = |row: &CollationRow| row.strength == Some(1) && row.case_level != Some(true);
    if prefix.is_empty() || collation.is_some_and(is_base) {
        return Ok(range);
    }
    // The range covers the letters without accents and case.
    let fields = &meta.flat().fields;
    let is_single = |field: &FlatField| field.path == path && !field.through_array;
    if path != whole_path::<P>() || !fields.iter().any(is_single) {
        return Err(impossible(
            "inside an array, `starts_with_ci` needs an index whose collation has `strength = 1`",
        ));
    }
    range.insert("$expr", begins_with(&path, prefix));
    Ok(range)
}

/// The expression that some beginning of the string at `path` equals `prefix` by the collation of the command: `ä` is one character or two,
/// and how many characters of the string are equal to the prefix depends on the language.
fn begins_with(path: &str, prefix: &str) -> Document {
    /// Diacritics that belong to the letter before them.
    const MARKS: &str = "^[\u{300}-\u{36f}]";
    let stored = format!("${path}");
    let begins = |len: Bson| {
        let start = doc! { "$substrCP": [&stored, 0, len.clone()] };
        let next = doc! { "$substrCP": [&stored, len, 1] };
        doc! { "$and": [
            { "$eq": [start, { "$literal": prefix }] },
            { "$not": [{ "$regexMatch": { "input": next, "regex": MARKS } }] },
        ] }
    };
    let len = i64::try_from(prefix.chars().count()).unwrap_or(i64::MAX);
    let most = len.saturating_mul(4).saturating_add(32);
    let ends = doc! { "$add": [{ "$min": [{ "$strLenCP": &stored }, most] }, 1] };
    let any = doc! { "$anyElementTrue": [{ "$map": {
        "input": { "$range": [0, ends] },
        "in": begins("$$this".into()),
    } }] };
    let is_string = doc! { "$eq": [{ "$type": &stored }, "string"] };
    doc! { "$cond": [is_string, { "$or": [begins(len.into()), any] }, false] }
}
