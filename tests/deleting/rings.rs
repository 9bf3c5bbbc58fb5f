//! References of a model to itself that lead back to where they began.

use bson::Bson;
use futures::TryStreamExt;
use futures::future::join_all;
use mongo_model::denorm::{Defect, Difference};
use mongo_model::{Id, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

macro_rules! node {
    ($name:ident, $collection:literal $(, $rule:ident)?) => {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
        #[model(collection = $collection)]
        struct $name {
            #[serde(rename = "_id")]
            id: Id<$name>,
            #[parent($name $(, on_delete = $rule)?)]
            above: Option<Id<$name>>,
        }

        impl $name {
            fn below(above: Option<&$name>) -> Self {
                $name {
                    id: Id::new(),
                    above: above.map(|above| above.id),
                }
            }
        }
    };
}

node!(Denied, "ring_denied");
node!(Cascaded, "ring_cascaded", cascade);
node!(Unset, "ring_unset", unset);

/// What `verify` says of the rings along one reference, by document.
async fn rings(bench: &Bench, edge: &str) -> (u64, Vec<Bson>) {
    let found = verify(&bench.db).await.expect("verified");
    let report = found.reference(edge).expect("the edge");
    assert_eq!(report.count(Defect::Ring), report.defects(), "{found}");
    assert_eq!(found.is_clean(), report.defects() == 0, "{found}");
    let streamed: Vec<Difference> = verify(&bench.db)
        .stream()
        .try_collect()
        .await
        .expect("read");
    assert_eq!(streamed.len() as u64, report.defects());
    let mut ids: Vec<Bson> = report.findings.iter().map(|one| one.id.clone()).collect();
    ids.sort_by_key(ToString::to_string);
    (report.count(Defect::Ring), ids)
}

macro_rules! under_a_rule {
    ($test:ident, $name:ident, $database:literal, $edge:literal) => {
        #[tokio::test]
        async fn $test() {
            on_both($database, async |bench| {
                let db = &bench.db;
                bench.index(&[$name::meta()]).await;
                let root = $name::below(None);
                let child = $name::below(Some(&root));
                let grandchild = $name::below(Some(&child));
                let other = $name::below(Some(&root));
                let leaf = $name::below(Some(&other));
                for node in [&root, &child, &grandchild, &other, &leaf] {
                    $name::insert(db, node).settled().await.expect("stored");
                }
                assert_eq!(rings(bench, $edge).await, (0, vec![]));

                // Below its grandchild: all three are above themselves, and the others are not.
                let moved = $name::update(db, root.id)
                    .set(|n| n.above, grandchild.id)
                    .await;
                moved.expect("moved");
                let mut three =
                    [&root, &child, &grandchild].map(|node| Bson::from(*node.id.as_raw()));
                three.sort_by_key(ToString::to_string);
                assert_eq!(rings(bench, $edge).await, (3, three.to_vec()));
                let text = verify(db).await.expect("verified").to_string();
                assert!(text.contains("which is below it"), "{text}");
                let back = $name::update(db, root.id).unset(|n| n.above).await;
                back.expect("moved back");

                // Above itself.
                let own = $name::update(db, leaf.id).set(|n| n.above, leaf.id).await;
                own.expect("moved");
                assert_eq!(
                    rings(bench, $edge).await,
                    (1, vec![Bson::from(*leaf.id.as_raw())])
                );
                let back = $name::update(db, leaf.id).set(|n| n.above, other.id).await;
                back.expect("moved back");

                // Each below the other, at once.
                let moves = [(&child, &other), (&other, &child)].map(|(node, above)| {
                    $name::update(db, node.id)
                        .set(|n| n.above, above.id)
                        .into_future()
                });
                for moved in join_all(moves).await {
                    moved.expect("moved");
                }
                let mut two = [&child, &other].map(|node| Bson::from(*node.id.as_raw()));
                two.sort_by_key(ToString::to_string);
                assert_eq!(rings(bench, $edge).await, (2, two.to_vec()));
            })
            .await;
        }
    };
}

under_a_rule!(deny, Denied, "ring_deny", "ring_denied.above");
under_a_rule!(cascade, Cascaded, "ring_cascade", "ring_cascaded.above");
under_a_rule!(unset, Unset, "ring_unset", "ring_unset.above");
