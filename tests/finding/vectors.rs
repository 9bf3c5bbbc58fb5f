//! Vectors: their stored form on a real server, and the commands of their indexes and searches. No server with vector search is at hand:
//! the stand-in of `search_process` answers as its documentation says.

use bson::spec::BinarySubtype;
use bson::{Bson, DateTime, Document, doc};
use mongo_model::index::{IndexFailure, VectorChange};
use mongo_model::vector::{Similarity, Vector};
use mongo_model::{Error, Feature, MongoModel, Tenants, plan_indexes, sync_indexes};
use serde::{Deserialize, Serialize};

use super::search_process::{SearchServer, batch, first_stage};
use crate::common::{Bench, alone};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "vector_clips")]
struct Clip {
    #[serde(rename = "_id")]
    id: i32,
    #[index(vector(2, euclidean), filter(year, tag))]
    sound: Option<Vector<2>>,
    #[index]
    year: i32,
    #[serde(rename = "t")]
    tag: String,
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "vector_papers", tenant = org, soft_delete)]
struct Paper {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "o")]
    org: i64,
    #[index(vector(3, cosine))]
    embedding: Vector<3>,
    #[deleted]
    #[serde(rename = "gone", skip_serializing_if = "Option::is_none")]
    deleted_at: Option<DateTime>,
}

fn clip(id: i32, sound: Option<[f32; 2]>) -> Clip {
    Clip {
        id,
        sound: sound.map(Vector::from),
        year: 2000 + id,
        tag: "a".to_owned(),
        note: None,
    }
}

