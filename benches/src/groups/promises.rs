//! The cost of the promises about derived data: a comment names its author, and its issue shows the last five comments and counts all. By
//! hand that is an insert and one update of the issue, which nothing repairs if the program stops between them.

use std::net::SocketAddr;
use std::time::Duration;

use bson::{DateTime, Document, doc};
use futures::FutureExt;
use mongo_model::{Database, Id, MongoModel, settle, sync_indexes};
use mongo_model_dev_server::Topology;
use mongodb::Client;
use mongodb::options::ClientOptions;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::Result;
use crate::context::{Context, durable};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "promise_users")]
struct User {
    #[serde(rename = "_id")]
    id: Id<User>,
    name: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "promise_issues")]
struct Issue {
    #[serde(rename = "_id")]
    id: Id<Issue>,
    title: String,
    #[recent(Comment, max = 5, sort = created, fields(created, text))]
    last: Vec<RecentComment>,
    #[count(Comment)]
    comments: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "promise_comments")]
struct Comment {
    #[serde(rename = "_id")]
    id: Id<Comment>,
    #[parent(Issue, sort = -created)]
    issue: Id<Issue>,
    #[parent(User)]
    author: Id<User>,
    #[denorm(from = User, via = author, field = name)]
    author_name: String,
    created: DateTime,
    text: String,
}

const BY_HAND: &str = "by hand";
/// With the write concern of mongo-model's writes.
const DURABLE: &str = "by hand, durable";

/// How many tasks store comments at once.
const TASKS: usize = 32;

/// How long the proxy holds back every packet, in each direction: two milliseconds there and back.
const DELAY: Duration = Duration::from_millis(1);

/// A user, and issues that several tasks comment on.
#[derive(Clone)]
struct Tracker {
    db: Database,
    user: User,
    issues: Vec<Id<Issue>>,
}

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let mut section = Section {
        name: "promises",
        ..Section::default()
    };
    for (name, topology) in [
        ("standalone", Topology::Standalone),
        ("set of 1", Topology::ReplicaSet(1)),
        ("set of 3", Topology::ReplicaSet(3)),
    ] {
        let context = context.on(topology).await?;
        let tracker = Tracker::new(context.db.clone()).await?;
        compare(&context, name, &tracker, true, &mut section).await?;
        if topology == Topology::Standalone {
            let db = delayed(context.uri()).await?.database("delayed");
            let tracker = Tracker::new(db).await?;
            compare(&context, "2 ms away", &tracker, false, &mut section).await?;
        }
    }
    Ok(section)
}

async fn compare(
    context: &Context,
    place: &str,
    tracker: &Tracker,
    crowds: bool,
    section: &mut Section,
) -> Result<()> {
    let calls = context.size(30, 3);
    let title = format!("a comment, its issue's list and count, {place}");
    let alone = context
        .race(&title, 30)
        .sends(BY_HAND, || tracker.clone().by_hand(1, 1, calls).boxed())
        .sends(DURABLE, || tracker.durable().by_hand(1, 1, calls).boxed())
        .sends("mongo-model", || tracker.clone().ours(1, 1, calls).boxed())
        .after(|| tracker.clone().rest().boxed())
        .run()
        .await?;
    let limit = Limit::AtMost(1.5);
    section
        .rows
        .push(Row::wall(&title, &alone, "mongo-model", DURABLE, limit));
    section.tables.push(alone.table("call", Measure::Client));
    if !crowds {
        return Ok(());
    }
    let calls = context.size(40, 2);
    for (issues, limit) in [
        (1, Limit::AtMost(1.0 / 1.5)),
        (TASKS, Limit::AtMost(1.0 / 0.7)),
    ] {
        let on = if issues == 1 {
            "one issue"
        } else {
            "an issue each"
        };
        let title = format!("{TASKS} tasks comment on {on}, {place}");
        let crowd = context
            .race(&title, 10)
            .sends(BY_HAND, || {
                tracker.clone().by_hand(TASKS, issues, calls).boxed()
            })
            .sends(DURABLE, || {
                tracker.durable().by_hand(TASKS, issues, calls).boxed()
            })
            .sends("mongo-model", || {
                tracker.clone().ours(TASKS, issues, calls).boxed()
            })
            .run()
            .await?;
        section
            .rows
            .push(Row::wall(&title, &crowd, "mongo-model", DURABLE, limit));
        section.tables.push(crowd.table("call", Measure::Client));
    }
    Ok(())
}

