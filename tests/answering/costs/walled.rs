//! A tenant wall costs no command where a write reads its sources anyway, and one read where it does not.

use bson::{Bson, Document, bson};
use mongo_model::{Database, Error, MongoModel, Result, Tenants, settle, transaction};
use mongo_model_dev_server::monitor::StartedCommand;

use super::measure::{Behind, measured, on_both};
use crate::common::{Bench, behind};

/// The same models, in other collections, with a tenant or without.
macro_rules! models {
    ($at:ident: $makers:tt $items:tt $deals:tt $stamps:tt $badges:tt $topics:tt $posts:tt $votes:tt $shelves:tt $nodes:tt $(, $tenant:tt = $org:tt)?) => {
        mod $at {
            use mongo_model::MongoModel;
            use serde::{Deserialize, Serialize};

            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $makers $(, $tenant = $org)?)]
            pub(super) struct Maker {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                pub(super) name: String,
                pub(super) city: String,
            }

            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $items $(, $tenant = $org)?)]
            pub(super) struct Item {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                #[index]
                pub(super) size: i32,
                #[parent(Maker)]
                pub(super) maker: i32,
                #[denorm(from = Maker, field = name)]
                pub(super) maker_name: String,
            }

            /// A copy that stays, and one that follows.
            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $deals $(, $tenant = $org)?)]
            pub(super) struct Deal {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                #[parent(Maker)]
                pub(super) maker: i32,
                #[denorm(from = Maker, field = name)]
                pub(super) maker_name: String,
                #[denorm(from = Maker, field = city, snapshot)]
                pub(super) maker_city: String,
            }

            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $stamps $(, $tenant = $org)?)]
            pub(super) struct Stamp {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                #[parent(Maker)]
                pub(super) maker: i32,
                #[denorm(from = Maker, field = city, snapshot)]
                pub(super) maker_city: String,
            }

            /// A reference that is checked, without copies.
            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $badges $(, $tenant = $org)?)]
            pub(super) struct Badge {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                #[parent(Maker)]
                pub(super) maker: i32,
            }

            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $topics $(, $tenant = $org)?)]
            pub(super) struct Topic {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                pub(super) title: String,
                #[count(Post)]
                pub(super) posts: i64,
                #[count(Vote)]
                pub(super) votes: i64,
            }

            /// Counted, with a copy.
            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $posts $(, $tenant = $org)?)]
            pub(super) struct Post {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                #[parent(Topic)]
                pub(super) topic: i32,
                #[denorm(from = Topic, field = title)]
                pub(super) topic_title: String,
            }

            /// Counted, without a copy.
            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $votes $(, $tenant = $org)?)]
            pub(super) struct Vote {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                #[parent(Topic)]
                pub(super) topic: i32,
            }

            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $shelves $(, $tenant = $org)?)]
            pub(super) struct Shelf {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                #[refs(Maker, max = 200)]
                pub(super) makers: Vec<i32>,
            }

            /// Refers to documents of its own model.
            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $nodes $(, $tenant = $org)?)]
            pub(super) struct Node {
                #[serde(rename = "_id")]
                pub(super) id: i32,
                pub(super) org: i32,
                #[parent(Node)]
                pub(super) after: Option<i32>,
            }

            pub(super) fn maker(id: i32) -> Maker {
                Maker { id, org: 1, name: "a".to_owned(), city: "b".to_owned() }
            }

            pub(super) fn item(id: i32, maker: i32) -> Item {
                Item { id, org: 1, size: id, maker, maker_name: "a".to_owned() }
            }

            pub(super) fn deal(id: i32) -> Deal {
                let (maker_name, maker_city) = ("a".to_owned(), "b".to_owned());
                Deal { id, org: 1, maker: 1, maker_name, maker_city }
            }

            pub(super) fn stamp(id: i32) -> Stamp {
                Stamp { id, org: 1, maker: 1, maker_city: "b".to_owned() }
            }

            pub(super) fn badge(id: i32) -> Badge {
                Badge { id, org: 1, maker: 1 }
            }

            pub(super) fn topic(id: i32) -> Topic {
                Topic { id, org: 1, title: "c".to_owned(), posts: 0, votes: 0 }
            }

            pub(super) fn post(id: i32) -> Post {
                Post { id, org: 1, topic: 1, topic_title: "c".to_owned() }
            }

            pub(super) fn vote(id: i32) -> Vote {
                Vote { id, org: 1, topic: 1 }
            }

            pub(super) fn shelf(id: i32) -> Shelf {
                Shelf { id, org: 1, makers: vec![1] }
            }

            pub(super) fn node(id: i32, after: Option<i32>) -> Node {
                Node { id, org: 1, after }
            }
        }
    };
}

