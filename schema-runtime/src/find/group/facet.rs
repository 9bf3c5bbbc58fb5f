//! Facets: the documents of one query counted by several keys, in one command.

use std::fmt;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::totals::get;
use super::{Group, GroupKey, Unfilled};
use crate::builder::awaits;
use crate::driver;
use crate::error::Result;
use crate::filter::Countable;
use crate::find::Find;
use crate::find::operators::{NEAR, refuse_operators};
use crate::schema::field::Handles;
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall};

/// Several keys by which the same documents are counted: a tuple of two to six [`GroupKey`]s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no keys of a facet of `{M}`",
    label = "no tuple of keys",
    note = "`facet` takes a tuple of two to six keys: `.facet(|p| (p.colour, p.brand))`; by one key `.group_by(|p| p.colour).count()` counts"
)]
pub trait Facets<M>: Send + Sync {
    /// A tuple with the groups of each key.
    type Values: Send;
    #[doc(hidden)]
    fn pipelines(&self) -> Vec<Vec<Document>>;
    #[doc(hidden)]
    fn read(&self, raw: &RawDocument, model: &'static str) -> Result<Self::Values>;
}

fn pipeline<M, G: GroupKey<M>>(key: &G) -> Vec<Document> {
    let mut scopes = Vec::new();
    key.add_scopes(&mut scopes);
    let scopes = scopes.into_iter().map(|scope| doc! { "$match": scope });
    let group = doc! { "_id": key.expression(), COUNT: { "$sum": 1 } };
    let stages = [doc! { "$group": group }, doc! { "$sort": { "_id": 1 } }];
    scopes.chain(stages).collect()
}

/// The name of a count in a group.
const COUNT: &str = "n";

/// The name of the `n`-th facet.
fn name(n: usize) -> String {
    format!("f{n}")
}

fn groups<M, G: GroupKey<M>>(
    key: &G,
    raw: &RawDocument,
    n: usize,
    model: &'static str,
) -> Result<Vec<Group<G::Value, u64>>> {
    let Bson::Array(groups) = get(raw, &name(n)) else {
        return Ok(Vec::new());
    };
    let group = |group: &Bson| {
        let part = |name: &str| group.as_document().and_then(|group| group.get(name));
        let count = match part(COUNT) {
            Some(Bson::Int32(n)) => u64::try_from(*n),
            Some(Bson::Int64(n)) => u64::try_from(*n),
            _ => Ok(0),
        };
        Ok(Group {
            key: key.read(part("_id").unwrap_or(&Bson::Null), model)?,
            totals: count.unwrap_or_default(),
        })
    };
    groups.iter().map(group).collect()
}

macro_rules! tuples {
    ($($($name:ident $n:tt)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<M, $($name: GroupKey<M> + Unfilled),*> Facets<M> for ($($name,)*) {
            type Values = ($(Vec<Group<$name::Value, u64>>,)*);
            fn pipelines(&self) -> Vec<Vec<Document>> {
                vec![$(pipeline::<M, _>(&self.$n)),*]
            }
            fn read(&self, raw: &RawDocument, model: &'static str) -> Result<Self::Values> {
                Ok(($(groups::<M, _>(&self.$n, raw, $n, model)?,)*))
            }
        }
    )*};
}

tuples! {
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
}

/// A counting of documents of `M` by several keys, about to be sent. `.await` gives a tuple with the groups of each key, in the order of
/// their values; the `totals` of a group are its number of documents.
#[must_use = "nothing is sent before it is awaited"]
pub struct Facet<'a, M, G> {
    find: Find<'a, M>,
    keys: G,
}

impl<M, G> fmt::Debug for Facet<'_, M, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facet")
            .field("find", &self.find)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model, O, K> Find<'a, M, O, K> {
    /// Counts the documents by several keys at once: the numbers beside the choices of a search page. Sends one `aggregate`, so all
    /// numbers are of the same documents, which the server finds once. Order, `skip` and `limit` apply before they are counted.
    ///
    /// The server sends all groups in one document, of at most 16 MiB.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "shirts")]
    /// # pub struct Shirt {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Shirt>,
    /// #     #[index]
    /// #     pub shop: i64,
    /// #     pub colour: String,
    /// #     pub size: i32,
    /// # }
    /// # async fn example(db: &Database) -> Result<()> {
    /// let (colours, sizes) = Shirt::find(db, |s| s.shop.eq(7)).facet(|s| (s.colour, s.size)).await?;
    /// for colour in &colours {
    ///     println!("{}: {}", colour.key, colour.totals);
    /// }
    /// # let _ = sizes;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When awaited: [`Error::Decode`](crate::Error::Decode) as [`group_by`](Find::group_by) has it, and the driver's.
    pub fn facet<G: Facets<M>>(self, keys: impl FnOnce(M::FieldHandles) -> G) -> Facet<'a, M, G>
    where
        K: Countable,
    {
        Facet {
            find: self.retyped(),
            keys: keys(M::FieldHandles::VALUE),
        }
    }
}

impl<M: Model, G> Confined for Facet<'_, M, G> {
    fn confined(self, wall: &Wall) -> Self {
        Facet {
            find: self.find.confined(wall),
            ..self
        }
    }
}

crate::builder::read_options!(['a, M, G] Facet<'a, M, G>, find.options);
crate::builder::reads_in_transactions!(['a, M, G] Facet<'a, M, G>, find.session);
crate::builder::document_scopes!(['a, M: Model, G] Facet<'a, M, G>, M, find.scope);

awaits!(['a, M: Model, G: Facets<M> + 'a] Facet<'a, M, G> => G::Values, self {
    let Facet { mut find, keys } = self;
    let meta = M::model_meta();
    let filter = find.take_filter()?;
    refuse_operators(meta.name, "a facet", &filter, &NEAR)?;
    let mut facets = Vec::new();
    // The server knows no limit of 0.
    if find.limit != Some(0) {
        let mut stages = find.stages(filter, Vec::new());
        let pipelines = keys.pipelines().into_iter().enumerate();
        let named: Document = pipelines.map(|(n, stages)| (name(n), stages.into())).collect();
        stages.push(doc! { "$facet": named });
        let strings = find.strings();
        let rows = driver::group(find.db, meta.collection, stages, None, strings, find.options, find.session);
        facets = rows.await?.all(|raw| keys.read(raw, meta.name)).await?;
    }
    match facets.pop() {
        Some(values) => Ok(values),
        None => keys.read(&RawDocumentBuf::new(), meta.name),
    }
});
