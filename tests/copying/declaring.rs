//! The index of the flags says for which copies it was made.

use bson::doc;
use mongo_model::index::IndexFailure;
use mongo_model::{Error, Id, MongoModel, plan_indexes, sync_indexes};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "e_writers")]
struct Writer {
    #[serde(rename = "_id")]
    id: Id<Writer>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "e_books")]
struct Book {
    #[serde(rename = "_id")]
    id: Id<Book>,
    #[parent(Writer)]
    writer: Id<Writer>,
    #[denorm(from = Writer, field = name, via = writer)]
    writer_name: String,
}

async fn names(bench: &Bench) -> Vec<String> {
    let names = bench.raw("e_writers").list_index_names().await;
    bench.forget();
    names.expect("listed")
}

/// Has the index under another name, as another program made it.
async fn rename(bench: &Bench, from: &str, to: &str) {
    let drop = doc! { "dropIndexes": "e_writers", "index": from };
    bench.db.run_command(drop).await.expect("dropped");
    let index = doc! { "key": { "_dn.p": 1 }, "name": to, "partialFilterExpression": { "_dn.p": { "$exists": true } } };
    let create = doc! { "createIndexes": "e_writers", "indexes": [index] };
    bench.db.run_command(create).await.expect("created");
    bench.forget();
}

#[tokio::test]
async fn programs_that_know_other_copies_are_told_apart() {
    on_both("copies_differ", async |bench| {
        let models = [Writer::meta(), Book::meta()];
        bench.index(&models).await;
        let made = names(bench).await;
        let [_, own] = made.as_slice() else {
            panic!("{made:?}");
        };
        let hash = own.strip_prefix("_dn.p_edges_").expect("its own name");
        assert!(hash.len() == 16 && hash != "00000000", "{own}");
        let plan = plan_indexes(&bench.db).models(&models).await.expect("planned");
        assert!(plan.is_empty(), "{plan}");

        let other = "_dn.p_edges_00000000";
        rename(bench, own, other).await;
        let plan = plan_indexes(&bench.db).models(&models).await.expect("planned");
        assert!(!plan.is_empty());
        let differ: Vec<_> = plan
            .collections
            .iter()
            .filter_map(|plan| plan.copies_differ.as_ref())
            .collect();
        let [differ] = differ.as_slice() else {
            panic!("{plan}");
        };
        assert_eq!(differ.collection, "e_writers");
        assert_eq!(differ.references, ["e_books.writer by _id (name -> writer_name)"]);
        let text = "  conflict  `_dn.p_edges_00000000` was made by a program that knows other copies of `e_writers` than this one \
                    (e_books.writer by _id (name -> writer_name)); deploy the same declarations everywhere, then run \
                    sync_indexes(..).accept_copies(), backfill, repair and verify\n";
        assert_eq!(plan.to_string(), format!("e_writers\n{text}"));
        bench.forget();

        // It is an error, and left as it is; other conflicts may be replaced, this one not.
        let report = sync_indexes(&bench.db).models(&models).replace_conflicts().await;
        let Err(Error::Indexes(errors)) = report else {
            panic!("{report:?}");
        };
        let report = errors.report();
        assert!(report.is_unchanged());
        assert!(report.to_string().ends_with(text), "{report}");
        let [error] = errors.errors() else {
            panic!("{errors}");
        };
        assert!(matches!(&error.cause, IndexFailure::Copies(differ) if !differ.fewer));
        assert_eq!(bench.sent(), ["listIndexes", "listIndexes"]);
        assert!(names(bench).await.contains(&other.to_owned()));

        let report = sync_indexes(&bench.db).models(&models).accept_copies().await;
        let report = report.expect("synced");
        assert!(!report.is_unchanged());
        assert_eq!(
            bench.sent(),
            ["listIndexes", "listIndexes", "dropIndexes", "createIndexes"]
        );
        assert_eq!(names(bench).await, made);
        let plan = plan_indexes(&bench.db).models(&models).await.expect("planned");
        assert!(plan.is_empty(), "{plan}");
        let again = sync_indexes(&bench.db).models(&models).accept_copies().await;
        assert!(again.expect("synced").is_unchanged());

        // A program from before the copies, or from before one field of them: that it knows fewer is no error of this one.
        for fewer in ["", &hash[..8], &hash[8..]] {
            let fewer = format!("_dn.p_edges_{fewer}");
            rename(bench, own, &fewer).await;
            let report = sync_indexes(&bench.db).models(&models).await.expect("synced");
            assert!(report.to_string().contains("knows fewer copies"), "{report}");
            rename(bench, &fewer, own).await;
        }

        // A name that says nothing about copies is any index's.
        rename(bench, own, "flags").await;
        let plan = plan_indexes(&bench.db).models(&models).await.expect("planned");
        assert!(plan.is_empty(), "{plan}");
    })
    .await;
}
