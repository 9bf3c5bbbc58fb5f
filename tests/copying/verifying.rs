//! `verify` finds data that disagrees with its sources, and nothing else.

use bson::{Bson, Document, doc, oid::ObjectId};
use futures::TryStreamExt;
use mongo_model::denorm::{Defect, Difference, Verified};
use mongo_model::{Id, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "v_makers")]
struct Maker {
    #[serde(rename = "_id")]
    id: Id<Maker>,
    name: String,
    rank: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "v_gadgets")]
struct Gadget {
    #[serde(rename = "_id")]
    id: Id<Gadget>,
    #[refs(Maker, max = 100)]
    #[denorm(from = Maker, fields(name, rank))]
    makers: Vec<GadgetMaker>,
    #[parent(Maker, on_delete = keep)]
    first: Id<Maker>,
    #[denorm(from = Maker, field = name, via = first)]
    first_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "v_accounts")]
struct Account {
    #[serde(rename = "_id")]
    id: Id<Account>,
    #[index(unique)]
    email: String,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "v_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: Id<Post>,
    #[parent(Account, key = email)]
    email: String,
    #[denorm(from = Account, field = name)]
    name: String,
}

/// The findings of one edge: kind, path, and true if flagged.
fn shown(findings: &[Difference], edge: &str) -> Vec<(Defect, String, bool)> {
    findings
        .iter()
        .filter(|finding| finding.reference == edge)
        .map(|finding| (finding.kind, finding.path.clone(), finding.flagged))
        .collect()
}

async fn all(bench: &Bench) -> (Verified, Vec<Difference>) {
    let report = verify(&bench.db)
        .models(&[Gadget::meta(), Post::meta()])
        .await
        .expect("looked");
    let stream = verify(&bench.db).only::<Gadget>().only::<Post>().stream();
    let findings: Vec<Difference> = stream.try_collect().await.expect("streamed");
    let unflagged = findings
        .iter()
        .filter(|finding| finding.is_defect())
        .count();
    let counted: u64 = report.references.iter().map(|edge| edge.defects()).sum();
    assert_eq!(unflagged as u64, counted, "{report}");
    let changes = ["update", "insert", "delete", "findAndModify"];
    let sent = bench.sent();
    assert!(
        !sent.iter().any(|name| changes.contains(&name.as_str())),
        "{sent:?}"
    );
    (report, findings)
}

async fn set(bench: &Bench, collection: &str, id: impl Into<Bson>, set: Document) {
    bench
        .raw(collection)
        .update_one(doc! { "_id": id.into() }, doc! { "$set": set })
        .await
        .expect("changed");
    bench.forget();
}

