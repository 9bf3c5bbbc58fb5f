//! Validators on a live server.

use bson::{Bson, Document, doc};
use mongo_model::{Error, Id, MongoModel, Outcome, plan_validators, sync_validators, validator};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};
use crate::validating::{Article, article};

async fn options(bench: &Bench, collection: &str) -> Document {
    let command = doc! { "listCollections": 1, "filter": { "name": collection } };
    let reply = bench.db.run_command(command).await.expect("listed");
    let first = reply
        .get_document("cursor")
        .and_then(|cursor| cursor.get_array("firstBatch"));
    let one = first.expect("a batch").first().and_then(Bson::as_document);
    let options = one
        .and_then(|one| one.get_document("options").ok())
        .cloned();
    bench.forget();
    options.unwrap_or_default()
}

#[test]
fn a_schema_says_types_lengths_tags_and_what_is_required() {
    let schema = validator::json_schema(Article::meta());
    assert_eq!(schema.get_str("title").ok(), Some("mongo-model: Article"));
    let required = doc! { "r": ["_id", "title", "state", "tags", "ratio", "views"] };
    assert_eq!(schema["required"], required["r"]);
    let properties = schema.get_document("properties").expect("properties");
    let expected = doc! {
        "_id": { "bsonType": "objectId" },
        "title": { "bsonType": "string", "maxLength": 10_i64 },
        "state": { "bsonType": "string", "enum": ["draft", "published"] },
        "media": {
            "bsonType": ["object", "null"],
            "required": ["type"],
            "properties": {
                "type": { "bsonType": "string", "enum": ["image", "video"] },
                "width": { "bsonType": ["int", "long"], "minimum": i64::from(i32::MIN), "maximum": i64::from(i32::MAX) },
                "alt": { "bsonType": "string", "maxLength": 5_i64 },
                "seconds": { "bsonType": ["int", "long"] },
            },
        },
        "tags": { "bsonType": "array", "maxItems": 3_i64, "items": { "bsonType": "string", "maxLength": 4_i64 } },
        "comments": {
            "bsonType": "array",
            "maxItems": 2_i64,
            "items": {
                "bsonType": "object",
                "required": ["text", "at"],
                "properties": { "text": { "bsonType": "string", "maxLength": 8_i64 }, "at": { "bsonType": "date" } },
            },
        },
        "thumb": { "bsonType": ["binData", "null"] },
        "ratio": { "bsonType": ["double", "int", "long"] },
        "views": { "bsonType": ["int", "long"], "minimum": 0_i64, "maximum": i64::from(u32::MAX) },
    };
    for (name, expected) in &expected {
        assert_eq!(properties.get(name), Some(expected), "{name}");
    }
    assert_eq!(properties.len(), expected.len());
}

#[tokio::test]
async fn a_validator_is_planned_applied_and_then_left_alone() {
    alone("validators", async |bench| {
        let db = &bench.db;
        let plan = plan_validators(db)
            .only::<Article>()
            .await
            .expect("planned");
        assert_eq!(bench.sent(), ["listCollections"]);
        bench.forget();
        assert_eq!(plan.changes.len(), 1);
        assert!(!plan.changes[0].exists);
        assert_eq!(plan.to_string(), "articles\n  add       moderate, warn\n");
        let report = sync_validators(db)
            .only::<Article>()
            .await
            .expect("applied");
        assert_eq!(bench.sent(), ["listCollections", "create"]);
        assert_eq!(report.changed, plan.changes);
        let live = options(bench, "articles").await;
        assert_eq!(
            live.get_document("validator").ok(),
            Some(&plan.changes[0].validator)
        );
        assert_eq!(live.get_str("validationAction").ok(), Some("warn"));
        assert_eq!(live.get_str("validationLevel").ok(), Some("moderate"));

        let again = sync_validators(db)
            .only::<Article>()
            .await
            .expect("compared");
        assert!(again.is_unchanged(), "{again}");
        assert_eq!(bench.sent(), ["listCollections"]);
        bench.forget();

        sync_validators(db)
            .only::<Article>()
            .error()
            .await
            .expect("applied");
        assert_eq!(bench.sent(), ["listCollections", "collMod"]);
        bench.forget();
        // A validator that one program made stricter stays strict for another.
        let plan = plan_validators(db)
            .only::<Article>()
            .await
            .expect("planned");
        assert!(plan.is_empty(), "{plan}");
        let live = options(bench, "articles").await;
        assert_eq!(live.get_str("validationAction").ok(), Some("error"));
        let plan = plan_validators(db)
            .only::<Article>()
            .warn()
            .await
            .expect("planned");
        assert_eq!(plan.to_string(), "articles\n  change    moderate, warn\n");
    })
    .await;
}

