//! Conditions on the parts of a text, which an index with `contains` has.

use bson::doc;

use super::{Filter, PATTERN_MAX, StringValue};
use crate::bson_util::parts::{Within, literal_pattern, parts_within, word_patterns};
use crate::error::{Error, Result};
use crate::schema::field::place::{Path, path, whole_path};
use crate::schema::field::{Field, FoundByParts, IndexKind, Indexed};
use crate::schema::model::Model;
use crate::schema::stored;

impl<P: Path, T, I: IndexKind, W> Field<P, T, I, W>
where
    P::Root: Model,
{
    /// The text contains `part`, in upper or lower case. The index of the field's parts serves it: the server walks the documents that have
    /// one run of characters of `part`, and compares their texts.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize, MongoModel)]
    /// #[model(collection = "films")]
    /// pub struct Film {
    ///     #[serde(rename = "_id")]
    ///     pub id: Id<Film>,
    ///     #[index(contains, min = 3)]
    ///     #[check(len = 1..=200)]
    ///     pub title: String,
    /// }
    ///
    /// # async fn example(db: &Database) -> Result<()> {
    /// let films = Film::find(db, |f| f.title.contains_ci("odyss")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The call that takes the filter returns [`Error::PartTooShort`] for a part of fewer characters than the index's `min`.
    pub fn contains_ci(self, part: &str) -> Filter<P::Root, Indexed>
    where
        T: StringValue,
        I: FoundByParts,
    {
        let least = row_length::<P>();
        let parts = match literal_pattern(part).len() {
            ..=PATTERN_MAX => {
                parts_within(part, least).ok_or_else(|| too_short::<P>(part.chars().count(), least))
            }
            bytes => Err(Error::Impossible {
                what: format!(
                    "{} contains a part whose pattern has {bytes} bytes; the server takes {PATTERN_MAX}",
                    name::<P>()
                ),
            }),
        };
        Filter::at::<P>(parts.map(|parts| {
            let parts = match parts {
                Within::Beginning(part) => {
                    doc! { "$regex": format!("^{}", literal_pattern(&part)) }
                }
                Within::All(parts) => doc! { "$all": parts },
            };
            let text = doc! { "$regex": literal_pattern(part), "$options": "i" };
            doc! { stored::parts_of(&path::<P>()): parts, path::<P>(): text }.into()
        }))
    }

    /// Each word of `words` is the beginning of a word of the text, in upper or lower case and in any order: `"mar gio"` finds "Giovanni di
    /// Marco". For an input that is completed while it is typed. Words are letters and digits without anything in between. The index of the
    /// field's parts serves it; one letter is enough.
    ///
    /// # Errors
    /// The call that takes the filter returns [`Error::PartTooShort`] for a text without a word.
    pub fn has_words_ci(self, words: &str) -> Filter<P::Root, Indexed>
    where
        T: StringValue,
        I: FoundByParts,
    {
        Filter::at::<P>(each_word::<P>(words).map(|all| doc! { "$and": all }.into()))
    }

    /// At least one word of `words` is the beginning of a word of the text: as [`has_words_ci`](Field::has_words_ci) otherwise.
    /// `most_words_first` puts the documents with most of the words first.
    ///
    /// # Errors
    /// The call that takes the filter returns [`Error::PartTooShort`] for a text without a word.
    pub fn has_any_word_ci(self, words: &str) -> Filter<P::Root, Indexed>
    where
        T: StringValue,
        I: FoundByParts,
    {
        Filter::at::<P>(each_word::<P>(words).map(|any| doc! { "$or": any }.into()))
    }
}

/// One condition for each word of a text.
fn each_word<P: Path>(words: &str) -> Result<Vec<bson::Document>>
where
    P::Root: Model,
{
    let parts = stored::parts_of(&path::<P>());
    let all: Vec<bson::Document> = word_patterns(words)
        .into_iter()
        .map(|word| doc! { &parts: { "$regex": word } })
        .collect();
    match all.is_empty() {
        true => Err(too_short::<P>(0, 1)),
        false => Ok(all),
    }
}

fn too_short<P: Path>(given: usize, least: usize) -> Error
where
    P::Root: Model,
{
    Error::PartTooShort {
        field: name::<P>(),
        given,
        least,
    }
}

/// The field at `P`, as errors name it.
fn name<P: Path>() -> String
where
    P::Root: Model,
{
    format!(
        "{}.{}",
        <P::Root as Model>::model_meta().name,
        whole_path::<P>()
    )
}

/// The characters of the shortest part by which the field at `P` is found.
fn row_length<P: Path>() -> usize
where
    P::Root: Model,
{
    let (meta, path) = (<P::Root as Model>::model_meta(), path::<P>());
    let row = meta.shape.fields.iter().find(|row| row.name == path);
    let length = row.map_or(0, |row| row.contains);
    usize::try_from(length).unwrap_or(usize::MAX)
}
