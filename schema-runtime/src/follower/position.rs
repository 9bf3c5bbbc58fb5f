//! The stored position: how far the stream has been followed, and the gaps that are not repaired yet, in one document.
//!
//! Every write to it names the fencing token of the lock's holder. A program that wrongly believes that it still leads
//! cannot move it.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, Timestamp, doc};

use crate::driver::{self, Database, Lasting, Strings, UpdateArgs, stream};
use crate::error::{Error, Result};
use crate::schema::stored::FOLLOWERS;

/// A part of the data that has to be compared as a whole, because changes to it may have been missed, or do not say
/// enough.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// All models: the stream has lost its position, or begins.
    Everything {
        /// True if the stream has been followed before, so that deletes may have been missed: references that lead nowhere follow their
        /// rule.
        followed: bool,
    },
    /// Everything that follows from the documents of a collection, or is stored in them: it was dropped or renamed.
    Collection(String),
    /// The derived data of a link, as `persons.tasks`: a child has left a parent that the event does not name.
    Link(String),
    /// The references to the documents of a collection: a document has lost a natural key that the event does not name.
    References(String),
}

impl Scope {
    fn stored(&self) -> Document {
        match self {
            Scope::Everything { followed } => doc! { "all": true, "followed": *followed },
            Scope::Collection(name) => doc! { "collection": name },
            Scope::Link(name) => doc! { "link": name },
            Scope::References(name) => doc! { "references": name },
        }
    }

    fn read(stored: &Document) -> Scope {
        let text = |key: &str| stored.get_str(key).ok().map(str::to_owned);
        if let Some(name) = text("collection") {
            Scope::Collection(name)
        } else if let Some(name) = text("link") {
            Scope::Link(name)
        } else if let Some(name) = text("references") {
            Scope::References(name)
        } else {
            // A scope of a later version is a part of everything.
            let followed = stored.get_bool("followed").unwrap_or(true);
            Scope::Everything { followed }
        }
    }
}

/// A stretch of changes that were not followed one by one. Its repair compares the whole scope.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gap {
    pub(crate) id: ObjectId,
    /// The data that is compared.
    pub scope: Scope,
    /// The reason for the gap.
    pub reason: String,
    /// The time when the gap was recorded, by the clock of the program that recorded it.
    pub since: DateTime,
    /// The time up to which the stream was followed before, where that is known.
    pub(crate) from: Option<DateTime>,
}

impl Gap {
    pub(crate) fn new(scope: Scope, reason: impl Into<String>) -> Gap {
        Gap {
            id: ObjectId::new(),
            scope,
            reason: reason.into(),
            since: DateTime::now(),
            from: None,
        }
    }

    /// The gap begins at this time.
    pub(crate) fn from(self, from: Option<DateTime>) -> Gap {
        Gap { from, ..self }
    }

    fn stored(&self) -> Document {
        let mut out = doc! { "id": self.id };
        out.extend(self.scope.stored());
        out.insert("reason", &self.reason);
        out.insert("since", self.since);
        if let Some(from) = self.from {
            out.insert("from", from);
        }
        out
    }

    fn read(stored: &Document) -> Option<Gap> {
        Some(Gap {
            id: stored.get_object_id("id").ok()?,
            scope: Scope::read(stored),
            reason: stored.get_str("reason").unwrap_or_default().to_owned(),
            since: *stored.get_datetime("since").ok()?,
            from: stored.get_datetime("from").ok().copied(),
        })
    }
}

/// The stored position of a follower.
#[derive(Debug, Clone, Default)]
pub(crate) struct Position {
    pub(crate) token: Option<Document>,
    /// The identity of the cluster that gave the token.
    pub(crate) cluster: Option<Document>,
    pub(crate) gaps: Vec<Gap>,
    /// The edges along which documents refer to sources that do not exist yet.
    pub(crate) dangling: Vec<String>,
    /// The times of the last look at some documents, and at all, on a server without change streams.
    pub(crate) polled: Option<DateTime>,
    pub(crate) whole: Option<DateTime>,
}

/// The right to move a position.
#[derive(Debug, Clone)]
pub(crate) struct Pen {
    pub(crate) db: Database,
    pub(crate) name: String,
    pub(crate) fence: i64,
}

impl Pen {
    /// Takes the position over, from this fencing token on, and reads it. Sends one `findAndModify`.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] if a later holder has it. The driver's.
    pub(crate) async fn claim(&self) -> Result<Position> {
        let args = UpdateArgs {
            filter: doc! { "_id": &self.name, "fence": { "$not": { "$gt": self.fence } } },
            changes: doc! { "$set": { "fence": self.fence } }.into(),
            many: false,
            upsert: true,
            lasting: Lasting::Durable,
            strings: Strings::Exactly,
        };
        let claimed = driver::update_and_read(&self.db, FOLLOWERS, args, doc! {}, None).await;
        let found = match claimed {
            Err(error) if driver::is_duplicate(&error) => return Err(self.lost()),
            claimed => claimed?.unwrap_or_default(),
        };
        let gaps = found.get_array("gaps").into_iter().flatten();
        let dangling = found.get_array("dangling").into_iter().flatten();
        Ok(Position {
            token: found.get_document("token").ok().cloned(),
            cluster: found.get_document("cluster").ok().cloned(),
            gaps: gaps
                .filter_map(|gap| Gap::read(gap.as_document()?))
                .collect(),
            dangling: dangling
                .filter_map(|name| Some(name.as_str()?.to_owned()))
                .collect(),
            polled: found.get_datetime("polled").ok().copied(),
            whole: found.get_datetime("whole").ok().copied(),
        })
    }