models!(outside: "out_makers" "out_items" "out_deals" "out_stamps" "out_badges" "out_topics" "out_posts" "out_votes" "out_shelves" "out_nodes");
models!(inside: "in_makers" "in_items" "in_deals" "in_stamps" "in_badges" "in_topics" "in_posts" "in_votes" "in_shelves" "in_nodes", tenant = org);

/// The reads that the wall adds to a call; a call that is not here sends what it sends without a wall.
const MORE: &[(&str, &str)] = &[
    ("insert Badge", "find makers"),
    ("insert Shelf", "find makers"),
    ("insert Vote", "find topics"),
    ("insert Item, settled", "find makers"),
    // The second may refer to the first, whose `_id` another tenant may have taken.
    ("insert_many Node", "find nodes"),
];

/// The read that the wall spares: it comes before the insert anyway.
const LESS: (&str, &str) = ("insert Deal", "find makers");

/// True if a command finds or stores documents of the tenant 1 alone.
fn names_tenant(sent: &StartedCommand) -> bool {
    let first = |list: &str| sent.command.get_array(list).ok()?.first()?.as_document();
    let of_tenant = match sent.name.as_str() {
        "find" => sent.command.get_document("filter").ok(),
        "findAndModify" => sent.command.get_document("query").ok(),
        "insert" => {
            return first("documents").is_some_and(|one| one.get("org") == Some(&Bson::from(1)));
        }
        "update" => first("updates").and_then(|one| one.get_document("q").ok()),
        _ => None,
    };
    of_tenant.is_some_and(demands_tenant)
}

/// True if a filter demands the tenant 1, at its top or in an `$and`.
fn demands_tenant(filter: &Document) -> bool {
    let parts = filter.get_array("$and").into_iter().flatten();
    let mut parts = parts.filter_map(Bson::as_document);
    filter.get("org") == Some(&bson!({ "$eq": 1 })) || parts.any(demands_tenant)
}

