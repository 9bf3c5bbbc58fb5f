//! The kind and release of a server, and the features of the library that not every server supports.

use std::fmt;

use bson::Document;

use crate::bson_util::number::integer;
use crate::error::defects::ServerVersion;

/// A feature of this library that not every server can serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// `transaction`, `transaction_boxed`, `Transaction::begin`: a replica set or a sharded cluster.
    Transactions,
    /// `Follower::run`, and `watch` where it does not poll: a replica set or a sharded cluster.
    ChangeStreams,
    /// The document before a change, for `Follower::run` and the watch of a tenant's documents: change streams, and MongoDB 6.0.
    PreImages,
    /// `Queue`: MongoDB 5.0.
    Queues,
    /// `Lock`: MongoDB 5.0.
    Locks,
    /// `Saga`: MongoDB 5.0.
    Sagas,
    /// Loads of children with a limit per parent: MongoDB 5.1.
    LimitPerParent,
    /// `#[period]`: MongoDB 5.1.
    Periods,
    /// `#[recent]`, `#[min]` and `#[max]`: MongoDB 5.2.
    RecentLists,
    /// `sync_validators(..).constraint()`: MongoDB 9.0.
    ConstraintValidators,
    /// `find_nearest`: MongoDB Atlas, or MongoDB 8.2 with `mongot`. A server does not say whether it has a search process, so
    /// [`supports`](Server::supports) is true where its release may have one, and a search ends with an error where it has none.
    VectorSearch,
}

/// The kinds of deployments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Deployment {
    /// A single server that is no member of a replica set.
    Standalone,
    /// A replica set.
    ReplicaSet,
    /// A sharded cluster, seen through a router.
    Sharded,
}

/// A server, as far as features depend on it: see [`capabilities`](crate::capabilities).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Server {
    /// The kind of deployment that the server belongs to.
    pub deployment: Deployment,
    /// The version of its wire protocol, which increases with each release: 17 is MongoDB 6.0, 21 is 7.0, 25 is 8.0. It is 0 where the
    /// server was not asked: in the error of a transaction that was opened by the driver.
    pub wire_version: i32,
    /// The version, which [`capabilities`](crate::capabilities) asks for; none in an error, or where the server gives another form. Its
    /// [`defects`](ServerVersion::defects) say if it should be upgraded.
    pub version: Option<ServerVersion>,
}

/// The first wire version of the releases that it increased with.
const RELEASES: [(i32, &str); 18] = [
    (9, "4.4"),
    (13, "5.0"),
    (14, "5.1"),
    (15, "5.2"),
    (16, "5.3"),
    (17, "6.0"),
    (18, "6.1"),
    (19, "6.2"),
    (20, "6.3"),
    (21, "7.0"),
    (22, "7.1"),
    (23, "7.2"),
    (24, "7.3"),
    (25, "8.0"),
    (26, "8.1"),
    (27, "8.2"),
    (28, "8.3"),
    (29, "9.0"),
];

impl Server {
    /// The server that has given this answer to `hello`.
    pub(crate) fn of_hello(hello: &Document) -> Self {
        let deployment = if hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid") {
            Deployment::Sharded
        } else if hello.contains_key("setName") {
            Deployment::ReplicaSet
        } else {
            Deployment::Standalone
        };
        let wire_version = integer(hello.get("maxWireVersion")).unwrap_or(0);
        Server {
            deployment,
            wire_version: i32::try_from(wire_version).unwrap_or(0),
            version: None,
        }
    }

    /// True if the server can serve this feature.
    ///
    /// ```no_run
    /// # use mongo_model::{Database, Feature};
    /// # async fn example(db: &Database) -> mongo_model::Result<()> {
    /// let server = mongo_model::capabilities(db).await?;
    /// if !server.supports(Feature::Transactions) {
    ///     println!("{server} has no transactions: moving money by a saga");
    /// }
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn supports(&self, feature: Feature) -> bool {
        self.wire_version >= feature.wire_version()
            && (self.deployment != Deployment::Standalone || !feature.needs_replication())
    }
}

impl Feature {
    fn wire_version(self) -> i32 {
        match self {
            Feature::Transactions | Feature::ChangeStreams => 0,
            Feature::Queues | Feature::Locks | Feature::Sagas => 13,
            Feature::LimitPerParent | Feature::Periods => 14,
            Feature::RecentLists => 15,
            Feature::PreImages | Feature::VectorSearch => 17,
            Feature::ConstraintValidators => 29,
        }
    }