    /// Changes the position. Sends one `update`.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] if a later holder has it. The driver's.
    pub(crate) async fn write(&self, change: Document) -> Result<()> {
        let update = doc! { "q": { "_id": &self.name, "fence": self.fence }, "u": change };
        let done = driver::statements(&self.db, FOLLOWERS, &[update], true, None).await?;
        if let Some((_, code, message)) = done.failed.into_iter().next() {
            return Err(Error::Refused {
                reference: format!("the position {FOLLOWERS}.{}", self.name),
                code,
                message,
            });
        }
        if done.matched == 0 {
            return Err(self.lost());
        }
        Ok(())
    }

    /// Clears a gap that is repaired, and stores the dangling edges that the repair has found.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub(crate) async fn clear(&self, gap: &Gap, dangling: &[String]) -> Result<()> {
        let mut change = position_update(None, &[], dangling);
        change.insert("$pull", doc! { "gaps": { "id": gap.id } });
        self.write(change).await
    }

    fn lost(&self) -> Error {
        Error::LeaseLost {
            of: format!("the follower `{}`", self.name),
            token: self.fence,
        }
    }
}

/// The change that stores a place in the stream, and the gaps and dangling edges that are new.
pub(crate) fn position_update(
    token: Option<&Document>,
    gaps: &[Gap],
    dangling: &[String],
) -> Document {
    let mut change = Document::new();
    if let Some(token) = token {
        change.insert("$set", doc! { "token": token, "at": DateTime::now() });
    }
    if !gaps.is_empty() {
        let each: Vec<Document> = gaps.iter().map(Gap::stored).collect();
        change.insert("$push", doc! { "gaps": { "$each": each } });
    }
    if !dangling.is_empty() {
        change.insert("$addToSet", doc! { "dangling": { "$each": dangling } });
    }
    change
}

/// The time of a place in the stream. A token begins with it: a byte that says "timestamp", and the timestamp, in hexadecimal.
pub(crate) fn time_of(token: &Document) -> Option<Timestamp> {
    let data = token.get_str("_data").ok()?;
    if !data.starts_with("82") {
        return None;
    }
    let number = |from: usize| u32::from_str_radix(data.get(from..from + 8)?, 16).ok();
    Some(Timestamp {
        time: number(2)?,
        increment: number(10)?,
    })
}

/// The identity of a cluster, as far as this user may know it: the id of the replica set, which a restored backup does not keep, and the
/// UUID of the collection of positions, which a copied or restored collection does not keep.
///
/// # Errors
/// The driver's.
pub(crate) async fn identity(db: &Database, deployment: &stream::Deployment) -> Result<Document> {
    let infos = stream::collection_infos(db, &[FOLLOWERS]).await?;
    let info = infos
        .first()
        .and_then(|info| info.get_document("info").ok());
    let mut out = Document::new();
    if let Some(set) = &deployment.set {
        out.insert("set", set.clone());
    }
    if let Some(uuid) = info.and_then(|info| info.get("uuid")) {
        out.insert("collection", uuid.clone());
    }
    Ok(out)
}

/// The reason why a stored place cannot be used in this cluster; `None` if it can be used.
pub(crate) fn why_void(
    position: &Position,
    here: &Document,
    now: Option<Timestamp>,
) -> Option<&'static str> {
    let token = position.token.as_ref()?;
    let stored = position.cluster.clone().unwrap_or_default();
    let differs = |key: &str| match (stored.get(key), here.get(key)) {
        (Some(Bson::Null) | None, _) | (_, None) => false,
        (stored, here) => stored != here,
    };
    if differs("set") || differs("collection") {
        return Some("the stored position is of another cluster, or of a restored backup");
    }
    match (time_of(token), now) {
        // The server would wait for that time in silence.
        (Some(then), Some(now)) if then > now => {
            Some("the stored position is later than the cluster: it was restored from a backup")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(time: u32) -> Document {
        doc! { "_data": format!("82{time:08X}0000000229296E04") }
    }

    #[test]
    fn a_token_begins_with_its_time() {
        let time = time_of(&token(0x6512_3456)).expect("a time");
        assert_eq!((time.time, time.increment), (0x6512_3456, 2));
        assert_eq!(time_of(&doc! { "_data": "0500" }), None);
    }

    #[test]
    fn a_position_of_another_cluster_is_void() {
        let at = |cluster: Document| Position {
            token: Some(token(100)),
            cluster: Some(cluster),
            ..Position::default()
        };
        let here = doc! { "set": 1, "collection": 2 };
        let now = Some(Timestamp {
            time: 100,
            increment: 2,
        });
        assert_eq!(why_void(&at(here.clone()), &here, now), None);
        assert_eq!(why_void(&at(doc! { "collection": 2 }), &here, now), None);
        assert!(why_void(&at(doc! { "set": 7, "collection": 2 }), &here, now).is_some());
        assert!(why_void(&at(doc! { "set": 1, "collection": 7 }), &here, now).is_some());
        let before = Some(Timestamp {
            time: 99,
            increment: 9,
        });
        assert!(why_void(&at(here.clone()), &here, before).is_some());
    }

    #[test]
    fn gaps_are_read_as_they_were_stored() {
        let scopes = [
            Scope::Everything { followed: false },
            Scope::Collection("a".to_owned()),
            Scope::Link("a.b".to_owned()),
            Scope::References("a".to_owned()),
        ];
        for scope in scopes {
            let gap = Gap::new(scope, "test").from(Some(DateTime::from_millis(7)));
            assert_eq!(Gap::read(&gap.stored()), Some(gap));
        }
    }
}
