//! Joins of the keys of a grouping.

use std::fmt;

use bson::Bson;
use serde::de::DeserializeOwned;

use super::ids::{Place, RefId};
use super::policy::Single;
use super::refs::relation_at;
use super::{Join, Joined, LoadedOne, Refs, Types};
use crate::builder::awaits;
use crate::codec::{Decode, Encode};
use crate::driver::ClientSession;
use crate::error::Result;
use crate::find::group::{Group, GroupBy, GroupKey, Totals};
use crate::projection::Projected;
use crate::schema::field::place::{OnePlace, Path, path};
use crate::schema::field::{Field, Refers, encode};
use crate::schema::model::Model;
use crate::tenant::Reach;

/// A grouping by a reference, whose keys are joined with the documents that they refer to, about to be sent; each of those is read as `O`.
/// `.await` gives a `Vec` of [`Joined`].
#[must_use = "nothing is sent before it is awaited"]
pub struct GroupJoin<'a, M, K, V, R, H, O> {
    groups: GroupBy<'a, M, K, V, R>,
    handle: &'a H,
    read: Types<O>,
}

/// A join of groups whose key is one field.
type JoinByField<'a, M, P, T, I, W, V, R, H, O> = GroupJoin<'a, M, Field<P, T, I, W>, V, R, H, O>;

impl<M, K, V, R, H, O> fmt::Debug for GroupJoin<'_, M, K, V, R, H, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.groups.fmt(f)
    }
}

impl<'a, M: Model, P, T, I, W, V, R> GroupBy<'a, M, Field<P, T, I, W>, V, R> {
    /// Joins the key of each group, a reference, with the document that it refers to: `loaded.value()`, which is `None` where the key is
    /// null or no document has the id. `db` is the handle that the calls of that model take. Sends one more `find` per 2,500 groups, and nothing for
    /// none; it is the last call before `.await`, except [`project`](GroupJoin::project).
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "hosts")]
    /// # pub struct Host {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Host>,
    /// #     pub name: String,
    /// # }
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "messages")]
    /// # pub struct Message {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Message>,
    /// #     #[parent(Host)]
    /// #     pub host: Id<Host>,
    /// # }
    /// # async fn example(db: &Database) -> Result<()> {
    /// let busiest = Message::group_by(db, |m| m.host)
    ///     .count()
    ///     .sort(|(messages,)| messages.desc())
    ///     .limit(10)
    ///     .join_key(db)
    ///     .await?;
    /// for group in &busiest {
    ///     let host = group.loaded.value().map_or("?", |host| host.name.as_str());
    ///     println!("{host}: {} messages", group.totals.0);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When awaited: those of the grouping, and those of a [load](crate::MongoModel::load).
    pub fn join_key<H, O>(self, db: &'a H) -> JoinByField<'a, M, P, T, I, W, V, R, H, O>
    where
        W: Refers<Target = O>,
        O: Model<DatabaseHandle = H>,
        H: Reach,
    {
        GroupJoin {
            groups: self,
            handle: db,
            read: std::marker::PhantomData,
        }
    }
}

impl<'a, M, P, T, I, W: Refers, V, R, H, O> GroupJoin<'a, M, Field<P, T, I, W>, V, R, H, O> {
    /// Reads the documents that the keys refer to as a projection: the server sends its fields, and the id that identifies the document.
    pub fn project<Q: Projected<W::Target>>(self) -> JoinByField<'a, M, P, T, I, W, V, R, H, Q> {
        GroupJoin {
            groups: self.groups,
            handle: self.handle,
            read: std::marker::PhantomData,
        }
    }
}

/// The references that are the keys of these groups.
fn refs<M: Model, P: Path, T, V, W: Refers, O>(
    groups: &[Group<T, V>],
) -> Refs<(), W::Target, Single, O, W::Id>
where
    P::Codec: Encode<T>,
{
    let path = path::<P>();
    let relation = relation_at::<M>(&path);
    let place = Place::new(M::model_meta().name, path, relation);
    let id = |group: &Group<T, V>| match encode::<P, T>(&group.key) {
        Ok(Bson::Null) => Ok(Vec::new()),
        Ok(id) => Ok(vec![RefId::from(id)]),
        Err(error) => Err(place.encode_error(error)),
    };
    let ids = groups.iter().map(id).collect();
    Refs::of_keys(place, ids, relation)
}

awaits!(['a, M: Model, P: OnePlace + Path<Root = M, Codec: Decode<T> + Encode<T>>, T: Send + Sync + 'a, I: 'a, W, V: Totals + 'a, R: 'a, H, O]
    GroupJoin<'a, M, Field<P, T, I, W>, V, R, H, O> => Vec<Joined<Group<T, V::Values>, LoadedOne<O, W::Id>>>, self
    where (
        W: Refers<Target: Model<DatabaseHandle = H>, Id: DeserializeOwned + Send + 'static> + 'a,
        V::Values: Sync,
        H: Reach,
        O: Projected<W::Target>,
    )
{
    let GroupJoin { groups: mut grouping, handle, .. } = self;
    let mut session = grouping.session().take();
    let groups = group(grouping, session.as_deref_mut()).await?;
    let loaded = {
        let mut join = handle.reach(|db| Join::new(db, &groups, refs::<M, P, T, _, W, O>(&groups)));
        join.session = session;
        join.await?
    };
    let loaded: Vec<_> = loaded.into_iter().map(|(_, loaded)| loaded).collect();
    let joined = groups.into_iter().zip(loaded);
    Ok(joined.map(|(document, loaded)| Joined { document, loaded }).collect())
});

/// The groups, asked for in this session.
async fn group<'s, M: Model, K: GroupKey<M>, V: Totals, R>(
    mut grouping: GroupBy<'s, M, K, V, R>,
    session: Option<&'s mut ClientSession>,
) -> Result<Vec<Group<K::Value, V::Values>>> {
    *grouping.session() = session;
    grouping.await
}