/// The commands that one call sends, before and after its answer. In collections with a tenant the first of them is confined to it: what
/// follows is found by the `_id`s and references that it has shown.
async fn sent<T>(bench: &Bench, call: impl Future<Output = Result<T>>) -> Vec<String> {
    settle(&bench.db).await;
    bench.forget();
    call.await.expect("done");
    settle(&bench.db).await;
    let sent = bench.take().into_iter();
    let of_models = |one: &&StartedCommand| {
        let to = one.command.get_str(&one.name).unwrap_or_default();
        to.starts_with("in_")
    };
    let first = sent.as_slice().iter().find(of_models);
    assert!(first.is_none_or(names_tenant), "{first:?}");
    let names = sent.filter(|one| one.name != "hello").map(|one| {
        let to = one.command.get_str(&one.name).unwrap_or_default();
        let to = to.split_once('_').map_or(to, |(_, collection)| collection);
        format!("{} {to}", one.name)
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

/// The commands of each call, by the second time, when the program has learned what it learns once.
macro_rules! calls {
    ($bench:ident, $at:ident, $db:expr) => {{
        use $at::*;
        let db = &$db;
        $bench
            .index(&[
                Maker::meta(),
                Item::meta(),
                Deal::meta(),
                Stamp::meta(),
                Badge::meta(),
                Topic::meta(),
                Post::meta(),
                Vote::meta(),
                Shelf::meta(),
                Node::meta(),
            ])
            .await;
        for id in [1, 2] {
            Maker::insert(db, &maker(id)).await.expect("stored");
        }
        Topic::insert(db, &topic(1)).await.expect("stored");
        Shelf::insert(db, &shelf(1)).await.expect("stored");
        let mut all = Vec::new();
        for n in [10, 100] {
            let maker = 1 + n / 100;
            let other = 3 - maker;
            all.clear();
            macro_rules! step {
                ($what:literal, $call:expr) => {
                    all.push(($what, sent($bench, async { $call.await }).await))
                };
            }
            step!("insert Item", Item::insert(db, &item(n, other)));
            step!(
                "insert Item, settled",
                Item::insert(db, &item(n + 1, maker)).settled()
            );
            step!("insert Deal", Deal::insert(db, &deal(n)));
            step!("insert Stamp", Stamp::insert(db, &stamp(n)));
            step!("insert Badge", Badge::insert(db, &badge(n)));
            step!("insert Post", Post::insert(db, &post(n)));
            step!("insert Vote", Vote::insert(db, &vote(n)));
            step!("insert Shelf", Shelf::insert(db, &shelf(n)));
            let two = [item(n + 2, 1), item(n + 3, 2)];
            step!("insert_many Item", Item::insert_many(db, &two));
            let two = [badge(n + 2), badge(n + 3)];
            step!("insert_many Badge", Badge::insert_many(db, &two));
            let two = [post(n + 2), post(n + 3)];
            step!("insert_many Post", Post::insert_many(db, &two));
            let two = [node(n, None), node(n + 1, Some(n))];
            step!("insert_many Node", Node::insert_many(db, &two));
            let two = [node(n + 2, Some(n)), node(n + 3, Some(n + 1))];
            step!("insert_many Node, of others", Node::insert_many(db, &two));
            step!("update Item", Item::update(db, n).set(|i| i.maker, maker));
            step!(
                "update_many Item",
                Item::update_many(db, |i| i.size.gte(0)).set(|i| i.maker, other)
            );
            step!(
                "update Shelf",
                Shelf::update(db, 1).push(|s| s.makers, maker)
            );
            step!("save Item", item(n, maker).save(db));
            step!("save Item, new", item(n + 4, maker).save(db));
            step!("save Badge, new", badge(n + 4).save(db));
            step!(
                "upsert Item",
                Item::upsert(db, &item(n, maker)).inc(|i| i.size, 1)
            );
            step!(
                "upsert Item, new",
                Item::upsert(db, &item(n + 5, maker)).inc(|i| i.size, 1)
            );
            let hello = $bench.db.run_command(bson::doc! { "hello": 1 }).await;
            if hello.expect("answered").contains_key("setName") {
                step!(
                    "transaction",
                    transaction(&$bench.db, async |tx| {
                        Item::insert(db, &item(n + 6, maker)).within(tx).await?;
                        Badge::insert(db, &badge(n + 6)).within(tx).await?;
                        Vote::insert(db, &vote(n + 6)).within(tx).await?;
                        let set = Item::update(db, n + 1).set(|i| i.maker, other);
                        set.within(tx).await.map(drop)
                    })
                );
            }
        }
        all
    }};
}

#[tokio::test]
async fn a_wall_adds_a_read_where_nothing_else_reads_the_target() {
    behind("wall_cost", async |bench| {
        let without = calls!(bench, outside, bench.db);
        let within = calls!(bench, inside, bench.db.tenant(1));
        let mut differ = Vec::new();
        for ((what, mut expected), (_, found)) in without.into_iter().zip(within) {
            let more = MORE.iter().filter(|(call, _)| *call == what);
            expected.extend(more.map(|(_, read)| (*read).to_owned()));
            if what == LESS.0 {
                let read = expected.iter().position(|one| one == LESS.1);
                expected.remove(read.expect("a read"));
            }
            expected.sort_unstable();
            if found != expected {
                differ.push(format!("{what}: {found:?} instead of {expected:?}"));
            }
        }
        assert!(differ.is_empty(), "{differ:#?}");
    })
    .await;
}

#[tokio::test]
async fn inserts_of_models_with_a_tenant() {
    use inside::*;
    on_both("cost_walled", async |bench| {
        let models = [Maker::meta(), Item::meta(), Deal::meta(), Stamp::meta()];
        bench.index(&models).await;
        let models = [Badge::meta(), Topic::meta(), Post::meta(), Vote::meta()];
        bench.index(&models).await;
        let db = bench.db.tenant(1);
        Maker::insert(&db, &maker(1)).await.expect("stored");
        Topic::insert(&db, &topic(1)).await.expect("stored");
        settle(&bench.db).await;
        macro_rules! check {
            ($($model:ident $new:ident),*) => {{
                $(
                    let insert = async |db: &Database, n| {
                        let stored = $model::insert(&db.tenant(1), &$new(1_000 + n)).await;
                        stored.expect("stored");
                    };
                    let nothing = async |_: &Database, _| {};
                    let costs = ($model::meta().costs().insert, Behind::After);
                    let what = concat!("insert ", stringify!($model));
                    measured(bench, what, costs, nothing, insert).await;
                )*
            }};
        }
        let item = |id| item(id, 1);
        check!(Item item, Deal deal, Stamp stamp, Badge badge, Post post, Vote vote);
    })
    .await;
}

#[tokio::test]
async fn the_target_of_another_tenant_is_refused_before_anything_is_written() {
    use inside::*;
    behind("wall_refused", async |bench| {
        let models = [Maker::meta(), Item::meta(), Deal::meta(), Stamp::meta()];
        bench.index(&models).await;
        let models = [Badge::meta(), Topic::meta(), Post::meta(), Vote::meta()];
        bench.index(&models).await;
        bench.index(&[Shelf::meta()]).await;
        let (one, two) = (bench.db.tenant(1), bench.db.tenant(2));
        let theirs = Maker { org: 2, ..maker(1) };
        Maker::insert(&two, &theirs).await.expect("stored");
        Maker::insert(&one, &maker(2)).await.expect("stored");
        let theirs = Topic { org: 2, ..topic(1) };
        Topic::insert(&two, &theirs).await.expect("stored");
        Item::insert(&one, &item(1, 2)).await.expect("stored");
        let empty = Shelf {
            makers: Vec::new(),
            ..shelf(1)
        };
        Shelf::insert(&one, &empty).await.expect("stored");
        macro_rules! refused {
            ($($call:expr),* $(,)?) => {
                $(
                    settle(&bench.db).await;
                    bench.forget();
                    let done = async { $call.await.map(drop) }.await;
                    assert!(matches!(done, Err(Error::Dangling { .. })), "{done:?}");
                    settle(&bench.db).await;
                    let writes = ["insert", "update", "delete", "findAndModify"];
                    let sent = bench.sent();
                    let wrote = sent.iter().any(|name| writes.contains(&name.as_str()));
                    assert!(!wrote, "{}: {sent:?}", stringify!($call));
                )*
            };
        }
        refused!(
            Item::insert(&one, &item(2, 1)),
            Item::insert(&one, &item(2, 1)).settled(),
            Deal::insert(&one, &deal(1)),
            Stamp::insert(&one, &stamp(1)),
            Badge::insert(&one, &badge(1)),
            Badge::insert(&one, &badge(1)).settled(),
            Post::insert(&one, &post(1)),
            Vote::insert(&one, &vote(1)),
            Shelf::insert(&one, &shelf(2)),
            Item::insert_many(&one, [&item(2, 2), &item(3, 1)]),
            Vote::insert_many(&one, [&vote(1), &vote(2)]),
            Item::update(&one, 1).set(|i| i.maker, 1),
            Item::update_many(&one, |i| i.size.gte(0)).set(|i| i.maker, 1),
            Shelf::update(&one, 1).push(|s| s.makers, 1),
            Shelf::update(&one, 1).set(|s| s.makers, vec![2, 1]),
        );
        let stored = Topic::get(&two, 1).await.expect("read").expect("stored");
        assert_eq!((stored.posts, stored.votes), (0, 0));
    })
    .await;
}
