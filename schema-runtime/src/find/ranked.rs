//! Documents in the order of how many words their texts have.

use std::fmt;

use bson::{Document, RawDocument, doc};

use super::Find;
use crate::bson_util::parts::word_parts;
use crate::builder::awaits;
use crate::error::Result;
use crate::filter::{Countable, StringValue};
use crate::projection::Projected;
use crate::schema::field::place::{Path, path};
use crate::schema::field::{Field, FoundByParts, Handles};
use crate::schema::model::Model;
use crate::schema::stored;

/// The key of the number of words, among the fields of the library. It is not stored.
const WORDS: &str = "m";

/// A document, and how many of the words its text has.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WithWords<O> {
    /// The document.
    pub document: O,
    /// The number of words that begin a word of its text.
    pub words: u64,
}

/// A query for documents in the order of how many words their texts have, about to be sent. `.await` gives a `Vec` of [`WithWords`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Ranked<'a, M, O, K> {
    find: Find<'a, M, O, K>,
    /// The path of the parts of the text.
    parts: String,
    /// The words, as parts of a text are written.
    words: Vec<String>,
}

impl<M, O, K> fmt::Debug for Ranked<'_, M, O, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model, O, K: Countable> Find<'a, M, O, K> {
    /// Returns the documents in the order of how many of these words begin a word of the text, most first, and then by `_id`; the order of the
    /// query does not count. Sends one `aggregate` in place of the `find`: it sorts all documents that the filter finds, of which `limit` then
    /// takes the first.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "films")]
    /// # pub struct Film {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Film>,
    /// #     #[index(contains)]
    /// #     #[model(max_len = 200)]
    /// #     pub title: String,
    /// # }
    /// # async fn example(db: &Database) -> Result<()> {
    /// let typed = "the odyssey of";
    /// let found = Film::find(db, |f| f.title.has_any_word_ci(typed)).limit(10);
    /// for film in found.most_words_first(|f| f.title, typed).await? {
    ///     println!("{} words: {:?}", film.words, film.document);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn most_words_first<P: Path<Root = M>, T: StringValue, I: FoundByParts, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        words: &str,
    ) -> Ranked<'a, M, O, K> {
        let _ = field(M::FieldHandles::VALUE);
        Ranked {
            find: self,
            parts: stored::parts_of(&path::<P>()),
            words: word_parts(words),
        }
    }
}

impl<M: Model, O: Projected<M>, K> Ranked<'_, M, O, K> {
    fn pipeline(
        find: &Find<'_, M, O, K>,
        filter: Document,
        (parts, searched): (&str, &[String]),
    ) -> Vec<Document> {
        let words = stored::own(WORDS);
        let begins = |word: &String| {
            let begins = doc! { "$eq": [{ "$indexOfBytes": ["$$this", { "$literal": word }] }, 0] };
            let parts = doc! { "$ifNull": [format!("${parts}"), []] };
            let any = doc! { "$anyElementTrue": [{ "$map": { "input": parts, "in": begins } }] };
            doc! { "$cond": [any, 1, 0] }
        };
        let sum: Vec<Document> = searched.iter().map(begins).collect();
        let mut stages = vec![
            doc! { "$match": filter },
            doc! { "$set": { &words: { "$add": sum } } },
            doc! { "$sort": { &words: -1, "_id": 1 } },
        ];
        stages.extend(find.last_stages(&words));
        stages
    }
}

awaits!(['a, M: Model, O: Projected<M>, K: 'a] Ranked<'a, M, O, K> => Vec<WithWords<O>>, self {
    let Ranked { find, parts, words } = self;
    let pipeline = |find: &Find<'_, M, O, K>, filter| Self::pipeline(find, filter, (&parts, &words));
    let join = |document, own: Option<&RawDocument>| {
        let words = own.and_then(|own| own.get_i32(WORDS).ok()).unwrap_or_default();
        WithWords { document, words: u64::try_from(words).unwrap_or_default() }
    };
    find.aggregate(pipeline, join).await
});
