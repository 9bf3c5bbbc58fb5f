//! References of a model to itself that lead back to where they began.

use bson::{Bson, doc};
use futures::TryStreamExt;
use futures::future::join_all;
use mongo_model::denorm::{Defect, Difference};
use mongo_model::model::CheckRule;
use mongo_model::{Error, Id, MongoModel, Outcome, Result, verify};
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

                // Above itself, as another program may put it.
                let own = doc! { "$set": { "above": leaf.id } };
                let nodes = bench.raw($name::meta().collection);
                let own = nodes.update_one(doc! { "_id": leaf.id }, own).await;
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

/// Refers to itself by a natural key, by an entry with a copy, and by a reference that every document has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "ring_pages")]
pub struct RingPage {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index(unique)]
    pub slug: String,
    #[parent(RingPage, key = slug)]
    pub above: Option<String>,
    #[parent(RingPage)]
    #[denorm(from = RingPage, fields(slug))]
    pub twin: Option<Twin>,
    #[parent(RingPage)]
    pub root: i32,
    #[parent(RingPage, unchecked)]
    pub made_by: Option<i32>,
}

/// Each side of its reference can be written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "ring_bosses")]
pub struct RingBoss {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(RingBoss, inverse = staff)]
    pub boss: Option<i32>,
    #[refs(RingBoss, inverse = boss, max = 3)]
    pub staff: Vec<i32>,
}

fn page(id: i32) -> RingPage {
    RingPage {
        id,
        slug: format!("page {id}"),
        above: None,
        twin: None,
        root: id,
        made_by: None,
    }
}

fn assert_refused(call: &str, refused: Result<Outcome>, path: &str) {
    let error = refused.expect_err(call);
    let Error::Invalid { violations, .. } = &error else {
        panic!("{call}: {error}");
    };
    let paths: Vec<&str> = violations.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, [path], "{call}");
    assert_eq!(violations[0].rule, CheckRule::OtherDocument, "{call}");
    let text = format!("{path} must not be the document itself");
    assert!(error.to_string().contains(&text), "{call}: {error}");
    assert_eq!(error.http_status(), 422, "{call}");
}

#[tokio::test]
async fn no_write_puts_a_document_above_itself() {
    on_both("ring_own", async |bench| {
        let db = &bench.db;
        bench
            .index(&[Denied::meta(), RingPage::meta(), RingBoss::meta()])
            .await;
        let mut own = Denied::below(None);
        Denied::insert(db, &own).settled().await.expect("stored");
        bench.forget();
        let set = Denied::update(db, own.id).set(|n| n.above, own.id).await;
        assert_refused("set", set, "above");
        own.above = Some(own.id);
        assert_refused("save", own.save(db).await, "above");
        assert_refused("insert", Denied::insert(db, &own).await, "above");
        let many = Denied::insert_many(db, [&own]).await;
        assert_refused("insert_many", many, "above");

        let mut natural = page(1);
        natural.above = Some(natural.slug.clone());
        let refused = RingPage::insert(db, &natural).await;
        assert_refused("by a natural key", refused, "above");
        let mut twin = page(1);
        twin.twin = Some(Twin {
            id: 1,
            slug: "page 1".to_owned(),
        });
        let refused = RingPage::insert(db, &twin).await;
        assert_refused("by an entry", refused, "twin");
        let set = RingPage::update(db, 1)
            .set(
                |p| p.twin,
                Twin {
                    id: 1,
                    slug: "page 1".to_owned(),
                },
            )
            .await;
        assert_refused("an entry set", set, "twin");
        let reassigned = RingBoss::reassign_boss(db, 1, 1).await;
        assert_refused("reassign", reassigned, "boss");
        assert_eq!(bench.sent(), Vec::<String>::new());

        let boss = RingBoss {
            id: 1,
            boss: None,
            staff: Vec::new(),
        };
        RingBoss::insert(db, &boss).await.expect("stored");
        let added = RingBoss::add_staff(db, 1, 1).await;
        assert_refused("add", added, "boss");

        // The root of a tree in which every document refers to one, and a reference that is not checked.
        let mut root = page(1);
        root.made_by = Some(1);
        RingPage::insert(db, &root).await.expect("stored");
        root.save(db).await.expect("saved");
    })
    .await;
}