#[tokio::test]
async fn a_validator_that_somebody_else_wrote_is_not_replaced_unasked() {
    alone("validators_foreign", async |bench| {
        let db = &bench.db;
        let own = doc! { "title": { "$type": "string" } };
        let create = doc! { "create": "articles", "validator": &own, "validationLevel": "strict" };
        db.run_command(create).await.expect("created");
        bench.forget();
        let error = sync_validators(db).only::<Article>().await.expect_err("foreign");
        assert!(
            matches!(&error, Error::ForeignValidator { collections } if collections == &["articles"]),
            "{error}"
        );
        assert_eq!(bench.sent(), ["listCollections"]);
        let live = options(bench, "articles").await;
        assert_eq!(live.get_document("validator").ok(), Some(&own));
        sync_validators(db).only::<Article>().replace().await.expect("replaced");
        let live = options(bench, "articles").await;
        assert!(live.get_document("validator").is_ok_and(|live| live.contains_key("$jsonSchema")));
        // Level and action stay as they were set.
        assert_eq!(live.get_str("validationLevel").ok(), Some("strict"));
        assert_eq!(live.get_str("validationAction").ok(), Some("error"));
    })
    .await;
}

#[tokio::test]
async fn the_server_refuses_what_the_model_does_not_say() {
    alone("validators_refusing", async |bench| {
        let db = &bench.db;
        sync_validators(db)
            .only::<Article>()
            .error()
            .await
            .expect("applied");
        let good = article("good");
        Article::insert(db, &good).await.expect("right");
        let raw = bench.raw("articles");
        let good = bson::serialize_to_document(&article("other")).expect("encodes");
        raw.insert_one(&good).await.expect("right");
        let bad = [
            doc! { "title": "12345678901" },
            doc! { "title": 5 },
            doc! { "state": "gone" },
            doc! { "tags": ["a", "b", "c", "d"] },
            doc! { "tags": ["tag-1"] },
            doc! { "tags": [1] },
            doc! { "comments": [{ "text": "a" }] },
            doc! { "media": { "width": 1 } },
            doc! { "media": { "type": "sound" } },
            doc! { "views": "many" },
            doc! { "views": -1 },
            doc! { "views": 4_294_967_296_i64 },
        ];
        for change in bad {
            let mut document = good.clone();
            document.insert("_id", bson::oid::ObjectId::new());
            document.extend(change.clone());
            let error = raw.insert_one(document).await.expect_err("wrong");
            assert!(error.to_string().contains("121"), "{change}: {error}");
        }
        let mut document = good.clone();
        document.insert("_id", bson::oid::ObjectId::new());
        document.remove("ratio");
        let error = raw.insert_one(&document).await.expect_err("no ratio");
        assert!(error.to_string().contains("121"), "{error}");
        document.insert("ratio", 1);
        document.insert("fromElsewhere", true);
        document.remove("comments");
        raw.insert_one(&document).await.expect("right");
    })
    .await;
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "part")]
struct Part {
    #[serde(rename = "_id")]
    id: Id<Part>,
    #[model(max_len = 12)]
    name: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "product")]
struct Product {
    #[serde(rename = "_id")]
    id: Id<Product>,
    #[denorm(from = Part, field = name)]
    #[refs(Part, max = 5, on_delete = pull)]
    parts: Vec<ProductParts>,
    #[parent(Part, on_delete = unset)]
    main: Option<Id<Part>>,
    #[denorm(from = Part, field = name, via = main)]
    main_name: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "person")]
