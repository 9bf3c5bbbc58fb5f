//! Readers of the log: what each gets, and what programs that read together share.

use super::*;

#[tokio::test]
async fn each_reader_gets_each_event_in_order() {
    on_both("events_read", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let orders: Vec<i32> = (1..=20).collect();
        for id in &orders {
            let placed = OrderEvent::Placed { by: 1 };
            Order::insert(db, &order(*id))
                .emit(placed)
                .await
                .expect("inserted");
            Order::update(db, *id)
                .emit(OrderEvent::Paid)
                .await
                .expect("emitted");
        }
        settle(db).await;
        let mails = Order::events(db).reader("mails");
        let Lag {
            events,
            oldest,
            dead,
            ..
        } = mails.lag().await.expect("read");
        assert_eq!((events, oldest.is_some(), dead), (40, true, 0));
        let all = vec![OrderEvent::Placed { by: 1 }, OrderEvent::Paid];
        for name in ["mails", "billing"] {
            let reader = Order::events(db).reader(name);
            let mut handled = Handled::default();
            let worked = reader
                .work(|event| {
                    handled.add(&event);
                    ready(Ok::<(), String>(()))
                })
                .await
                .expect("worked");
            assert_eq!((worked.handled, worked.failed, worked.dead), (40, 0, 0));
            assert_eq!(handled.0.len(), orders.len());
            assert!(handled.0.values().all(|events| *events == all));
            assert_eq!(reader.lag().await.expect("read"), Lag::default());
        }

        // Handled events can be read again, and be deleted.
        assert_eq!(mails.replay(DateTime::MIN).await.expect("replayed"), 40);
        let left = Order::events(db)
            .trim(DateTime::MAX)
            .await
            .expect("trimmed");
        assert_eq!(left, 0);
        let worked = mails
            .work(|_: Event<Order>| ready(Ok::<(), String>(())))
            .await;
        assert_eq!(worked.expect("worked").handled, 40);
        let left = Order::events(db)
            .trim(DateTime::MAX)
            .await
            .expect("trimmed");
        assert_eq!(left, 40);

        let unknown = Order::events(db).reader("mial").lag().await;
        let Err(Error::Impossible { what }) = &unknown else {
            panic!("{unknown:?}");
        };
        assert!(
            what.contains("`mial`") && what.contains("mails, billing"),
            "{what}"
        );
    })
    .await;
}

#[tokio::test]
async fn later_events_wait_for_one_that_fails() {
    on_both("events_failing", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        for id in [1, 2] {
            Order::insert(db, &order(id))
                .emit(OrderEvent::Placed { by: id })
                .await
                .expect("inserted");
            Order::update(db, id)
                .emit(OrderEvent::Paid)
                .await
                .expect("emitted");
        }
        settle(db).await;
        let reader = Order::events(db).reader("mails").max_attempts(2);
        let mut handled = Handled::default();
        let work = async |handled: &mut Handled| {
            let worked = reader
                .work(|event| {
                    ready(match event.value {
                        OrderEvent::Placed { by: 1 } => Err("no mail"),
                        _ => {
                            handled.add(&event);
                            Ok(())
                        }
                    })
                })
                .await;
            worked.expect("worked")
        };
        let worked = work(&mut handled).await;
        assert_eq!((worked.handled, worked.failed, worked.dead), (2, 1, 0));
        assert_eq!(handled.0.keys().collect::<Vec<_>>(), [&2]);
        // Its time has not come.
        assert_eq!(
            work(&mut handled).await,
            mongo_model::events::Worked::default()
        );
        let log = bench.raw("_dn.events.orders");
        let past = doc! { "$set": { "failed.mails.at": DateTime::from_millis(0) } };
        let failed = doc! { "failed.mails": { "$exists": true } };
        log.update_one(failed, past).await.expect("updated");
        let worked = work(&mut handled).await;
        assert_eq!((worked.handled, worked.failed, worked.dead), (1, 0, 1));
        assert_eq!(handled.0[&1], [OrderEvent::Paid]);

        let dead = reader.dead().await.expect("read");
        assert_eq!(dead.len(), 1);
        assert_eq!(
            (dead[0].id, &dead[0].value),
            (1, &OrderEvent::Placed { by: 1 })
        );
        assert_eq!(reader.lag().await.expect("read").dead, 1);
        reader.revive(&dead[0]).await.expect("revived");
        let again = reader.revive(&dead[0]).await;
        assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");
        let worked = reader
            .work(|_: Event<Order>| ready(Ok::<(), String>(())))
            .await;
        assert_eq!(worked.expect("worked").handled, 1);

        // An event of a type that the program does not know stops no other document.
        leave_undelivered(bench, "orders", 1, doc! { "type": "Sent" }.into()).await;
        leave_undelivered(bench, "orders", 2, doc! { "type": "Paid" }.into()).await;
        recover(db).await.expect("recovered");
        let worked = work(&mut handled).await;
        assert_eq!((worked.handled, worked.failed, worked.dead), (1, 1, 0));
    })
    .await;
}

