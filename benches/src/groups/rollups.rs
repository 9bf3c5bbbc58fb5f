//! The cost of several numbers of one parent: a review adds to the number, the sum and the average of its product, by one update of the
//! product. By hand that is an insert and one update, which nothing repairs if the program stops between them; beside it is a product that
//! only has the number.

use bson::{Document, doc};
use futures::FutureExt;
use mongo_model::{Average, Database, Id, MongoModel, settle, sync_indexes};
use mongo_model_dev_server::Topology;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::context::{Context, durable};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "rollup_products")]
struct Product {
    #[serde(rename = "_id")]
    id: Id<Product>,
    #[count(Review)]
    reviews: i64,
    #[sum(Review, field = votes)]
    votes: i64,
    #[avg(Review, field = stars)]
    rating: Average,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "rollup_reviews")]
struct Review {
    #[serde(rename = "_id")]
    id: Id<Review>,
    #[parent(Product)]
    product: Id<Product>,
    votes: i64,
    stars: i64,
}

/// Has the number alone.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "rollup_counters")]
struct Counter {
    #[serde(rename = "_id")]
    id: Id<Counter>,
    #[count(Counted)]
    reviews: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "rollup_counted")]
struct Counted {
    #[serde(rename = "_id")]
    id: Id<Counted>,
    #[parent(Counter)]
    product: Id<Counter>,
    votes: i64,
    stars: i64,
}

/// With the write concern of mongo-model's writes.
const DURABLE: &str = "by hand, durable";
const COUNT: &str = "count alone";
const OURS: &str = "mongo-model";

/// How many tasks review one product at once.
const TASKS: usize = 32;

#[derive(Clone)]
struct Reviews {
    db: Database,
    product: Id<Product>,
    counter: Id<Counter>,
}

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let mut section = Section {
        name: "rollups",
        ..Section::default()
    };
    for (name, topology) in [
        ("standalone", Topology::Standalone),
        ("set of 1", Topology::ReplicaSet(1)),
    ] {
        let context = context.on(topology).await?;
        let reviews = Reviews::new(context.db.clone()).await?;
        for (tasks, calls, limit) in [
            (1, context.size(30, 3), Limit::AtMost(1.5)),
            (TASKS, context.size(40, 2), Limit::AtMost(1.0 / 1.5)),
        ] {
            let title = match tasks {
                1 => format!("a review, its product's number, sum and average, {name}"),
                _ => format!("{tasks} tasks review one product, {name}"),
            };
            let by_hand = || {
                let reviews = reviews.durable();
                each(reviews, tasks, calls, Reviews::by_hand).boxed()
            };
            let counted = || each(reviews.clone(), tasks, calls, Reviews::count).boxed();
            let ours = || each(reviews.clone(), tasks, calls, Reviews::ours).boxed();
            let reviewed = context
                .race(&title, 20)
                .sends(DURABLE, by_hand)
                .sends(COUNT, counted)
                .after(|| reviews.clone().rest().boxed())
                .sends(OURS, ours)
                .after(|| reviews.clone().rest().boxed())
                .run()
                .await?;
            let rows = [(DURABLE, limit), (COUNT, Limit::AtMost(1.05))];
            let rows = rows.map(|(other, limit)| Row::wall(&title, &reviewed, OURS, other, limit));
            section.rows.extend(rows);
            section.tables.push(reviewed.table("call", Measure::Client));
        }
    }
    Ok(section)
}

/// Makes these calls in each of the tasks, and waits for the work that they leave if there are several tasks.
async fn each(
    reviews: Reviews,
    tasks: usize,
    calls: usize,
    call: impl AsyncFn(&Reviews) -> Result<()>,
) -> Result<usize> {
    let task = async || -> Result<()> {
        for _ in 0..calls {
            call(&reviews).await?;
        }
        Ok(())
    };
    futures::future::try_join_all((0..tasks).map(|_| task())).await?;
    if tasks > 1 {
        settle(&reviews.db).await;
    }
    Ok(tasks * calls)
}

impl Reviews {
    async fn new(db: Database) -> Result<Self> {
        let models = [
            Product::meta(),
            Review::meta(),
            Counter::meta(),
            Counted::meta(),
        ];
        sync_indexes(&db).models(&models).await?;
        let product = Product {
            id: Id::new(),
            reviews: 0,
            votes: 0,
            rating: Average::default(),
        };
        Product::insert(&db, &product).await?;
        let counter = Counter {
            id: Id::new(),
            reviews: 0,
        };
        Counter::insert(&db, &counter).await?;
        settle(&db).await;
        Ok(Reviews {
            db,
            product: product.id,
            counter: counter.id,
        })
    }

    fn durable(&self) -> Self {
        let db = durable(&self.db);
        Reviews { db, ..*self }
    }

    async fn rest(self) -> Result<usize> {
        settle(&self.db).await;
        Ok(0)
    }

    fn review(&self) -> Review {
        Review {
            id: Id::new(),
            product: self.product,
            votes: 3,
            stars: 4,
        }
    }

    async fn ours(&self) -> Result<()> {
        Review::insert(&self.db, &self.review()).await?;
        Ok(())
    }

    async fn count(&self) -> Result<()> {
        let counted = Counted {
            id: Id::new(),
            product: self.counter,
            votes: 3,
            stars: 4,
        };
        Counted::insert(&self.db, &counted).await?;
        Ok(())
    }

    async fn by_hand(&self) -> Result<()> {
        let review = self.review();
        let reviews = self.db.collection::<Review>("rollup_reviews");
        reviews.insert_one(&review).await?;
        let (one, stars) = (1_i64, review.stars);
        let add =
            doc! { "reviews": one, "votes": review.votes, "rating.sum": stars, "rating.n": one };
        let products = self.db.collection::<Document>("rollup_products");
        let product = doc! { "_id": review.product.into_raw() };
        products.update_one(product, doc! { "$inc": add }).await?;
        Ok(())
    }
}
