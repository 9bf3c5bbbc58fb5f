//! Copies lie wherever a reference may: every place is filled, and followed when the source changes.

use bson::oid::ObjectId;
use bson::{DateTime, Decimal128, doc};
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::settled::{plain, revision, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Name {
    #[serde(rename = "f")]
    first: String,
    last: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_users")]
struct User {
    #[serde(rename = "_id")]
    id: Id<User>,
    username: String,
    #[index(unique)]
    email: String,
    #[serde(rename = "n")]
    name: Name,
    #[embed(max = 5)]
    tags: Vec<String>,
    balance: Decimal128,
    born: DateTime,
    badge: ObjectId,
    nick: Option<String>,
    logins: i64,
}

/// A reference that is a document of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct UserRef {
    #[parent(User)]
    id: Id<User>,
    #[denorm(from = User, field = username)]
    username: String,
}

/// The same with something of its own beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Vote {
    #[parent(User)]
    by: Id<User>,
    #[denorm(from = User, field = username)]
    by_name: String,
    stars: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Section {
    title: String,
    #[embed(max = 5)]
    mentions: Vec<UserRef>,
    #[refs(User, max = 5)]
    #[denorm(from = User, field = username)]
    readers: Vec<Reader>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: Id<Post>,
    #[parent(User)]
    #[serde(rename = "a")]
    author: Id<User>,
    #[denorm(from = User, field = username, via = author)]
    author_name: String,
    #[denorm(from = User, field = nick, via = author)]
    nick: Option<String>,
    /// In an embedded document, used directly.
    editor: UserRef,
    reviewer: Option<UserRef>,
    #[embed(max = 5)]
    likes: Vec<UserRef>,
    #[embed(max = 5)]
    votes: Vec<Vote>,
    #[embed(max = 5)]
    sections: Vec<Section>,
    #[parent(User)]
    #[denorm(from = User, fields(name, tags))]
    #[denorm(from = User, field = born, into = birthday)]
    owner: Owner,
    #[parent(User)]
    #[denorm(from = User, fields(balance, born, badge))]
    payer: Option<Payer>,
    #[parent(User, key = email)]
    contact: String,
    #[denorm(from = User, field = username, via = contact)]
    contact_name: String,
    #[refs(User, key = email, max = 5)]
    #[denorm(from = User, field = username)]
    cc: Vec<Cc>,
}

fn user(username: &str) -> User {
    User {
        id: Id::new(),
        username: username.to_owned(),
        email: format!("{username}@example.com"),
        name: Name {
            first: username.to_owned(),
            last: None,
        },
        tags: vec!["cool".to_owned(), "funny".to_owned()],
        balance: "1.50".parse().expect("a number"),
        born: DateTime::from_millis(1_000),
        badge: ObjectId::new(),
        nick: Some("nn".to_owned()),
        logins: 0,
    }
}

fn refer(user: &User) -> UserRef {
    UserRef {
        id: user.id,
        username: user.username.clone(),
    }
}

/// A post that refers to one user everywhere, and to another one where there is room for two.
fn post(user: &User, other: &User) -> Post {
    let reader = |user: &User| Reader {
        id: user.id,
        username: user.username.clone(),
    };
    let cc = |user: &User| Cc {
        id: user.email.clone(),
        username: user.username.clone(),
    };
    let vote = |user: &User, stars| Vote {
        by: user.id,
        by_name: user.username.clone(),
        stars,
    };
    let section = |title: &str, mentions: &[&User]| Section {
        title: title.to_owned(),
        mentions: mentions.iter().map(|user| refer(user)).collect(),
        readers: mentions.iter().map(|user| reader(user)).collect(),
    };
    Post {
        id: Id::new(),
        author: user.id,
        author_name: user.username.clone(),
        nick: user.nick.clone(),
        editor: refer(user),
        reviewer: Some(refer(user)),
        likes: vec![refer(other), refer(user), refer(user)],
        votes: vec![vote(user, 5), vote(other, 1)],
        sections: vec![
            section("one", &[user, other]),
            section("none", &[]),
            section("two", &[other, user, user]),
        ],
        owner: Owner {
            id: user.id,
            name: user.name.clone(),
            tags: user.tags.clone(),
            birthday: user.born,
        },
        payer: Some(Payer {
            id: user.id,
            balance: user.balance,
            born: user.born,
            badge: user.badge,
        }),
        contact: user.email.clone(),
        contact_name: user.username.clone(),
        cc: vec![cc(other), cc(user)],
    }
}

/// A post as any program would store it.
fn stored_as(post: &Post) -> bson::Document {
    bson::serialize_to_document(post).expect("encodes")
}

async fn start(bench: &Bench) -> (User, User) {
    bench.index(&[User::meta(), Post::meta()]).await;
    let (ann, bob) = (user("ann"), user("bob"));
    User::insert_many(&bench.db, [&ann, &bob])
        .await
        .expect("stored");
    bench.forget();
    (ann, bob)
}

// B12, B13, B14: a caller with a stale source stores copies of the database's values, of every type and at every place.
#[tokio::test]
async fn every_place_is_filled_with_what_the_source_says() {
    on_both("place_fill", async |bench| {
        let db = &bench.db;
        let (ann, bob) = start(bench).await;
        let mut stale = User {
            username: "stale".to_owned(),
            nick: None,
            tags: vec![],
            balance: "7".parse().expect("a number"),
            born: DateTime::from_millis(7),
            badge: ObjectId::new(),
            ..ann.clone()
        };
        stale.name.first = "stale".to_owned();
        let mut post_of_stale = post(&stale, &bob);
        Post::insert(db, &post_of_stale).await.expect("stored");
        let mut right = post(&ann, &bob);
        right.id = post_of_stale.id;
        let stored = shown::<Post>(bench, &post_of_stale.id).await;
        assert_eq!(plain(stored.clone()), stored_as(&right));
        // Each group of copies says which revision of its source it is; documents that are the reference hold it inside.
        let r = revision::<User>(bench, &ann.id).await;
        let by_email = revision::<User>(bench, &bob.id).await;
        assert_eq!(stored.get("_r_a"), Some(&r));
        assert_eq!(stored.get("_r_contact"), Some(&r));
        let editor = stored.get_document("editor").expect("a document");
        assert_eq!(editor.get("_r"), Some(&r));
        let vote = &stored.get_array("votes").expect("an array")[0];
        assert_eq!(
            vote.as_document().and_then(|vote| vote.get("_r_by")),
            Some(&r)
        );
        let cc = &stored.get_array("cc").expect("an array")[0];
        assert_eq!(
            cc.as_document().and_then(|cc| cc.get("_r")),
            Some(&by_email)
        );
        settled(bench).await;

        // Many at once take another way to the same end.
        post_of_stale.id = Id::new();
        let mut second = post_of_stale.clone();
        second.id = Id::new();
        Post::insert_many(db, [&post_of_stale, &second])
            .await
            .expect("stored");
        for id in [post_of_stale.id, second.id] {
            right.id = id;
            let stored = shown::<Post>(bench, &id).await;
            assert_eq!(plain(stored), stored_as(&right));
        }
        settled(bench).await;
    })
    .await;
}

// B13, B14, B17, B19, B31: every copied field of every type changes at every place, twice in one array, two arrays deep, by
// natural key; a value that the source lacks is absent from the copies; the other user's copies stay.
#[tokio::test]
async fn every_place_follows() {
    on_both("place_follow", async |bench| {
        let db = &bench.db;
        let (ann, bob) = start(bench).await;
        let mut expected = post(&ann, &bob);
        Post::insert(db, &expected).await.expect("stored");
        let others = post(&bob, &bob);
        Post::insert(db, &others).await.expect("stored");
        settled(bench).await;
        let before = shown::<Post>(bench, &others.id).await;

        let changed = User {
            username: "anna".to_owned(),
            name: Name {
                first: "Anna".to_owned(),
                last: Some("Li".to_owned()),
            },
            tags: vec![],
            balance: "1.5".parse().expect("a number"),
            born: DateTime::from_millis(2_000),
            badge: ObjectId::new(),
            nick: None,
            ..ann.clone()
        };
        let done = User::update(db, ann.id)
            .set(|u| u.username, "anna")
            .set(|u| u.name, changed.name.clone())
            .set(|u| u.tags, Vec::<String>::new())
            .set(|u| u.balance, changed.balance)
            .set(|u| u.born, changed.born)
            .set(|u| u.badge, changed.badge)
            .unset(|u| u.nick)
            .await
            .expect("changed");
        assert_eq!((done.matched, done.pending.len()), (1, 0));
        expected = Post {
            id: expected.id,
            ..post(&changed, &bob)
        };
        let mut right = stored_as(&expected);
        right.remove("nick");
        let stored = shown::<Post>(bench, &expected.id).await;
        assert_eq!(plain(stored), right);
        // A post that refers to the other user was not written.
        assert_eq!(shown::<Post>(bench, &others.id).await, before);
        settled(bench).await;

        // It is restored: the copy is back.
        User::update(db, ann.id)
            .set(|u| u.nick, Some("again".to_owned()))
            .await
            .expect("changed");
        let stored = shown::<Post>(bench, &expected.id).await;
        assert_eq!(stored.get_str("nick").ok(), Some("again"));
        settled(bench).await;
    })
    .await;
}

// A copied number is found by its value, and has the type of its source.
#[tokio::test]
async fn copies_have_the_types_of_their_sources() {
    on_both("place_types", async |bench| {
        let (ann, bob) = start(bench).await;
        Post::insert(&bench.db, &post(&ann, &bob))
            .await
            .expect("stored");
        let typed = doc! {
            "payer.balance": { "$type": "decimal", "$eq": "1.5".parse::<Decimal128>().expect("a number") },
            "payer.born": { "$type": "date", "$lt": DateTime::from_millis(1_001) },
            "payer.badge": { "$type": "objectId" },
            "owner.name.f": "ann",
            "owner.tags": "funny",
        };
        let found = bench.raw("place_posts").count_documents(typed).await;
        assert_eq!(found.expect("counted"), 1);
        // The same number, written differently, is another value.
        User::update(&bench.db, ann.id)
            .set(|u| u.balance, "1.500".parse::<Decimal128>().expect("a number"))
            .await
            .expect("changed");
        let found = bench.raw("place_posts").find_one(doc! {}).await;
        let found = found.expect("read").expect("stored");
        let payer = found.get_document("payer").expect("a payer");
        assert_eq!(
            payer.get("balance").map(ToString::to_string),
            Some("1.500".to_owned())
        );
        settled(bench).await;
    })
    .await;
}

// An absent or empty place holds no copy; a document that another program wrote without revisions is brought up to date.
#[tokio::test]
async fn absent_places_and_copies_without_revisions() {
    on_both("place_absent", async |bench| {
        let db = &bench.db;
        let (ann, bob) = start(bench).await;
        let mut bare = post(&ann, &bob);
        bare.reviewer = None;
        bare.payer = None;
        bare.likes.clear();
        bare.sections.clear();
        bare.cc.clear();
        Post::insert(db, &bare).await.expect("stored");
        // Stored by another program: no `_r` anywhere, arrays missing or null.
        let mut foreign = stored_as(&post(&ann, &bob));
        foreign.insert("_id", ObjectId::new());
        foreign.insert("likes", bson::Bson::Null);
        foreign.remove("cc");
        let section = foreign.get_array_mut("sections").expect("sections")[0].as_document_mut();
        section.expect("a section").remove("mentions");
        let id = foreign.get_object_id("_id").expect("an id");
        bench.seed("place_posts", [foreign.clone()]).await;

        User::update(db, ann.id)
            .set(|u| u.username, "anna")
            .await
            .expect("changed");
        let stored = plain(bench.stored("place_posts", id).await);
        let renamed: User = User::get(db, ann.id).await.expect("read").expect("stored");
        let mut right = stored_as(&post(&renamed, &bob));
        right.insert("_id", id);
        right.insert("likes", bson::Bson::Null);
        right.remove("cc");
        let section = right.get_array_mut("sections").expect("sections")[0].as_document_mut();
        section.expect("a section").remove("mentions");
        assert_eq!(stored, right);
        let stored = plain(shown::<Post>(bench, &bare.id).await);
        assert_eq!(stored.get_str("author_name").ok(), Some("anna"));
        assert_eq!(stored.get("reviewer"), stored_as(&bare).get("reviewer"));
        settled(bench).await;
    })
    .await;
}