#[tokio::test]
async fn each_kind_of_defect_is_found_where_it_is() {
    on_both("verify_kinds", async |bench| {
        bench.index(&[Maker::meta(), Gadget::meta()]).await;
        let maker = |name: &str| Maker {
            id: Id::new(),
            name: name.to_owned(),
            rank: Some(1),
        };
        let (a, b) = (maker("a"), maker("b"));
        Maker::insert_many(&bench.db, [&a, &b])
            .await
            .expect("stored");
        let entry = |maker: &Maker| GadgetMaker {
            id: maker.id,
            name: maker.name.clone(),
            rank: maker.rank,
        };
        let gadget = Gadget {
            id: Id::new(),
            makers: vec![entry(&a), entry(&b)],
            first: a.id,
            first_name: "a".to_owned(),
        };
        let gid = gadget.id.into_raw();
        Gadget::insert(&bench.db, &gadget).await.expect("stored");
        bench.forget();

        let (report, findings) = all(bench).await;
        assert!(report.is_clean(), "{report}");
        assert_eq!(findings, []);
        let makers = report.reference("v_gadgets.makers").expect("looked at");
        assert_eq!((makers.references, makers.copies), (2, 4));
        assert_eq!(
            report
                .reference("v_gadgets.first")
                .expect("looked at")
                .references,
            1
        );
        assert_eq!(report.references.len(), 3);

        // A value that differs, in the second entry only.
        set(bench, "v_gadgets", gid, doc! { "makers.1.name": "B" }).await;
        let (report, findings) = all(bench).await;
        assert_eq!(
            shown(&findings, "v_gadgets.makers"),
            [(Defect::Stale, "makers.1.name".to_owned(), false)]
        );
        assert_eq!(findings[0].have, Some(Bson::from("B")));
        assert_eq!(findings[0].want, Some(Bson::from("b")));
        assert_eq!(findings[0].id, Bson::from(gid));
        assert_eq!(findings[0].model, "Gadget");
        assert_eq!(
            report.reference("v_gadgets.makers").expect("edge").findings,
            findings
        );
        let table = report.to_string();
        let line = format!(
            "  Gadget {}: makers.1.name is \"B\", its source says \"b\"\n",
            findings[0].id
        );
        assert!(table.ends_with(&line), "{table}");

        // The same value of another type; a field that is not there.
        set(
            bench,
            "v_gadgets",
            gid,
            doc! { "makers.1.name": "b", "makers.0.rank": 1.0 },
        )
        .await;
        let unset = doc! { "$unset": { "makers.1.rank": "" } };
        bench
            .raw("v_gadgets")
            .update_one(doc! { "_id": gid }, unset)
            .await
            .expect("changed");
        bench.forget();
        let (_, findings) = all(bench).await;
        assert_eq!(
            shown(&findings, "v_gadgets.makers"),
            [
                (Defect::WrongType, "makers.0.rank".to_owned(), false),
                (Defect::Stale, "makers.1.rank".to_owned(), false),
            ]
        );
        assert_eq!(findings[1].have, None);

        // Copies that are newer than their source, right or not.
        let right =
            doc! { "makers.0.rank": 1_i64, "makers.1.rank": 1_i64, "makers.0._r": i64::MAX / 2 };
        set(bench, "v_gadgets", gid, right).await;
        let (_, findings) = all(bench).await;
        assert_eq!(
            shown(&findings, "v_gadgets.makers"),
            [(Defect::Ahead, "makers.0._r".to_owned(), false)]
        );
        set(bench, "v_gadgets", gid, doc! { "makers.0._r": 1 }).await;

        // References to nothing: kept on purpose or not.
        bench
            .raw("v_makers")
            .delete_one(doc! { "_id": a.id.into_raw() })
            .await
            .expect("deleted");
        bench.forget();
        let (report, findings) = all(bench).await;
        assert_eq!(
            shown(&findings, "v_gadgets.makers"),
            [(Defect::Orphan, "makers.0.id".to_owned(), false)]
        );
        assert_eq!(
            shown(&findings, "v_gadgets.first"),
            [(Defect::Kept, "first".to_owned(), false)]
        );
        let first = report.reference("v_gadgets.first").expect("edge");
        assert_eq!((first.count(Defect::Kept), first.defects()), (1, 0));

        // A reference of another type than the key that it refers to.
        set(
            bench,
            "v_gadgets",
            gid,
            doc! { "makers.0.id": b.id.to_string() },
        )
        .await;
        let (_, findings) = all(bench).await;
        assert_eq!(
            shown(&findings, "v_gadgets.makers"),
            [(Defect::WrongType, "makers.0.id".to_owned(), false)]
        );
        let other = findings
            .iter()
            .find(|finding| finding.kind == Defect::WrongType);
        let want = other.expect("found").want.clone();
        assert_eq!(want, Some(Bson::from(b.id.into_raw())));
    })
    .await;
}

