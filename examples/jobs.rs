//! Jobs and accounts: a queue with leases, compare and swap, a lock, and a transfer that is undone if half of it fails.
//!
//! Workers take mails from a queue, the most urgent first. Several writers change one account without losing an update. A saga
//! moves money between two accounts, and takes it back where the second step is refused.
//!
//! `cargo run --example jobs` finds a MongoDB server (or fetches one) and uses a database of its own, which it drops at the end.
//!
//! Each step prints a sentence and, below it, the commands that the driver sent, in order. Three things to look for: taking a
//! job is one `findAndModify`; a worker whose lease has ended gets an error instead of a job that belongs to another; each step
//! of the saga is written to its journal before it is made.

use std::time::Duration;

use mongo_model::update::Swapped;
use mongo_model::{Database, Error, Id, Lock, MongoModel, Saga, SagaOutcome, resume, sync_indexes};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use serde::{Deserialize, Serialize};

/// A job: the most urgent is taken first, and of those the oldest. After three attempts it is a dead letter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "mails", queue(priority = urgency, max_attempts = 3))]
pub struct Mail {
    #[serde(rename = "_id")]
    pub id: Id<Mail>,
    pub urgency: i32,
    pub subject: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: Id<Account>,
    pub owner: String,
    pub balance: i64,
    /// The fencing token of the last lock holder that has written here.
    pub fence: i64,
    /// Every write adds 1 to it, so that a program which has read an earlier version gets a conflict.
    #[version]
    pub version: i64,
}

const MINUTE: Duration = Duration::from_secs(60);

fn mail(urgency: i32, subject: &str) -> Mail {
    Mail {
        id: Id::new(),
        urgency,
        subject: subject.to_owned(),
    }
}

fn account(owner: &str, balance: i64) -> Account {
    Account {
        id: Id::new(),
        owner: owner.to_owned(),
        balance,
        fence: 0,
        version: 0,
    }
}

/// The results of the run.
#[derive(Debug)]
pub struct Found {
    /// The subjects, in the order in which they were done.
    pub done: Vec<String>,
    /// The error of a worker that reports a job as done after its lease has gone to another worker.
    pub stale: String,
    /// The subjects of the dead letters.
    pub dead: Vec<String>,
    /// The error of the second of two writers, and the current balance from that error.
    pub conflict: (String, i64),
    /// The balance after ten programs at once have each added 1 to it.
    pub counted: i64,
    /// True for each purchase that was made: the first, and a second one that the balance did not allow.
    pub bought: [bool; 2],
    /// The tokens of two holders of one lock, and whether the first could still write after the second had.
    pub tokens: [i64; 2],
    pub late: bool,
    /// How two transfers ended, and what both accounts hold after each.
    pub transfers: [(bool, [i64; 2]); 2],
}

/// Jobs that are taken, given back, left, and done.
async fn queue(
    db: &Database,
    say: impl Fn(&str),
) -> Result<(Vec<String>, String, Vec<String>), Box<dyn std::error::Error>> {
    let queue = Mail::queue(db);
    let all = [mail(0, "newsletter"), mail(9, "alarm"), mail(0, "bill")];
    queue.push_many(&all).await?;
    say("Push three mails.");
    queue.push(&mail(9, "reminder")).after(MINUTE).await?;
    say("Push an urgent mail with a delay: no worker gets it within the next minute.");

    // If a worker dies, its lease ends and another takes the job. If the first was only slow, it gets `Error::LeaseLost`.
    let slow = queue
        .pop("slow", Duration::ZERO)
        .await?
        .ok_or("one is ready")?;
    say(&format!(
        "A slow worker leases `{}` for no time at all.",
        slow.job.subject
    ));
    let mut done = Vec::new();
    let mut stale = String::new();
    while let Some(leased) = queue.pop("worker", MINUTE).await? {
        say(&format!(
            "A worker takes `{}`: attempt {}, token {}.",
            leased.job.subject,
            leased.attempts(),
            leased.token()
        ));
        if leased.job.subject == "bill" {
            // It cannot be sent, now or ever.
            leased.nack(db, Duration::ZERO).await?;
            say("It gives the job back.");
            continue;
        }
        if leased.job == slow.job {
            match slow.ack(db).await {
                Err(error @ Error::LeaseLost { .. }) => stale = error.to_string(),
                other => return Err(format!("it is another's: {other:?}").into()),
            }
            say(&format!(
                "The slow worker reports its job as done, too late: {stale}."
            ));
        }
        leased.ack(db).await?;
        done.push(leased.job.subject);
        say("It reports the job as done.");
    }
    let dead = queue.dead().await?;
    let dead: Vec<String> = dead.into_iter().map(|mail| mail.subject).collect();
    say(&format!(
        "After three attempts a job is a dead letter: {dead:?}."
    ));
    Ok((done, stale, dead))
}