/// The `queryVector` of a command, as numbers.
fn numbers(stage: &Document) -> Vec<f32> {
    let Some(Bson::Binary(binary)) = stage.get("queryVector") else {
        panic!("{stage}");
    };
    match bson::binary::Vector::try_from(binary) {
        Ok(bson::binary::Vector::Float32(numbers)) => numbers,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_vector_is_binary_on_the_server_and_arrays_are_read() {
    alone("vectors", async |bench| {
        let db = &bench.db;
        let first = clip(1, Some([0.5, -2.0]));
        Clip::insert(db, &first).await.expect("stored");
        let stored = bench.stored("vector_clips", 1).await;
        let Some(Bson::Binary(binary)) = stored.get("sound") else {
            panic!("{stored}");
        };
        assert_eq!(binary.subtype, BinarySubtype::Vector);
        assert_eq!(binary.bytes.len(), 2 + 4 * 2);
        assert_eq!(Clip::get(db, 1).await.expect("read"), Some(first.clone()));
        let same = Vector::from([0.5, -2.0]);
        let found = Clip::scan(db, |c| c.sound.eq(same)).await.expect("found");
        assert_eq!(found, [first]);

        let next = Vector::from([1.0, 3.5]);
        let update = Clip::update(db, 1).set(|c| c.sound, next.clone()).await;
        update.expect("changed");
        let stored = bench.stored("vector_clips", 1).await;
        assert_eq!(
            stored.get("sound").map(Bson::element_type),
            Some(bson::spec::ElementType::Binary)
        );
        let read = Clip::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(read.sound, Some(next));

        let array = doc! { "_id": 2, "sound": [1, 2.5], "year": 1, "t": "b" };
        let short = doc! { "_id": 3, "sound": [1.0, 2.0, 42.5], "year": 1, "t": "b" };
        bench.seed("vector_clips", [array, short]).await;
        let read = Clip::get(db, 2).await.expect("read").expect("stored");
        assert_eq!(read.sound, Some(Vector::from([1.0, 2.5])));
        let error = Clip::get(db, 3).await.expect_err("three numbers");
        let text = error.to_string();
        assert!(text.contains("3 numbers") && !text.contains("42"), "{text}");
        bench.forget();
        let error = Clip::insert(db, &clip(4, Some([f32::NAN, 1.0]))).await;
        let error = error.expect_err("not finite");
        assert!(matches!(error, Error::Encode { .. }), "{error}");
        assert_eq!(bench.count(), 0, "nothing is sent");
    })
    .await;
}

#[tokio::test]
async fn a_server_without_search_is_an_error_of_the_search_and_a_line_of_the_plan() {
    alone("no_search", async |bench| {
        let db = &bench.db;
        let near = Vector::from([1.0, 0.0]);
        let error = Clip::find_nearest(db, |c| c.sound, &near).await;
        let error = error.expect_err("no search");
        let Error::Unsupported { feature, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(feature, Feature::VectorSearch);
        bench.forget();

        let plan = plan_indexes(db).models(&[Clip::meta()]).await;
        let plan = plan.expect("planned");
        assert_eq!(bench.sent(), ["listIndexes", "aggregate"]);
        let shown = plan.to_string();
        let line = "  missing   `sound_vector` { sound: vector } 2 euclidean, filters by year, t: the server has no vector search\n";
        assert!(shown.ends_with(line), "{shown}");
        assert!(shown.contains("create    `year_1`"), "{shown}");

        let report = sync_indexes(db).models(&[Clip::meta()]).await;
        let report = report.expect("the other index is built");
        let [of_clips] = report.collections.as_slice() else {
            panic!("{report}");
        };
        assert_eq!(of_clips.created.len(), 1);
        let [VectorChange::Unavailable(index)] = of_clips.vectors.as_slice() else {
            panic!("{report}");
        };
        assert_eq!((index.dimensions, index.similarity), (2, Similarity::Euclidean));
        assert!(report.to_string().ends_with(line), "{report}");
        assert_eq!(bench.sent(), ["listIndexes", "aggregate", "createIndexes"]);
        let again = sync_indexes(db).models(&[Clip::meta()]).await;
        assert!(again.expect("nothing to do").is_unchanged());
    })
    .await;
}

/// The stage that a search sends to a server without search.
async fn sent_stages(bench: &Bench) -> Vec<Document> {
    let mut sent = bench.take();
    let search = sent.remove(0).command;
    let stages = search.get_array("pipeline").expect("stages");
    let stages = stages.iter().filter_map(Bson::as_document);
    stages.cloned().collect()
}

#[tokio::test]
async fn a_search_sends_one_aggregate_with_its_filter_twice() {
    alone("vector_search", async |bench| {
        let db = &bench.db;
        let near = Vector::from([1.0, 0.5]);
        let search = Clip::find_nearest(db, |c| c.sound, &near);
        search.await.expect_err("no search");
        let stages = sent_stages(bench).await;
        let search = stages[0].get_document("$vectorSearch").expect("a search");
        assert_eq!(numbers(search), [1.0, 0.5]);
        let mut rest = search.clone();
        rest.remove("queryVector");
        assert_eq!(
            rest,
            doc! { "index": "sound_vector", "path": "sound", "numCandidates": 100, "limit": 10 }
        );
        assert_eq!(
            stages[1..],
            [doc! { "$set": { "_dn.m": { "$meta": "vectorSearchScore" } } }]
        );

        let search = Clip::find_nearest(db, |c| c.sound, &near)
            .filter(|c| c.year.gte(2001).and(c.tag.is_in(["a", "b"])))
            .filter(|c| !c.year.eq(2005))
            .candidates(50)
            .limit(5);
        search.await.expect_err("no search");
        let stages = sent_stages(bench).await;
        let search = stages[0].get_document("$vectorSearch").expect("a search");
        let filter = doc! { "$and": [
            { "year": { "$gte": 2001 } },
            { "t": { "$in": ["a", "b"] } },
            { "$nor": [{ "year": { "$eq": 2005 } }] },
        ] };
        assert_eq!(search.get_document("filter").ok(), Some(&filter));
        assert_eq!(search.get_i32("numCandidates").ok(), Some(50));
        assert_eq!(search.get_i32("limit").ok(), Some(5));
        assert_eq!(stages[1], doc! { "$match": filter });

        let org = db.tenant(7_i64);
        let near = Vector::from([0.0, 0.0, 1.0]);
        let papers = Paper::find_nearest(&org, |p| p.embedding, &near);
        papers.await.expect_err("no search");
        let stages = sent_stages(bench).await;
        let search = stages[0].get_document("$vectorSearch").expect("a search");
        let of_tenant = doc! { "o": { "$eq": 7_i64 } };
        let marked = doc! { "gone": { "$gt": DateTime::from_millis(0) } };
        let filter = doc! { "$and": [of_tenant.clone(), { "$nor": [marked.clone()] }] };
        assert_eq!(search.get_document("filter").ok(), Some(&filter));
        assert_eq!(
            stages[1],
            doc! { "$match": { "o": { "$eq": 7_i64 }, "gone": Bson::Null } }
        );
        let papers = Paper::find_nearest(&org, |p| p.embedding, &near).only_deleted();
        papers.await.expect_err("no search");
        let stages = sent_stages(bench).await;
        let search = stages[0].get_document("$vectorSearch").expect("a search");
        let filter = doc! { "$and": [of_tenant, marked] };
        assert_eq!(search.get_document("filter").ok(), Some(&filter));
    })
    .await;
}

#[tokio::test]
async fn what_a_search_does_not_take_is_an_error_before_anything_is_sent() {
    alone("vector_refusals", async |bench| {
        let db = &bench.db;
        let near = Vector::from([1.0, 0.5]);
        let search = || Clip::find_nearest(db, |c| c.sound, &near);
        let infinite = Vector::from([f32::INFINITY, 0.5]);
        for (search, reason) in [
            (search().candidates(3), "3 candidates for 10 documents"),
            (
                search().limit(10_001),
                "10000 candidates for 10001 documents",
            ),
            (search().candidates(10_001), "at most 10000"),
            (search().filter(|c| c.note.eq("secret")), "add `note` to"),
            (
                search().filter(|c| c.tag.starts_with("secret")),
                "filter by `$regex`",
            ),
            (
                Clip::find_nearest(db, |c| c.sound, &infinite),
                "not finite: 1",
            ),
        ] {
            let error = search.await.expect_err(reason);
            let text = error.to_string();
            assert!(matches!(error, Error::Impossible { .. }), "{text}");
            assert!(text.contains(reason) && !text.contains("secret"), "{text}");
        }
        assert_eq!(search().limit(0).await.expect("nothing"), []);
        assert_eq!(bench.count(), 0, "nothing is sent");
    })
    .await;
}

#[tokio::test]
async fn a_search_gives_documents_with_their_scores() {
    alone("vector_scores", async |bench| {
        let search = SearchServer::start(bench, |command| {
            first_stage(command, "$vectorSearch")?;
            let found = doc! { "_id": 3, "sound": [1.0, 0.5], "year": 2003, "t": "a", "_dn": { "m": 0.75 } };
            Some(batch(vec![found]))
        });
        let search = search.await;
        let near = Vector::from([1.0, 0.5]);
        let found = Clip::find_nearest(&search.db, |c| c.sound, &near).await;
        let found = found.expect("found");
        let [first] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((&first.document, first.score), (&clip(3, Some([1.0, 0.5])), 0.75));
    })
    .await;
}

/// The index as the server lists it.
fn listed(dimensions: i32) -> Document {
    let vector = doc! { "type": "vector", "path": "sound", "numDimensions": dimensions, "similarity": "euclidean" };
    let filter = ["t", "year"].map(|path| doc! { "type": "filter", "path": path });
    let [tag, year] = filter;
    doc! {
        "id": "1", "name": "sound_vector", "type": "vectorSearch", "status": "READY", "queryable": true,
        "latestDefinition": { "fields": [vector, tag, year] },
    }
}

/// A server with a search process that has these indexes.
async fn with_indexes(bench: &Bench, indexes: Vec<Document>) -> SearchServer {
    let search = SearchServer::start(bench, move |command| {
        let changes = ["createSearchIndexes", "updateSearchIndex"];
        if first_stage(command, "$listSearchIndexes").is_some() {
            return Some(batch(indexes.clone()));
        }
        let is_change = changes.iter().any(|name| command.contains_key(*name));
        is_change.then(|| doc! { "ok": 1.0 })
    });
    search.await
}

/// The commands but for those about other indexes, without what the driver adds.
fn changes(search: &SearchServer) -> Vec<Document> {
    let sent = search.take().into_iter();
    let changes = sent.filter(|sent| sent.name.contains("SearchIndex"));
    let own = |name: &str| !matches!(name, "$db" | "lsid");
    let own = |sent: Document| sent.into_iter().filter(|(name, _)| own(name)).collect();
    changes.map(|sent| own(sent.command)).collect()
}

fn definition() -> Document {
    doc! { "fields": [
        { "type": "vector", "path": "sound", "numDimensions": 2, "similarity": "euclidean" },
        { "type": "filter", "path": "year" },
        { "type": "filter", "path": "t" },
    ] }
}

#[tokio::test]
async fn a_missing_index_is_created_and_one_as_declared_stays() {
    alone("vector_indexes", async |bench| {
        let search = with_indexes(bench, Vec::new()).await;
        let sync = || sync_indexes(&search.db).models(&[Clip::meta()]);
        let report = sync().await.expect("built");
        assert!(
            matches!(report.collections[0].vectors[..], [VectorChange::Create(_)]),
            "{report}"
        );
        let index =
            doc! { "name": "sound_vector", "type": "vectorSearch", "definition": definition() };
        assert_eq!(
            changes(&search),
            [doc! { "createSearchIndexes": "vector_clips", "indexes": [index] }]
        );
        let search = with_indexes(bench, vec![listed(2)]).await;
        let plan = plan_indexes(&search.db).models(&[Clip::meta()]).await;
        let plan = plan.expect("planned");
        assert!(plan.is_empty(), "{plan}");
    })
    .await;
}

#[tokio::test]
async fn an_index_of_other_dimensions_is_replaced_only_if_the_call_says_so() {
    alone("vector_replaced", async |bench| {
        let search = with_indexes(bench, vec![listed(768)]).await;
        let plan = plan_indexes(&search.db).models(&[Clip::meta()]).await;
        let shown = plan.expect("planned").to_string();
        let line = "  replace   `sound_vector` { sound: vector } 2 euclidean, filters by year, t: it has 768 dimensions\n";
        assert!(shown.ends_with(line), "{shown}");
        let sync = || sync_indexes(&search.db).models(&[Clip::meta()]);
        let error = sync().await.expect_err("not replaced");
        let Error::Indexes(errors) = &error else {
            panic!("{error}");
        };
        let cause = &errors.errors()[0].cause;
        assert!(matches!(cause, IndexFailure::VectorConflict(_)), "{cause}");
        assert_eq!(errors.report().collections[0].created.len(), 1);
        assert_eq!(changes(&search), Vec::<Document>::new());
        let report = sync().replace_conflicts().await.expect("replaced");
        assert!(report.to_string().contains("  replaced  `sound_vector`"), "{report}");
        assert_eq!(
            changes(&search),
            [doc! { "updateSearchIndex": "vector_clips", "name": "sound_vector", "definition": definition() }]
        );
    })
    .await;
}