#[tokio::test]
async fn what_is_flagged_is_no_defect() {
    alone("verify_flagged", async |bench| {
        let (a, g) = (ObjectId::new(), ObjectId::new());
        let entry = doc! { "id": a, "name": "old", "rank": 1_i64, "_r": 1 };
        bench
            .seed(
                "v_makers",
                [doc! { "_id": a, "name": "new", "rank": 1_i64, "_dn": { "r": 2 } }],
            )
            .await;
        bench
            .seed(
                "v_gadgets",
                [doc! { "_id": g, "makers": [entry], "first": a, "first_name": "new" }],
            )
            .await;
        assert!(!all(bench).await.0.is_clean());

        set(bench, "v_makers", a, doc! { "_dn.p": ["v_gadgets.makers"] }).await;
        let (report, findings) = all(bench).await;
        assert!(report.is_clean(), "{report}");
        assert_eq!(
            shown(&findings, "v_gadgets.makers"),
            [(Defect::Stale, "makers.0.name".to_owned(), true)]
        );
        let makers = report.reference("v_gadgets.makers").expect("edge");
        assert_eq!(makers.flagged(Defect::Stale), 1);
        assert_eq!(makers.findings, []);

        // Another edge's flag says nothing about this one.
        set(bench, "v_makers", a, doc! { "_dn.p": ["v_gadgets.first"] }).await;
        assert!(!all(bench).await.0.is_clean());
        set(
            bench,
            "v_gadgets",
            g,
            doc! { "_dn.u": [{ "t": ObjectId::new() }] },
        )
        .await;
        assert!(all(bench).await.0.is_clean());
    })
    .await;
}