#[tokio::test]
async fn readers_that_run_together_share_the_documents() {
    on_both("events_shared", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let ids: Vec<i32> = (1..=60).collect();
        let all: Vec<Order> = ids.iter().map(|id| order(*id)).collect();
        Order::insert_many(db, &all).await.expect("inserted");
        let handled = std::sync::Mutex::new(Handled::default());
        let left = AtomicU32::new(300);
        let write = async {
            for n in 0..5 {
                for id in &ids {
                    let noted = noted(&n.to_string());
                    Order::update(db, *id).emit(noted).await.expect("emitted");
                }
            }
        };
        let read = async || {
            let reader = Order::events(db)
                .reader("billing")
                .poll_every(Duration::from_millis(20));
            let (handled, left) = (&handled, &left);
            let run = reader.run(|event| async move {
                tokio::task::yield_now().await;
                handled.lock().expect("no panic").add(&event);
                left.fetch_sub(1, Ordering::SeqCst);
                Ok::<(), String>(())
            });
            let done = async {
                while left.load(Ordering::SeqCst) > 0 {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::select! {
                ended = run => panic!("{ended:?}"),
                () = done => {}
            }
        };
        let all = async { tokio::join!(write, read(), read(), read()) };
        let in_time = tokio::time::timeout(Duration::from_secs(120), all).await;
        in_time.expect("all events in time");
        let wanted: Vec<OrderEvent> = (0..5).map(|n| noted(&n.to_string())).collect();
        let handled = handled.into_inner().expect("no panic").0;
        assert_eq!(handled.len(), ids.len());
        for (id, events) in handled {
            assert_eq!(events, wanted, "{id}");
        }
    })
    .await;
}

#[tokio::test]
async fn indexes_serve_the_log() {
    in_set("events_indexes", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let report = mongo_model::sync_indexes(db).models(&[Order::meta()]).await;
        report.expect("synced");
        Order::insert(db, &order(1))
            .emit(OrderEvent::Paid)
            .settled()
            .await
            .expect("inserted");
        bench.forget();
        let reader = Order::events(db).reader("mails");
        let worked = reader
            .work(|_: Event<Order>| ready(Ok::<(), String>(())))
            .await;
        assert_eq!(worked.expect("worked").handled, 1);
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|one| one.name.as_str()).collect();
        let finds: Vec<&Document> = sent
            .iter()
            .filter(|one| one.name == "find")
            .map(|one| &one.command)
            .collect();
        assert_eq!(
            names.iter().filter(|name| **name == "update").count(),
            1,
            "{names:?}"
        );
        for find in finds {
            let parts = ["find", "filter", "sort", "limit", "projection", "collation"];
            let find = find
                .iter()
                .filter(|(name, _)| parts.contains(&name.as_str()));
            let find: Document = find
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let explained = db.run_command(doc! { "explain": &find }).await;
            let plan = explained.expect("explained");
            let plan = plan.get_document("queryPlanner").expect("a plan");
            let plan = plan
                .get_document("winningPlan")
                .expect("a plan")
                .to_string();
            let walks = ["COLLSCAN", "\"SORT\""].map(|stage| plan.contains(stage));
            assert_eq!(walks, [false, false], "{find}: {plan}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_tenant_has_its_events_to_itself() {
    on_both("events_walled", async |bench: &Bench| {
        bench.index(&[Note::meta()]).await;
        let [first, second] = [1, 2].map(|org| bench.db.tenant(org));
        for (tenant, org) in [(&first, 1), (&second, 2)] {
            let note = Note { id: Id::new(), org };
            let inserted = Note::insert(tenant, &note).emit(format!("of {org}"));
            inserted.settled().await.expect("inserted");
            let emitted = Note::update(tenant, note.id).emit("again".to_owned());
            emitted.settled().await.expect("emitted");
            let others = if org == 1 { &second } else { &first };
            assert!(
                Note::events(others)
                    .of(note.id, None)
                    .await
                    .expect("read")
                    .is_empty()
            );
            assert_eq!(
                Note::events(tenant)
                    .of(note.id, None)
                    .await
                    .expect("read")
                    .len(),
                2
            );
        }
        let mut handled = Vec::new();
        let reader = Note::events(&first).reader("mails");
        let worked = reader
            .work(|event| {
                handled.push(event.value);
                ready(Ok::<(), String>(()))
            })
            .await;
        assert_eq!(worked.expect("worked").handled, 2);
        assert_eq!(handled, ["of 1", "again"]);
        let lag = Note::events(&second)
            .reader("mails")
            .lag()
            .await
            .expect("read");
        assert_eq!(lag.events, 2);

        mongo_model::purge_tenant(&second).await.expect("purged");
        assert_eq!(bench.len("_dn.events.walled_notes").await, 2);
        let every = bench.db.across_tenants::<i64>("the mails of all");
        assert_eq!(
            Note::events(&every)
                .reader("mails")
                .lag()
                .await
                .expect("read"),
            Lag::default()
        );
    })
    .await;
}

#[tokio::test]
async fn another_program_goes_on_where_a_reader_ends() {
    on_both("events_taken_over", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        Order::insert(db, &order(1)).await.expect("inserted");
        for n in 0..5 {
            let emitted = Order::update(db, 1).emit(noted(&n.to_string()));
            emitted.settled().await.expect("emitted");
        }
        let lease = Duration::from_millis(300);
        let reader = Order::events(db).reader("mails").lease(lease);
        let reader = reader.poll_every(Duration::from_millis(20));
        let began = tokio::sync::Notify::new();
        let mut first = Vec::new();
        let hangs = reader.run(|event| {
            let is_third = first.len() == 2;
            if is_third {
                began.notify_one();
            } else {
                first.push(event.value);
            }
            async move {
                if is_third {
                    std::future::pending::<()>().await;
                }
                Ok::<(), String>(())
            }
        });
        tokio::select! {
            ended = hangs => panic!("{ended:?}"),
            () = began.notified() => {}
        }
        // The next one begins with the first event that the log does not know as handled.
        let (mut second, done) = (Vec::new(), tokio::sync::Notify::new());
        let goes_on = reader.run(|event| {
            second.push(event.value);
            if second.len() == 5 {
                done.notify_one();
            }
            ready(Ok::<(), String>(()))
        });
        tokio::select! {
            ended = goes_on => panic!("{ended:?}"),
            () = done.notified() => {}
        }
        let all: Vec<OrderEvent> = (0..5).map(|n| noted(&n.to_string())).collect();
        assert_eq!((first, second), (all[..2].to_vec(), all));
    })
    .await;
}

#[tokio::test]
async fn an_answer_waits_for_one_command() {
    on_both("events_costs", async |bench: &Bench| {
        bench.index(&[Memo::meta()]).await;
        let memo = Memo {
            id: "m".to_owned(),
            text: String::new(),
        };
        Memo::insert(&bench.db, &memo).await.expect("inserted");
        settle(&bench.db).await;
        bench.forget();
        let emitted = Memo::update(&bench.db, "m".to_owned()).emit("a".to_owned());
        emitted.await.expect("emitted");
        let before = bench.sent();
        assert_eq!(before[0], "update", "{before:?}");
        settle(&bench.db).await;
        let all = [before, bench.sent()].concat();
        assert_eq!(all, ["update", "findAndModify", "update", "update"]);
    })
    .await;
}

#[tokio::test]
async fn a_reader_runs_in_a_task_of_its_own() {
    in_set("events_task", async |bench: &Bench| {
        bench.index(&[Memo::meta()]).await;
        let (sender, mut received) = tokio::sync::mpsc::unbounded_channel();
        let db = bench.db.clone();
        let task = tokio::spawn(async move {
            let reader = Memo::events(&db).reader("mails");
            let reader = reader.poll_every(Duration::from_millis(20));
            let run = reader.run(|event| ready(sender.send(event.value)));
            run.await.map(drop)
        });
        let memo = Memo {
            id: "m".to_owned(),
            text: String::new(),
        };
        let inserted = Memo::insert(&bench.db, &memo).emit("new".to_owned());
        inserted.await.expect("inserted");
        let next = tokio::time::timeout(Duration::from_secs(60), received.recv());
        assert_eq!(next.await.expect("in time").as_deref(), Some("new"));
        task.abort();
    })
    .await;
}