struct Person {
    #[serde(rename = "_id")]
    id: Id<Person>,
    #[refs(Task, max = 10, inverse = owner)]
    tasks: Vec<Id<Task>>,
    #[count(Task)]
    open: i64,
    #[recent(Task, max = 2, sort = due, fields(title, due))]
    last: Vec<PersonLast>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "task", queue)]
struct Task {
    #[serde(rename = "_id")]
    id: Id<Task>,
    title: String,
    due: i64,
    #[parent(Person, inverse = tasks, on_delete = cascade)]
    owner: Id<Person>,
}

/// That nothing was left to be done later: a refused write of the protocol would be.
trait Settled {
    fn settled(&self);
}

impl Settled for Outcome {
    fn settled(&self) {
        assert!(self.pending.is_empty(), "{:?}", self.pending);
    }
}

fn part(name: &str) -> Part {
    Part {
        id: Id::new(),
        name: name.to_owned(),
    }
}

#[tokio::test]
async fn what_the_library_writes_itself_passes() {
    alone("validators_protocol", async |bench| {
        let db = &bench.db;
        let models = [Part::meta(), Product::meta(), Person::meta(), Task::meta()];
        bench.index(&models).await;
        let sync = sync_validators(db).models(&models).error();
        assert_eq!(sync.await.expect("applied").changed.len(), 4);

        let (bolt, nut) = (part("bolt"), part("nut"));
        Part::insert_many(db, [&bolt, &nut]).await.expect("stored");
        let entry = |part: &Part| ProductParts {
            id: part.id,
            name: String::new(),
        };
        let mut product = Product {
            id: Id::new(),
            parts: vec![entry(&bolt), entry(&nut)],
            main: Some(bolt.id),
            main_name: None,
        };
        Product::insert(db, &product)
            .await
            .expect("stored")
            .settled();
        Part::update(db, bolt.id)
            .set(|p| p.name, "screw")
            .await
            .expect("renamed")
            .settled();
        product = Product::get(db, product.id)
            .await
            .expect("found")
            .expect("there");
        assert_eq!(
            (product.parts[0].name.as_str(), product.main_name.as_deref()),
            ("screw", Some("screw"))
        );
        product.save(db).await.expect("saved").settled();
        Product::update(db, product.id)
            .push(|p| p.parts, entry(&bolt))
            .await
            .expect("pushed")
            .settled();
        Part::delete(db, bolt.id).await.expect("deleted");
        product = Product::get(db, product.id)
            .await
            .expect("found")
            .expect("there");
        assert_eq!(
            (product.parts.len(), product.main, product.main_name),
            (1, None, None)
        );

        let person = |_| Person {
            id: Id::new(),
            tasks: Vec::new(),
            open: 0,
            last: Vec::new(),
        };
        let people: Vec<Person> = (0..2).map(person).collect();
        Person::insert_many(db, &people)
            .await
            .expect("stored")
            .settled();
        for due in 0..4 {
            let task = Task {
                id: Id::new(),
                title: format!("task {due}"),
                due,
                owner: people[0].id,
            };
            Task::insert(db, &task).await.expect("stored").settled();
        }
        let task = Task::by_owner(db, people[0].id)
            .await
            .expect("found")
            .remove(0);
        Task::reassign_owner(db, task.id, people[1].id)
            .await
            .expect("reassigned")
            .settled();
        let leased = Task::queue(db)
            .pop("worker", std::time::Duration::from_secs(60))
            .await;
        assert!(leased.expect("taken").is_some());
        let first = Person::get(db, people[0].id)
            .await
            .expect("found")
            .expect("there");
        assert_eq!((first.tasks.len(), first.open, first.last.len()), (3, 3, 2));
        Person::delete(db, people[0].id)
            .await
            .expect("deleted with its tasks");
        assert_eq!(bench.len("task").await, 1);
    })
    .await;
}