    fn needs_replication(self) -> bool {
        matches!(
            self,
            Feature::Transactions | Feature::ChangeStreams | Feature::PreImages
        )
    }

    /// The part of the message behind "needs".
    pub(crate) fn needs(self) -> String {
        if self == Feature::VectorSearch {
            return "MongoDB Atlas, or MongoDB 8.2 with `mongot`".to_owned();
        }
        let version = self.wire_version();
        let release = RELEASES.iter().find(|(from, _)| *from == version);
        match (release, self.needs_replication()) {
            (Some((_, release)), false) => format!("MongoDB {release}"),
            (Some((_, release)), true) => format!("a replica set of MongoDB {release}"),
            (None, _) => "a replica set".to_owned(),
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Feature::Transactions => "a transaction",
            Feature::ChangeStreams => "a change stream",
            Feature::PreImages => "the document before a change",
            Feature::Queues => "a queue",
            Feature::Locks => "a lock",
            Feature::Sagas => "a saga",
            Feature::LimitPerParent => "a limit per parent",
            Feature::Periods => "a document of a period",
            Feature::RecentLists => "what `#[recent]`, `#[min]` or `#[max]` keeps",
            Feature::ConstraintValidators => "a validator that all documents meet",
            Feature::VectorSearch => "a search for vectors",
        })
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.deployment {
            Deployment::Standalone => "a standalone server",
            Deployment::ReplicaSet => "a replica set",
            Deployment::Sharded => "a sharded cluster",
        };
        if self.wire_version == 0 {
            return f.write_str(kind);
        }
        let last = RELEASES
            .iter()
            .rfind(|(from, _)| *from <= self.wire_version);
        match last {
            Some((from, release)) if *from == self.wire_version => {
                write!(f, "{kind} of MongoDB {release}")
            }
            Some((_, release)) => write!(f, "{kind} newer than MongoDB {release}"),
            None => write!(f, "{kind} older than MongoDB 4.4"),
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::{Deployment, Feature, Server};

    const ALL: [Feature; 9] = [
        Feature::Transactions,
        Feature::ChangeStreams,
        Feature::PreImages,
        Feature::Queues,
        Feature::Locks,
        Feature::Sagas,
        Feature::LimitPerParent,
        Feature::RecentLists,
        Feature::ConstraintValidators,
    ];

    /// Parts of a reply that are the same for all servers, and that the tests do not read, are left out.
    #[test]
    fn replies_of_several_releases() {
        for (hello, shown, lacking) in [
            (
                doc! { "isWritablePrimary": true, "minWireVersion": 0, "maxWireVersion": 9, "ok": 1.0 },
                "a standalone server of MongoDB 4.4",
                ALL.to_vec(),
            ),
            (
                doc! { "setName": "rs0", "maxWireVersion": 13, "ok": 1.0 },
                "a replica set of MongoDB 5.0",
                vec![
                    Feature::PreImages,
                    Feature::LimitPerParent,
                    Feature::RecentLists,
                    Feature::ConstraintValidators,
                ],
            ),
            (
                doc! { "isWritablePrimary": true, "maxWireVersion": 17, "ok": 1.0 },
                "a standalone server of MongoDB 6.0",
                vec![
                    Feature::Transactions,
                    Feature::ChangeStreams,
                    Feature::PreImages,
                    Feature::ConstraintValidators,
                ],
            ),
            (
                doc! { "setName": "rs0", "setVersion": 1, "maxWireVersion": 21, "ok": 1.0 },
                "a replica set of MongoDB 7.0",
                vec![Feature::ConstraintValidators],
            ),
            (
                doc! { "msg": "isdbgrid", "maxWireVersion": 25, "ok": 1.0 },
                "a sharded cluster of MongoDB 8.0",
                vec![Feature::ConstraintValidators],
            ),
            (
                doc! { "setName": "rs0", "maxWireVersion": 29_i64, "ok": 1.0 },
                "a replica set of MongoDB 9.0",
                vec![],
            ),
        ] {
            let server = Server::of_hello(&hello);
            assert_eq!(server.to_string(), shown);
            let missing: Vec<_> = ALL.into_iter().filter(|f| !server.supports(*f)).collect();
            assert_eq!(missing, lacking, "{shown}");
        }
    }

    #[test]
    fn a_reply_without_fields_is_no_reason_to_panic() {
        let server = Server::of_hello(&doc! {});
        assert_eq!(server.deployment, Deployment::Standalone);
        assert_eq!(server.to_string(), "a standalone server");
    }
}
