//! Clients of the library and other programs write the same documents, followers follow, and all of them are killed, with the primaries.
//! When the last event is followed and the last flag is finished, nothing is wrong.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bson::{Document, doc};
use mongo_model::{Database, Follower, recover};
use mongo_model_dev_server::{DevServer, Environment, Topology};
use mongo_model_soak::account::account;
use mongo_model_soak::family::Family;
use mongo_model_soak::random::Random;

/// A program that is killed when this is dropped.
struct Killed(Child);

impl Killed {
    fn start(arguments: &[&str]) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_soak"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn();
        Killed(child.expect("the soak program starts"))
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.0.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const FOLLOWERS: usize = 2;

/// The programs of a run, by their place: followers, a sweeper, clients of the library, and others.
fn start(uri: &str, family: Family, n: usize, seed: u64) -> Killed {
    let (name, seed) = (family.name(), seed.to_string());
    match n {
        0..FOLLOWERS => Killed::start(&["follower", uri, "soak"]),
        2 => Killed::start(&["sweeper", uri]),
        3..5 => Killed::start(&["client", uri, name, "model", &seed]),
        _ => Killed::start(&["foreign", uri, name, &seed]),
    }
}

async fn run(family: Family, seconds: u64) {
    let environment = Environment {
        mongodb_uri: None,
        ..Environment::from_process()
    };
    let server = DevServer::start_in(environment, Topology::ReplicaSet(3))
        .await
        .expect("a set");
    let db = server.client().await.expect("a client").database("soak");
    family.index(&db).await.expect("indexes");
    family.seed(&db).await.expect("seeded");
    let seed = std::process::id().into();
    let mut random = Random::new(seed);
    println!("seed {seed}");
    let mut programs: Vec<Killed> = (0..8)
        .map(|n| start(server.uri(), family, n, seed + n as u64))
        .collect();
    let (begin, mut next, mut kills) = (Instant::now(), 5, 0_u64);
    let mut looks = Looks::default();
    while begin.elapsed().as_secs() < seconds {
        tokio::time::sleep(Duration::from_millis(300)).await;
        looks.look(&db, family).await;
        kills += 1;
        let n = usize::from(random.below(8));
        if n < FOLLOWERS && random.below(3) == 0 {
            // It is stopped for longer than its lease, and believes that it still leads.
            programs[n].signal("-STOP");
            tokio::time::sleep(Duration::from_millis(2_500)).await;
            programs[n].signal("-CONT");
            continue;
        }
        let _ = programs[n].0.kill();
        programs[n] = start(server.uri(), family, n, seed + 100 + kills);
        if begin.elapsed().as_secs() >= next {
            next += 6;
            if kills % 2 == 0 {
                server.step_down().await;
            } else if let Some(primary) = server.primary().await {
                server.kill_and_restart(primary).expect("killed");
            }
        }
    }
    drop(programs);
    while server.primary().await.is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    settle(&db, family).await;
    let audit = family.audit(&db).await.expect("read");
    println!("{family:?}: {kills} kills, {} copies", audit.copies);
    assert!(audit.copies > 0);
    let stale: Vec<&String> = audit.stale.iter().map(|stale| &stale.what).collect();
    assert!(stale.is_empty(), "{stale:#?}");
    assert_eq!(family.flagged(&db).await.expect("counted"), 0);
    println!("{looks:?}");
    assert!(looks.looks > 0 && looks.wrong > 0, "{looks:?}");
}

/// The counts of copies and derived values that were looked at while programs wrote and were killed.
#[derive(Debug, Default)]
struct Looks {
    looks: usize,
    /// Looks that an election or a killed server ended.
    failed: usize,
    wrong: usize,
    flagged: usize,
    in_gap: usize,
    behind: usize,
}

impl Looks {
    /// Checks that everything that is wrong now has a flag, an event behind the stored position, or a gap.
    async fn look(&mut self, db: &Database, family: Family) {
        let looked = tokio::time::timeout(Duration::from_secs(5), account(db, family)).await;
        let Ok(Ok(found)) = looked else {
            self.failed += 1;
            return;
        };
        assert!(found.unaccounted.is_empty(), "{found:#?}");
        self.looks += 1;
        self.wrong += found.flagged + found.in_gap + found.behind;
        self.flagged += found.flagged;
        self.in_gap += found.in_gap;
        self.behind += found.behind;
    }
}

/// Follows the rest, and finishes what is flagged.
async fn settle(db: &Database, family: Family) {
    let follower = Follower::new(db).lease(Duration::from_secs(2));
    let task = tokio::spawn({
        let follower = follower.clone();
        async move { follower.run().await.map(|never| match never {}) }
    });
    let clock = db.collection::<Document>("clock");
    for _ in 0..10 {
        let written = clock.update_one(doc! { "_id": 0 }, doc! { "$inc": { "n": 1 } });
        written.upsert(true).await.expect("a write");
        let reply = db.run_command(doc! { "ping": 1 }).await.expect("answered");
        let now = reply.get_timestamp("operationTime").expect("a set");
        let followed =
            tokio::time::timeout(Duration::from_secs(120), follower.has_followed(now)).await;
        let Ok(_) = followed else {
            panic!("not followed: {:#?}", follower.status());
        };
        // An interrupted delete may end now, and its events are followed in the next round.
        let recovered = recover(db).await.expect("recovered");
        if recovered.is_idle() && family.flagged(db).await.expect("counted") == 0 {
            break;
        }
    }
    println!("{}", follower.status());
    task.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_are_right_beside_other_programs() {
    run(Family::Copies, 25).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn derived_data_is_right_beside_other_programs() {
    run(Family::Kept, 25).await;
}

/// Another program changes something that every derived value of a family depends on.
async fn spoil(db: &Database, family: Family) {
    let change = async |collection: &str, change: Document| {
        let all = db.collection::<Document>(collection);
        let done = all.update_many(doc! {}, change).await;
        assert!(done.expect("changed").modified_count > 0, "{collection}");
    };
    match family {
        Family::Copies => change("parts", doc! { "$set": { "name": "renamed" } }).await,
        _ => {
            change("hosts", doc! { "$set": { "ipaddr": "renamed" } }).await;
            change("tasks", doc! { "$set": { "owner": 1_i64 } }).await;
            let messages = db.collection::<Document>("logmsg");
            let gone = messages.delete_many(doc! {}).await.expect("deleted");
            assert!(gone.deleted_count > 0);
        }
    }
}

/// The look itself finds what is wrong and nothing accounts for: its event is not behind the position any more.
#[tokio::test(flavor = "multi_thread")]
async fn what_nothing_accounts_for_is_found() {
    let server = DevServer::shared(Topology::ReplicaSet(1))
        .await
        .expect("a server");
    let client = server.client().await.expect("a client");
    for (family, kinds) in [
        (Family::Copies, &["products.parts", "stocks.part"][..]),
        (Family::Kept, &["has task", "keeps", "counts"]),
    ] {
        let db = client.database(&server.unique_db("accounted"));
        family.index(&db).await.expect("indexes");
        family.seed(&db).await.expect("seeded");
        settle(&db, family).await;
        spoil(&db, family).await;
        let found = account(&db, family).await.expect("looked");
        assert!(
            found.unaccounted.is_empty() && found.behind > 0,
            "{found:#?}"
        );
        let stream = db.watch().await.expect("a stream");
        let token = stream.resume_token().expect("a token");
        let token = bson::serialize_to_document(&token).expect("a document");
        let moved = doc! { "$set": { "token": token } };
        let positions = db.collection::<Document>("_dn.followers");
        positions.update_one(doc! {}, moved).await.expect("moved");
        let found = account(&db, family).await.expect("looked");
        assert!(!found.unaccounted.is_empty(), "{found:#?}");
        for kind in kinds {
            let mut lost = found.unaccounted.iter();
            assert!(lost.any(|what| what.contains(kind)), "{kind}: {found:#?}");
        }
        let gap = doc! { "$push": { "gaps": { "id": 1, "all": true, "followed": true } } };
        positions.update_one(doc! {}, gap).await.expect("a gap");
        let found = account(&db, family).await.expect("looked");
        assert!(
            found.unaccounted.is_empty() && found.in_gap > 0,
            "{found:#?}"
        );
        db.drop().await.expect("dropped");
    }
}

/// The points of a follower, and true for those that it passes only if there is a gap.
const POINTS: [(&str, bool); 7] = [
    ("follow_after_open", false),
    ("follow_after_gap", true),
    ("follow_before_repair", true),
    ("follow_after_repair", true),
    ("follow_after_raise", false),
    ("follow_after_effects", false),
    ("follow_after_store", false),
];

/// A follower dies at each of its points, and the next one ends what it began.
#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_dies_at_any_point_has_lost_nothing() {
    let server = DevServer::shared(Topology::ReplicaSet(1))
        .await
        .expect("a server");
    let client = server.client().await.expect("a client");
    for (point, gap) in POINTS {
        let name = server.unique_db("dies");
        let db = client.database(&name);
        Family::Copies.index(&db).await.expect("indexes");
        Family::Copies.seed(&db).await.expect("seeded");
        settle(&db, Family::Copies).await;
        let parts = db.collection::<Document>("parts");
        parts
            .update_many(doc! {}, doc! { "$set": { "name": "renamed" } })
            .await
            .expect("renamed");
        let spoil = doc! { "$set": { "part_name": "spoiled" } };
        db.collection::<Document>("stocks")
            .update_many(doc! {}, spoil)
            .await
            .expect("spoiled");
        if gap {
            let forget = doc! { "$unset": { "token": "" } };
            db.collection::<Document>("_dn.followers")
                .update_many(doc! {}, forget)
                .await
                .expect("forgotten");
        }
        let mut program = Killed::start(&[
            "follower",
            server.uri(),
            &name,
            &format!("mongo_model::{point}"),
        ]);
        // It ends when its input does, which to wait for it would close.
        let input = program.0.stdin.take();
        let ended = tokio::task::spawn_blocking(move || program.0.wait())
            .await
            .expect("joined");
        drop(input);
        assert!(!ended.expect("ended").success(), "{point}");
        settle(&db, Family::Copies).await;
        let audit = Family::Copies.audit(&db).await.expect("read");
        let stale: Vec<&String> = audit.stale.iter().map(|stale| &stale.what).collect();
        assert!(stale.is_empty() && audit.copies > 0, "{point}: {stale:#?}");
        db.drop().await.expect("dropped");
    }
}