impl Tracker {
    /// The same with writes that no crash takes back, as mongo-model's are.
    fn durable(&self) -> Self {
        let db = durable(&self.db);
        Tracker { db, ..self.clone() }
    }

    async fn new(db: Database) -> Result<Self> {
        sync_indexes(&db)
            .models(&[User::meta(), Issue::meta(), Comment::meta()])
            .await?;
        let user = User {
            id: Id::new(),
            name: "Ada".to_owned(),
        };
        User::insert(&db, &user).await?;
        let mut issues = Vec::new();
        for _ in 0..TASKS {
            let issue = Issue {
                id: Id::new(),
                title: "it is slow".to_owned(),
                last: Vec::new(),
                comments: 0,
            };
            Issue::insert(&db, &issue).await?;
            issues.push(issue.id);
        }
        settle(&db).await;
        Ok(Tracker { db, user, issues })
    }

    fn comment(&self, task: usize, issues: usize) -> Comment {
        Comment {
            id: Id::new(),
            issue: self.issues[task % issues],
            author: self.user.id,
            author_name: self.user.name.clone(),
            created: DateTime::now(),
            text: "the same here, since the update of last week".to_owned(),
        }
    }

    async fn rest(self) -> Result<usize> {
        settle(&self.db).await;
        Ok(0)
    }

    /// All comments are stored, and nothing is flagged any more.
    async fn ours(self, tasks: usize, issues: usize, calls: usize) -> Result<usize> {
        let db = self.db.clone();
        let call = move |task| {
            let tracker = self.clone();
            async move {
                for _ in 0..calls {
                    let comment = tracker.comment(task, issues);
                    Comment::insert(&tracker.db, &comment).await?;
                }
                Ok(())
            }
        };
        all((0..tasks).map(call)).await?;
        if tasks > 1 {
            settle(&db).await;
        }
        Ok(tasks * calls)
    }

    /// Nothing reads the author: a comment by hand takes the name that the program has.
    async fn by_hand(self, tasks: usize, issues: usize, calls: usize) -> Result<usize> {
        let call = move |task| {
            let tracker = self.clone();
            async move {
                let comments = tracker.db.collection::<Comment>("promise_comments");
                let stored = tracker.db.collection::<Document>("promise_issues");
                for _ in 0..calls {
                    let comment = tracker.comment(task, issues);
                    comments.insert_one(&comment).await?;
                    let entry = doc! { "id": comment.id.into_raw(), "created": comment.created, "text": &comment.text };
                    let list = doc! { "$each": [entry], "$sort": { "created": 1 }, "$slice": -5 };
                    let change = doc! { "$inc": { "comments": 1_i64 }, "$push": { "last": list } };
                    stored
                        .update_one(doc! { "_id": comment.issue.into_raw() }, change)
                        .await?;
                }
                Ok(())
            }
        };
        all((0..tasks).map(call)).await?;
        Ok(tasks * calls)
    }
}

async fn all(
    tasks: impl Iterator<Item = impl Future<Output = Result<()>> + Send + 'static>,
) -> Result<()> {
    let tasks: Vec<_> = tasks.map(tokio::spawn).collect();
    for task in tasks {
        task.await??;
    }
    Ok(())
}

/// A client of a server that is some milliseconds away.
async fn delayed(uri: &str) -> Result<Client> {
    let options = ClientOptions::parse(uri).await?;
    let server: SocketAddr = options.hosts[0].to_string().parse()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let proxy = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(async move {
                if let Ok(server) = TcpStream::connect(server).await {
                    let _ = forward(client, server).await;
                }
            });
        }
    });
    let uri = format!("mongodb://{proxy}/?directConnection=true");
    Ok(Client::with_uri_str(uri).await?)
}

async fn forward(client: TcpStream, server: TcpStream) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let there = hold_back(from_client, to_server);
    let back = hold_back(from_server, to_client);
    futures::future::try_join(there, back).await?;
    Ok(())
}

async fn hold_back(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut buffer).await?;
        if read == 0 {
            return to.shutdown().await;
        }
        tokio::time::sleep(DELAY).await;
        to.write_all(&buffer[..read]).await?;
    }
}
