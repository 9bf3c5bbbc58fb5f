//! Copies of documents that are marked as deleted, and the rules of the references beside them.

use mongo_model::model::ModelMeta;
use mongo_model::{Error, Id, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "poets", soft_delete)]
pub(crate) struct Poet {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Poet>,
    pub(crate) name: String,
    #[deleted]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// Refuses; may be deleted itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "poems", soft_delete)]
pub(crate) struct Poem {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Poem>,
    #[parent(Poet)]
    pub(crate) poet: Id<Poet>,
    #[denorm(from = Poet, field = name)]
    pub(crate) poet_name: String,
    #[deleted]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// Loses its reference when the poet is removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "prizes")]
pub(crate) struct Prize {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Prize>,
    #[parent(Poet, on_delete = unset)]
    pub(crate) poet: Option<Id<Poet>>,
    #[denorm(from = Poet, field = name)]
    pub(crate) poet_name: Option<String>,
    #[refs(Poet, max = 5, on_delete = pull)]
    pub(crate) jury: Vec<Id<Poet>>,
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 3] {
    [Poet::meta(), Poem::meta(), Prize::meta()]
}

/// A poet, a poem of hers, and a prize.
async fn poets(bench: &Bench) -> (Poet, Poem, Prize) {
    bench
        .index(&[Poet::meta(), Poem::meta(), Prize::meta()])
        .await;
    let poet = Poet {
        id: Id::new(),
        name: "Ada".to_owned(),
        deleted_at: None,
    };
    Poet::insert(&bench.db, &poet).await.expect("stored");
    let poem = Poem {
        id: Id::new(),
        poet: poet.id,
        poet_name: String::new(),
        deleted_at: None,
    };
    Poem::insert(&bench.db, &poem).await.expect("stored");
    let prize = Prize {
        id: Id::new(),
        poet: Some(poet.id),
        poet_name: None,
        jury: vec![poet.id],
    };
    Prize::insert(&bench.db, &prize).await.expect("stored");
    bench.forget();
    (poet, poem, prize)
}

async fn assert_settled(bench: &Bench) {
    let report = verify(&bench.db).models(&models()).await.expect("verified");
    assert!(report.is_clean(), "{report:?}");
    assert!(recover(&bench.db).await.expect("recovered").is_idle());
    bench.forget();
}

async fn prize_of(bench: &Bench, prize: &Prize) -> Prize {
    let read = Prize::get(&bench.db, prize.id).await;
    let read = read.expect("read").expect("there");
    bench.forget();
    read
}

#[tokio::test]
async fn live_references_refuse_and_all_other_rules_wait() {
    on_both("copies_rules", async |bench| {
        let (db, (poet, poem, prize)) = (&bench.db, poets(bench).await);
        let error = Poet::delete(db, poet.id)
            .await
            .expect_err("it is referred to");
        let Error::Referenced { by, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!((by[0].model, by[0].count), ("Poem", 1));
        Poem::delete(db, poem.id).await.expect("deleted");
        bench.forget();
        Poet::delete(db, poet.id).await.expect("deleted");
        // The check, the mark, and the check once more.
        assert_eq!(bench.sent(), ["find", "update", "find"]);
        let held = prize_of(bench, &prize).await;
        assert_eq!((held.poet, &*held.jury), (Some(poet.id), &[poet.id][..]));
        assert_eq!(held.poet_name.as_deref(), Some("Ada"));
        assert_settled(bench).await;

        // The poem may be restored, so its poet has to be.
        let error = Poet::purge(db, poet.id)
            .await
            .expect_err("it is referred to");
        assert!(matches!(error, Error::Referenced { .. }), "{error:?}");
        assert_eq!(prize_of(bench, &prize).await, held);
        assert_settled(bench).await;
        Poem::purge(db, poem.id).await.expect("purged");
        Poet::purge(db, poet.id).await.expect("purged");
        let held = prize_of(bench, &prize).await;
        assert_eq!((held.poet, held.poet_name, held.jury), (None, None, vec![]));
        assert_settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn copies_stay_and_follow_what_is_saved() {
    on_both("copies_stay", async |bench| {
        let (db, (poet, poem, prize)) = (&bench.db, poets(bench).await);
        Poet::delete(db, poet.id)
            .without_rules()
            .await
            .expect("deleted");
        assert_eq!(bench.sent(), ["update"]);
        let mut read = Poet::get(db, poet.id)
            .with_deleted()
            .await
            .expect("read")
            .expect("stored");
        assert!(read.deleted_at.is_some());
        read.name = "Lovelace".to_owned();
        read.save(db).await.expect("saved");
        let held = prize_of(bench, &prize).await;
        assert_eq!(held.poet_name.as_deref(), Some("Lovelace"));
        assert_settled(bench).await;
        // A new reference to it is stored with its values, as one to any stored document.
        let more = Prize {
            id: Id::new(),
            poet_name: None,
            ..held.clone()
        };
        Prize::insert(db, &more).await.expect("stored");
        let held = prize_of(bench, &more).await;
        assert_eq!(held.poet_name.as_deref(), Some("Lovelace"));
        // And a deleted document follows its own sources.
        Poem::delete(db, poem.id).await.expect("deleted");
        Poet::restore(db, poet.id).await.expect("restored");
        Poet::update(db, poet.id)
            .set(|p| p.name, "Ada")
            .await
            .expect("updated");
        let poem = Poem::get(db, poem.id).only_deleted().await.expect("read");
        assert_eq!(poem.map(|poem| poem.poet_name).as_deref(), Some("Ada"));
        assert_settled(bench).await;
    })
    .await;
}