/// The balances of this example's accounts.
async fn balances(
    db: &Database,
    accounts: [&Account; 2],
) -> Result<[i64; 2], Box<dyn std::error::Error>> {
    let mut out = [0, 0];
    for (account, balance) in accounts.into_iter().zip(&mut out) {
        let account = Account::get(db, account.id).await?;
        *balance = account.ok_or("it was stored")?.balance;
    }
    Ok(out)
}

pub async fn jobs(db: &Database, log: &CommandLog) -> Result<Found, Box<dyn std::error::Error>> {
    let say = |what: &str| {
        let sent: Vec<String> = log.take().into_iter().map(|sent| sent.name).collect();
        let sent = if sent.is_empty() {
            "nothing".to_owned()
        } else {
            sent.join(", ")
        };
        println!("{what}\n    sent: {sent}");
    };
    sync_indexes(db)
        .models(&[Mail::meta(), Account::meta()])
        .await?;
    say("Create the indexes.");
    let (done, stale, dead) = queue(db, &say).await?;

    // Compare and swap: if two programs have read the same version, the second gets a conflict with the document of the first.
    let mut kate = account("Kate", 100);
    Account::insert(db, &kate).await?;
    let mut same = kate.clone();
    kate.balance -= 30;
    kate.save_if_unchanged(db).await?;
    say("Save Kate's account if it is still what was read.");
    same.balance -= 80;
    let conflict = match same.save_if_unchanged(db).await {
        Err(Error::Conflict(conflict)) => conflict,
        other => return Err(format!("it was changed: {other:?}").into()),
    };
    let current: Account = conflict.current()?;
    let conflict = (conflict.to_string(), current.balance);
    say(&format!(
        "A second writer that read the same version gets a conflict: {}.",
        conflict.0
    ));

    // The same as a function, which is run again until it is first.
    let adding = (0..10).map(|_| Account::update_with(db, kate.id, |a| a.balance += 1));
    let adding = adding.map(IntoFuture::into_future);
    futures::future::try_join_all(adding).await?;
    let counted = balances(db, [&kate, &kate]).await?[0];
    drop(log.take());
    println!("Ten writers at once add 1 each. The balance is {counted}.");

    // By values, in one command: the balance is looked at by the write itself.
    let mut bought = [false, false];
    for bought in &mut bought {
        let buy = Account::update(db, kate.id)
            .only_if(|a| a.balance.gte(50))
            .inc(|a| a.balance, -50);
        match buy.await? {
            Swapped::Done(_) => *bought = true,
            Swapped::Not(current) => println!("A balance of {} is not enough.", current.balance),
        }
        say("Buy something for 50, if the balance allows it.");
    }

    // A lock, and a token that keeps its former holder from writing once the next one has.
    let lock = Lock::new("accounts");
    let first = lock.acquire(db, Duration::ZERO).await?;
    say("Acquire a lock for no time at all.");
    let next = lock.acquire(db, MINUTE).await?;
    say("Another holder acquires it.");
    let tokens = [first.token(), next.token()];
    let write = async |token: i64| {
        let write = Account::update(db, kate.id).only_if(|a| a.fence.lte(token));
        write.set(|a| a.fence, token).await
    };
    let _ = write(next.token()).await?;
    let late = write(first.token()).await?.is_done();
    next.release(db).await?;
    say(&format!(
        "The first holder writes late. Its fencing token is too old; written: {late}."
    ));

    // A transfer: both halves of it, or none. The journal knows both, so that any program can end what this one has begun.
    let simon = account("Simon", 0);
    Account::insert(db, &simon).await?;
    let add = |account: &Account, sum: i64| Account::update(db, account.id).inc(|a| a.balance, sum);
    let mut transfers = [(false, [0, 0]); 2];
    for (transfer, most) in transfers.iter_mut().zip([1_000, 0]) {
        drop(log.take());
        let ended = Saga::new(db, "transfer")
            .step(
                add(&kate, -20).only_if(|a| a.balance.gte(20)),
                add(&kate, 20),
            )
            .step(
                add(&simon, 20).only_if(|a| a.balance.lte(most)),
                add(&simon, -20),
            )
            .run()
            .await?;
        let done = matches!(ended, SagaOutcome::Done);
        say(&format!(
            "Transfer 20 from Kate to Simon, who may have at most {most}: {ended:?}."
        ));
        *transfer = (done, balances(db, [&kate, &simon]).await?);
    }
    let resumed = resume(db).await?;
    drop(log.take());
    println!(
        "Sagas that other programs left unfinished: {}.",
        resumed.done.len() + resumed.undone.len()
    );
    Ok(Found {
        done,
        stale,
        dead,
        conflict,
        counted,
        bought,
        tokens,
        late,
        transfers,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("jobs"));
    jobs(&db, &log).await?;
    db.drop().await?;
    Ok(())
}