#[tokio::test]
async fn natural_keys_may_be_ambiguous() {
    alone("verify_keys", async |bench| {
        let account =
            |email: &str, name: &str| doc! { "_id": ObjectId::new(), "email": email, "name": name };
        let post =
            |email: &str, name: &str| doc! { "_id": ObjectId::new(), "email": email, "name": name };
        bench
            .seed(
                "v_accounts",
                [
                    account("a@x", "a"),
                    account("b@x", "b"),
                    account("b@x", "c"),
                ],
            )
            .await;
        bench
            .seed(
                "v_posts",
                [
                    post("a@x", "a"),
                    post("a@x", "A"),
                    post("b@x", "b"),
                    post("c@x", "c"),
                ],
            )
            .await;
        let (_, findings) = all(bench).await;
        let found = |path: &str, kind| (kind, path.to_owned(), false);
        assert_eq!(
            shown(&findings, "v_posts.email"),
            [
                found("name", Defect::Stale),
                found("email", Defect::AmbiguousKey),
                found("email", Defect::Orphan)
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn a_walk_reads_each_source_once_and_lists_what_was_asked_for() {
    alone("verify_walk", async |bench| {
        let a = ObjectId::new();
        bench
            .seed(
                "v_makers",
                [doc! { "_id": a, "name": "a", "_dn": { "r": 1 } }],
            )
            .await;
        let gadgets = (0..2_500).map(|n| {
            let name = if n % 100 == 0 { "old" } else { "a" };
            let entry = doc! { "id": a, "name": name, "_r": 1 };
            doc! { "_id": n, "makers": [entry], "title": "not read" }
        });
        bench.seed("v_gadgets", gadgets).await;
        let report = verify(&bench.db)
            .only::<Gadget>()
            .samples(3)
            .await
            .expect("looked");
        let makers = report.reference("v_gadgets.makers").expect("edge");
        assert_eq!((makers.references, makers.copies), (2_500, 5_000));
        assert_eq!(makers.count(Defect::Stale), 25);
        assert_eq!(makers.findings.len(), 3);
        let text = report.to_string();
        assert!(
            text.contains("\n  v_gadgets.makers: and 22 more\n"),
            "{report}"
        );
        // The ids are no ids of the model.
        let [unread] = report.undecodable.as_slice() else {
            panic!("{report}");
        };
        assert_eq!(
            (&*unread.path, unread.documents, unread.ids.len()),
            ("_id", 2_500, 3)
        );
        assert!(text.ends_with(&format!("  {unread}\n")), "{report}");

        let sent = bench.take();
        let of = |name: &str, collection: &str| {
            sent.iter()
                .filter(|sent| sent.command.get_str(name).ok() == Some(collection))
                .count()
        };
        // The walk, what looks wrong in each of three batches, and the walk that decodes.
        assert_eq!(of("find", "v_gadgets"), 1 + 3 + 1);
        assert_eq!(of("find", "v_makers"), 1 + 3);
        let projected = sent[0]
            .command
            .get_document("projection")
            .expect("projected");
        let fields: Vec<&str> = projected.keys().map(String::as_str).collect();
        assert_eq!(
            fields,
            [
                "_id",
                "_dn.u",
                "first",
                "_r_first",
                "makers._r",
                "makers.id",
                "first_name",
                "makers.name",
                "makers.rank"
            ]
        );
    })
    .await;
}

/// Renames, and documents that come and go, while verify runs: whatever it says must be right, and all of it is.
#[tokio::test]
async fn writers_at_work_cause_no_false_alarm() {
    on_both("verify_race", async |bench| {
        bench.index(&[Maker::meta(), Gadget::meta()]).await;
        let makers: Vec<Maker> = (0..3)
            .map(|n| Maker {
                id: Id::new(),
                name: format!("maker {n}"),
                rank: None,
            })
            .collect();
        Maker::insert_many(&bench.db, &makers)
            .await
            .expect("stored");
        let gadget = |n: usize| {
            let maker = &makers[n % 3];
            let entry = GadgetMaker {
                id: maker.id,
                name: maker.name.clone(),
                rank: None,
            };
            Gadget {
                id: Id::new(),
                makers: vec![entry],
                first: maker.id,
                first_name: maker.name.clone(),
            }
        };
        let gadgets: Vec<Gadget> = (0..200).map(gadget).collect();
        Gadget::insert_many(&bench.db, &gadgets)
            .lazy(false)
            .await
            .expect("stored");

        let done = std::sync::atomic::AtomicBool::new(false);
        let write = async {
            for n in 0..15 {
                let id = makers[n % 3].id;
                let rename = Maker::update(&bench.db, id).set(|m| m.name, format!("name {n}"));
                rename.await.expect("renamed");
                Gadget::insert(&bench.db, &gadget(n)).await.expect("stored");
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        };
        let look = async {
            let (mut looks, mut flagged) = (0_u64, 0);
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let report = verify(&bench.db).only::<Gadget>().await.expect("looked");
                assert!(report.is_clean(), "look {looks}: {report}");
                looks += 1;
                let stale = report
                    .references
                    .iter()
                    .map(|edge| edge.flagged(Defect::Stale));
                flagged += stale.sum::<u64>();
            }
            (looks, flagged)
        };
        let ((), (looks, flagged)) = futures::join!(write, look);
        // Otherwise nothing was at stake.
        assert!(looks > 3 && flagged > 0, "{looks} looks, {flagged} flagged");
        assert!(
            verify(&bench.db)
                .only::<Gadget>()
                .await
                .expect("looked")
                .is_clean()
        );
    })
    .await;
}

#[tokio::test]
async fn many_orphans_do_not_hide_a_stale_copy() {
    alone("verify_samples", async |bench| {
        let db = &bench.db;
        bench.index(&[Account::meta(), Post::meta()]).await;
        let account = Account {
            id: Id::new(),
            email: "a@b".to_owned(),
            name: "Ann".to_owned(),
        };
        Account::insert(db, &account).await.expect("stored");
        let orphan = |n: i32| doc! { "_id": ObjectId::new(), "email": format!("{n}"), "name": "x" };
        bench.seed("v_posts", (0..30).map(orphan)).await;
        let stale = doc! { "_id": ObjectId::new(), "email": "a@b", "name": "old" };
        bench.seed("v_posts", [stale]).await;
        let report = verify(db).only::<Post>().await.expect("looked");
        let edge = report.reference("v_posts.email").expect("an edge");
        let of = |kind| edge.findings.iter().filter(|one| one.kind == kind).count();
        assert_eq!((of(Defect::Orphan), of(Defect::Stale)), (20, 1), "{report}");
        let text = report.to_string();
        assert!(
            text.contains("its source says") && text.contains("and 10 more"),
            "{text}"
        );
        let few = verify(db).only::<Post>().samples(2).await.expect("looked");
        let edge = few.reference("v_posts.email").expect("an edge");
        assert_eq!((edge.findings.len(), edge.defects()), (3, 31));
    })
    .await;
}
