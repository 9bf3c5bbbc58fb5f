//! The cost of a bound that holds: a ticket takes one of the seats of its show, and adds its price to the income. By hand that is one update of
//! the show whose filter has the bound, and then an insert; a program that stops between them loses the seat.

use bson::doc;
use futures::FutureExt;
use mongo_model::{Database, Id, MongoModel, settle, sync_indexes};
use mongo_model_dev_server::Topology;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::context::{Context, durable};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_shows")]
struct Show {
    #[serde(rename = "_id")]
    id: Id<Show>,
    seats: i64,
    #[count(Ticket, max = seats)]
    sold: i64,
    #[sum(Ticket, field = cents)]
    income: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_tickets")]
struct Ticket {
    #[serde(rename = "_id")]
    id: Id<Ticket>,
    #[parent(Show)]
    show: Id<Show>,
    cents: i64,
}

/// With the write concern of mongo-model's writes.
const DURABLE: &str = "by hand, durable";

/// How many tasks buy tickets at once.
const TASKS: usize = 32;

/// A show that is never sold out.
#[derive(Clone)]
struct Sale {
    db: Database,
    show: Id<Show>,
}

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let mut section = Section {
        name: "places",
        ..Section::default()
    };
    for (name, topology) in [
        ("standalone", Topology::Standalone),
        ("set of 1", Topology::ReplicaSet(1)),
    ] {
        let context = context.on(topology).await?;
        let sale = Sale::new(context.db.clone()).await?;
        for (tasks, calls) in [(1, context.size(30, 3)), (TASKS, context.size(40, 2))] {
            let title = match tasks {
                1 => format!("a ticket under a bound, {name}"),
                _ => format!("{tasks} tasks buy tickets of one show, {name}"),
            };
            let bought = context
                .race(&title, 20)
                .sends(DURABLE, || sale.durable().by_hand(tasks, calls).boxed())
                .sends("mongo-model", || sale.clone().ours(tasks, calls).boxed())
                .after(|| sale.clone().rest().boxed())
                .run()
                .await?;
            let limit = Limit::AtMost(1.1);
            let row = Row::wall(&title, &bought, "mongo-model", DURABLE, limit);
            section.rows.push(row);
            section.tables.push(bought.table("call", Measure::Client));
        }
    }
    Ok(section)
}

impl Sale {
    async fn new(db: Database) -> Result<Self> {
        sync_indexes(&db)
            .models(&[Show::meta(), Ticket::meta()])
            .await?;
        let show = Show {
            id: Id::new(),
            seats: i64::from(u32::MAX),
            sold: 0,
            income: 0,
        };
        Show::insert(&db, &show).await?;
        settle(&db).await;
        Ok(Sale { db, show: show.id })
    }

    fn durable(&self) -> Self {
        let db = durable(&self.db);
        Sale { db, ..*self }
    }

    fn ticket(&self) -> Ticket {
        Ticket {
            id: Id::new(),
            show: self.show,
            cents: 700,
        }
    }

    async fn rest(self) -> Result<usize> {
        settle(&self.db).await;
        Ok(0)
    }

    async fn ours(self, tasks: usize, calls: usize) -> Result<usize> {
        let buy = async |sale: Sale| -> Result<()> {
            for _ in 0..calls {
                Ticket::insert(&sale.db, &sale.ticket()).await?;
            }
            Ok(())
        };
        futures::future::try_join_all((0..tasks).map(|_| buy(self.clone()))).await?;
        if tasks > 1 {
            settle(&self.db).await;
        }
        Ok(tasks * calls)
    }

    async fn by_hand(self, tasks: usize, calls: usize) -> Result<usize> {
        let buy = async |sale: Sale| -> Result<()> {
            let shows = sale.db.collection::<Show>("place_shows");
            let tickets = sale.db.collection::<Ticket>("place_tickets");
            for _ in 0..calls {
                let ticket = sale.ticket();
                let room =
                    doc! { "$expr": { "$lt": ["$sold", "$seats"] }, "_id": sale.show.into_raw() };
                let sold = doc! { "$inc": { "sold": 1_i64, "income": ticket.cents } };
                let sold = shows.update_one(room, sold).await?;
                assert_eq!(sold.matched_count, 1, "never sold out");
                tickets.insert_one(&ticket).await?;
            }
            Ok(())
        };
        futures::future::try_join_all((0..tasks).map(|_| buy(self.clone()))).await?;
        Ok(tasks * calls)
    }
}
