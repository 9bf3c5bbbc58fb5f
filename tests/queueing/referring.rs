//! Jobs that others refer to, that hold copies, and that are counted: a job that is done goes as any document goes.

use std::time::Duration;

use bson::DateTime;
use mongo_model::{Error, Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::queueing::{LONG, pass_time};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "printers")]
pub struct Printer {
    #[serde(rename = "_id")]
    pub id: Id<Printer>,
    pub name: String,
    #[count(Print)]
    pub waiting: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "prints", queue(order = at))]
pub struct Print {
    #[serde(rename = "_id")]
    pub id: Id<Print>,
    pub at: DateTime,
    #[parent(Printer)]
    pub printer: Id<Printer>,
    #[denorm(from = Printer, field = name)]
    pub printer_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "print_pages")]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    #[parent(Print, on_delete = cascade)]
    pub print: Id<Print>,
}

#[tokio::test]
async fn what_hangs_on_a_job_follows() {
    on_both("queue_refs", async |bench| {
        let db = &bench.db;
        bench
            .index(&[Printer::meta(), Print::meta(), Page::meta()])
            .await;
        let printer = Printer {
            id: Id::new(),
            name: "laser".to_owned(),
            waiting: 0,
        };
        Printer::insert(db, &printer).await.expect("stored");
        let print = |at: i64| Print {
            id: Id::new(),
            at: DateTime::from_millis(at),
            printer: printer.id,
            printer_name: "laser".to_owned(),
        };
        // The later one was made first.
        let (late, early) = (print(2), print(1));
        Print::queue(db)
            .push_many([&late, &early])
            .await
            .expect("stored");
        let page = Page {
            id: Id::new(),
            print: early.id,
        };
        Page::insert(db, &page).await.expect("stored");
        let counted = async || {
            let found = Printer::get(db, printer.id).await.expect("read");
            found.expect("there").waiting
        };
        assert_eq!(counted().await, 2);

        let first = Print::queue(db)
            .pop("a", LONG)
            .await
            .expect("asked")
            .expect("one");
        assert_eq!(first.job, early);
        Printer::update(db, printer.id)
            .set(|p| p.name, "ink")
            .await
            .expect("renamed");
        pass_time(bench, "prints", early.id.into_raw()).await;
        // While the late job is leased, no job is ready: then a call looks for leases that have ended.
        let held = Print::queue(db)
            .pop("b", LONG)
            .await
            .expect("asked")
            .expect("one");
        let taken = if held.job.id == late.id {
            Print::queue(db).pop("c", LONG).await
        } else {
            Ok(None)
        };
        let (held, second) = match taken.expect("asked") {
            Some(second) => (held, second),
            // The call before has looked already.
            None => (
                Print::queue(db)
                    .pop("c", LONG)
                    .await
                    .expect("asked")
                    .expect("one"),
                held,
            ),
        };
        assert_eq!((held.job.id, second.job.id), (late.id, early.id));
        assert_eq!(second.job.printer_name, "ink");
        assert!(matches!(
            first.ack(db).await,
            Err(Error::LeaseLost { token: 1, .. })
        ));
        assert_eq!(counted().await, 2);
        assert_eq!(bench.len("print_pages").await, 1);
        second.ack(db).await.expect("done");
        assert_eq!(counted().await, 1);
        assert_eq!(bench.len("print_pages").await, 0);
        assert_eq!(bench.len("prints").await, 1);

        // A save that keeps copies right keeps the lease as well.
        held.nack(db, Duration::ZERO).await.expect("given back");
        let last = Print::queue(db)
            .pop("d", LONG)
            .await
            .expect("asked")
            .expect("one");
        late.save(db).await.expect("saved");
        assert!(
            Print::queue(db)
                .pop("d", LONG)
                .await
                .expect("asked")
                .is_none()
        );
        last.ack(db).await.expect("done");
        assert_eq!(counted().await, 0);
        let found = mongo_model::verify(db).await.expect("verified");
        assert!(found.is_clean(), "{found}");
    })
    .await;
}
