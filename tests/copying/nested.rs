//! Copies of fields inside embedded documents follow however those change: one by one, as a whole, with a save, in many documents.

use bson::{Bson, Document, doc};
use mongo_model::Outcome;
use mongo_model::denorm::Defect;
use mongo_model::{Id, MongoEmbed, MongoModel, backfill, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::settled::{plain, revision, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "camelCase")]
struct Profile {
    display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    motto: Option<String>,
    home: Home,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Home {
    city: String,
    zip: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_users")]
struct User {
    #[serde(rename = "_id")]
    id: Id<User>,
    #[index]
    login: String,
    #[serde(rename = "p")]
    profile: Profile,
    former: Option<Home>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_comments")]
struct Comment {
    #[serde(rename = "_id")]
    id: Id<Comment>,
    #[parent(User, on_delete = cascade)]
    author: Id<User>,
    #[denorm(from = User, field = login)]
    login: String,
    #[denorm(from = User, field = profile.display_name)]
    author_name: String,
    #[denorm(from = User, field = profile.motto)]
    motto: Option<String>,
    #[denorm(from = User, field = profile.home.city)]
    city: String,
    #[denorm(from = User, field = former.city)]
    former_city: Option<String>,
}

/// It copies the whole profile, beside a field of it: the server reads no path together with one above it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_cards")]
struct Card {
    #[serde(rename = "_id")]
    id: Id<Card>,
    #[parent(User, on_delete = cascade)]
    user: Id<User>,
    #[denorm(from = User, field = profile)]
    profile: Profile,
    #[denorm(from = User, field = profile.home.zip, snapshot)]
    first_zip: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_talks")]
struct Talk {
    #[serde(rename = "_id")]
    id: Id<Talk>,
    #[refs(User, max = 5, on_delete = pull)]
    #[denorm(from = User, field = profile.display_name)]
    #[denorm(from = User, field = profile.home.city, into = town)]
    speakers: Vec<Speaker>,
}

/// A copy of a copy: a comment's copy of its author's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_answers")]
struct Answer {
    #[serde(rename = "_id")]
    id: Id<Answer>,
    #[parent(Comment, on_delete = cascade)]
    comment: Id<Comment>,
    #[denorm(from = Comment, field = author_name)]
    to: String,
}

fn profile(name: &str, city: &str) -> Profile {
    Profile {
        display_name: name.to_owned(),
        motto: Some(format!("I am {name}")),
        home: Home {
            city: city.to_owned(),
            zip: 89_073,
        },
    }
}

fn home(city: &str) -> Home {
    Home {
        city: city.to_owned(),
        zip: 1,
    }
}

/// A user with a document of every kind that copies from it.
struct World {
    user: User,
    comment: Id<Comment>,
    card: Id<Card>,
    talk: Id<Talk>,
    answer: Id<Answer>,
}

impl World {
    async fn new(bench: &Bench) -> World {
        let db = &bench.db;
        bench
            .index(&[
                User::meta(),
                Comment::meta(),
                Card::meta(),
                Talk::meta(),
                Answer::meta(),
            ])
            .await;
        let user = User {
            id: Id::new(),
            login: "ann".to_owned(),
            profile: profile("Ann", "Ulm"),
            former: None,
        };
        User::insert(db, &user).await.expect("stored");
        // Values that the program puts in the place of copies are replaced.
        let comment = Comment {
            id: Id::new(),
            author: user.id,
            login: "?".to_owned(),
            author_name: "?".to_owned(),
            motto: None,
            city: "?".to_owned(),
            former_city: Some("?".to_owned()),
        };
        let card = Card {
            id: Id::new(),
            user: user.id,
            profile: profile("?", "?"),
            first_zip: 0,
        };
        let talk = Talk {
            id: Id::new(),
            speakers: vec![Speaker {
                id: user.id,
                display_name: "?".to_owned(),
                town: "?".to_owned(),
            }],
        };
        let answer = Answer {
            id: Id::new(),
            comment: comment.id,
            to: "?".to_owned(),
        };
        Comment::insert(db, &comment).await.expect("stored");
        Card::insert(db, &card).await.expect("stored");
        Talk::insert(db, &talk).await.expect("stored");
        Answer::insert(db, &answer).await.expect("stored");
        bench.forget();
        World {
            user,
            comment: comment.id,
            card: card.id,
            talk: talk.id,
            answer: answer.id,
        }
    }

    /// Checks that every copy agrees with `user`, and that nothing is pending.
    async fn follows(&self, bench: &Bench, user: &User) {
        let (db, profile) = (&bench.db, &user.profile);
        let comment = Comment::get(db, self.comment).await.expect("read");
        let expected = Comment {
            id: self.comment,
            author: user.id,
            login: user.login.clone(),
            author_name: profile.display_name.clone(),
            motto: profile.motto.clone(),
            city: profile.home.city.clone(),
            former_city: user.former.as_ref().map(|home| home.city.clone()),
        };
        assert_eq!(comment, Some(expected));
        let card = Card::get(db, self.card).await.expect("read");
        let card = card.expect("a card");
        assert_eq!((&card.profile, card.first_zip), (profile, 89_073));
        let talk = Talk::get(db, self.talk).await.expect("read");
        let speaker = Speaker {
            id: user.id,
            display_name: profile.display_name.clone(),
            town: profile.home.city.clone(),
        };
        assert_eq!(talk.expect("a talk").speakers, [speaker]);
        let answer = Answer::get(db, self.answer).await.expect("read");
        assert_eq!(answer.expect("an answer").to, profile.display_name);
        let found = verify(db).await.expect("looked");
        assert!(found.is_clean(), "{found}");
        settled(bench).await;
    }
}

fn finished(outcome: &Outcome) {
    assert_eq!(outcome.matched, 1);
    assert_eq!(outcome.pending, []);
}

#[tokio::test]
async fn new_documents_are_filled_and_stored_paths_are_read() {
    on_both("nested_filled", async |bench| {
        let world = World::new(bench).await;
        let comment = plain(shown::<Comment>(bench, &world.comment).await);
        let (id, author) = (world.comment.into_raw(), world.user.id.into_raw());
        assert_eq!(
            comment,
            doc! {
                "_id": id, "author": author, "login": "ann", "author_name": "Ann", "motto": "I am Ann", "city": "Ulm",
            }
        );
        let user = shown::<User>(bench, &world.user.id).await;
        let stored = user.get_document("p").expect("a profile");
        assert_eq!(stored.get_str("displayName").ok(), Some("Ann"));
        world.follows(bench, &world.user).await;
        // A reference that is set brings its copies along.
        let other = User {
            id: Id::new(),
            login: "bob".to_owned(),
            profile: profile("Bob", "Bonn"),
            former: Some(home("Rome")),
        };
        User::insert(&bench.db, &other).await.expect("stored");
        Comment::update(&bench.db, world.comment)
            .set(|c| c.author, other.id)
            .await
            .expect("set");
        let comment = Comment::get(&bench.db, world.comment).await.expect("read");
        let comment = comment.expect("a comment");
        assert_eq!((&*comment.author_name, &*comment.city), ("Bob", "Bonn"));
        assert_eq!(comment.former_city.as_deref(), Some("Rome"));
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_nested_field_is_set_as_a_field_at_the_top_is() {
    on_both("nested_set", async |bench| {
        let db = &bench.db;
        let world = World::new(bench).await;
        let mut user = world.user.clone();
        user.profile.home.city = "Bonn".to_owned();
        user.profile.motto = Some("up".to_owned());
        let change = || {
            User::update(db, user.id)
                .set(|u| u.profile.home.city, "Bonn")
                .set(|u| u.profile.motto, "up")
        };
        finished(&change().await.expect("set"));
        world.follows(bench, &user).await;
        // Nothing changes: nothing has to follow.
        let r = revision::<User>(bench, &user.id).await;
        bench.forget();
        finished(&change().await.expect("set"));
        assert_eq!(bench.sent(), ["findAndModify"]);
        assert_eq!(revision::<User>(bench, &user.id).await, r);
        // Nor if the program sets a field that has no copies.
        user.profile.home.zip = 5;
        let zip = User::update(db, user.id).set(|u| u.profile.home.zip, 5_i64);
        finished(&zip.await.expect("set"));
        world.follows(bench, &user).await;
        // With an operator that is no `set`.
        user.profile.display_name = "Bo".to_owned();
        user.profile.home.zip = 6;
        let mixed = User::update(db, user.id)
            .set(|u| u.profile.display_name, "Bo")
            .inc(|u| u.profile.home.zip, 1);
        finished(&mixed.await.expect("set"));
        world.follows(bench, &user).await;
    })
    .await;
}

#[tokio::test]
async fn the_embedded_document_is_set_as_a_whole() {
    on_both("nested_whole", async |bench| {
        let db = &bench.db;
        let world = World::new(bench).await;
        let mut user = world.user.clone();
        user.profile = profile("Eve", "Rome");
        user.profile.motto = None;
        let change = || User::update(db, user.id).set(|u| u.profile, user.profile.clone());
        finished(&change().await.expect("set"));
        let comment = shown::<Comment>(bench, &world.comment).await;
        assert!(!comment.contains_key("motto"), "{comment}");
        world.follows(bench, &user).await;
        user.former = Some(home("Oslo"));
        let former = || User::update(db, user.id).set(|u| u.former, user.former.clone());
        finished(&former().await.expect("set"));
        world.follows(bench, &user).await;
        let r = revision::<User>(bench, &user.id).await;
        bench.forget();
        finished(&former().await.expect("set"));
        assert_eq!(bench.sent(), ["findAndModify"]);
        assert_eq!(revision::<User>(bench, &user.id).await, r);
        // Inside a document that may be absent.
        user.former = Some(home("Bern"));
        let inside = User::update(db, user.id).set(|u| u.former.city, "Bern");
        finished(&inside.await.expect("set"));
        world.follows(bench, &user).await;
    })
    .await;
}

#[tokio::test]
async fn what_is_unset_is_absent_from_copies() {
    on_both("nested_unset", async |bench| {
        let db = &bench.db;
        let world = World::new(bench).await;
        let mut user = world.user.clone();
        user.former = Some(home("Oslo"));
        let changed = User::update(db, user.id).set(|u| u.former, user.former.clone());
        finished(&changed.await.expect("set"));
        world.follows(bench, &user).await;
        user.profile.motto = None;
        let changed = User::update(db, user.id).unset(|u| u.profile.motto);
        finished(&changed.await.expect("unset"));
        world.follows(bench, &user).await;
        user.former = None;
        let changed = User::update(db, user.id).unset(|u| u.former);
        finished(&changed.await.expect("unset"));
        let comment = shown::<Comment>(bench, &world.comment).await;
        assert!(!comment.contains_key("former_city"), "{comment}");
        world.follows(bench, &user).await;
        // Null is no document either.
        let null = User::update(db, user.id).set(|u| u.former, None);
        finished(&null.await.expect("set"));
        world.follows(bench, &user).await;
    })
    .await;
}

#[tokio::test]
async fn a_save_and_an_update_of_many() {
    on_both("nested_save", async |bench| {
        let db = &bench.db;
        let world = World::new(bench).await;
        let mut user = world.user.clone();
        user.profile.display_name = "Eve".to_owned();
        user.profile.motto = None;
        user.profile.home.city = "Rome".to_owned();
        user.former = Some(home("Oslo"));
        finished(&user.save(db).await.expect("saved"));
        world.follows(bench, &user).await;
        user.profile.display_name = "Adam".to_owned();
        user.former = None;
        let many = User::update_many(db, |u| u.login.eq("ann"))
            .set(|u| u.profile.display_name, "Adam")
            .unset(|u| u.former);
        finished(&many.await.expect("changed"));
        world.follows(bench, &user).await;
        let only_if = User::update(db, user.id)
            .only_if(|u| u.profile.display_name.eq("Adam"))
            .set(|u| u.profile.display_name, "Seth");
        assert!(only_if.await.expect("changed").is_done());
        user.profile.display_name = "Seth".to_owned();
        world.follows(bench, &user).await;
        // Whole documents with copies are saved as they are.
        let comment = Comment::get(db, world.comment).await.expect("read");
        let mut comment = comment.expect("a comment");
        comment.author_name = "?".to_owned();
        comment.save(db).await.expect("saved");
        world.follows(bench, &user).await;
    })
    .await;
}

#[tokio::test]
async fn stale_copies_are_seen_and_repaired_and_lacking_ones_filled() {
    on_both("nested_repair", async |bench| {
        let db = &bench.db;
        let world = World::new(bench).await;
        let user = &world.user;
        let change = async |set: Document, unset: Document| {
            let update = doc! { "$set": set, "$unset": unset };
            let id = doc! { "_id": world.comment.into_raw() };
            let comments = bench.raw("n_comments");
            comments.update_one(id, update).await.expect("changed");
            bench.forget();
        };
        change(
            doc! { "city": "Rome", "former_city": "Oslo" },
            doc! { "motto": "" },
        )
        .await;
        let found = verify(db).only::<Comment>().await.expect("looked");
        let edge = found.reference("n_comments.author").expect("an edge");
        assert_eq!(edge.count(Defect::Stale), 3, "{found}");
        let done = repair(db).await.expect("repaired");
        assert_eq!(done.refused, []);
        world.follows(bench, user).await;

        change(
            doc! {},
            doc! { "city": "", "author_name": "", "_r_author": "" },
        )
        .await;
        let done = backfill(db).await.expect("filled");
        assert_eq!((done.lacking, done.refused.len()), (1, 0));
        world.follows(bench, user).await;
        assert!(backfill(db).await.expect("looked").is_idle());

        // A parent document that is gone altogether, written by another program.
        let users = bench.raw("n_users");
        let id = doc! { "_id": user.id.into_raw() };
        let gone = users.update_one(id, doc! { "$unset": { "p": "" } }).await;
        gone.expect("changed");
        repair(db).await.expect("repaired");
        let comment = shown::<Comment>(bench, &world.comment).await;
        for copy in ["author_name", "motto", "city"] {
            assert!(!comment.contains_key(copy), "{comment}");
        }
        assert_eq!(comment.get("login"), Some(&Bson::from("ann")));
    })
    .await;
}
