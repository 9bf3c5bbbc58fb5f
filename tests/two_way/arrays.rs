//! Both sides are arrays.

use mongo_model::{Error, Id, MongoModel};

use crate::common::{Bench, assert_too_long, on_both};
use crate::two_way::models::{Club, Person, club, done, ids, list, person, stored, three};
use crate::two_way::settled::{everything, settled, shown};

async fn members(bench: &Bench, club: &Club) -> Vec<bson::Bson> {
    let mut members = ids(&shown::<Club>(bench, &club.id).await, "members");
    members.sort_by_key(bson::Bson::to_string);
    members
}

// C06, C10, C12: from either side, twice, once on both sides; k others cost one update of each side.
#[tokio::test]
async fn either_side_is_changed() {
    on_both("2w_clubs", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let (chess, golf) = (club(&[]), club(&[&ann, &cay]));
        for club in [&chess, &golf] {
            done(Club::insert(db, club).await);
        }
        assert_eq!(list(bench, &ann, "clubs").await, stored(&[golf.id]));
        for _ in 0..2 {
            done(Club::add_member(db, chess.id, bob.id).await);
            done(Person::add_club(db, ann.id, chess.id).await);
            assert_eq!(members(bench, &chess).await, stored(&[ann.id, bob.id]));
            assert_eq!(list(bench, &bob, "clubs").await, stored(&[chess.id]));
            assert_eq!(
                list(bench, &ann, "clubs").await,
                stored(&[chess.id, golf.id])
            );
            settled(bench).await;
        }
        for _ in 0..2 {
            done(Club::remove_member(db, golf.id, ann.id).await);
            done(Person::remove_club(db, bob.id, chess.id).await);
            assert_eq!(members(bench, &golf).await, stored(&[cay.id]));
            assert_eq!(members(bench, &chess).await, stored(&[ann.id]));
            assert_eq!(list(bench, &bob, "clubs").await, []);
            assert_eq!(list(bench, &ann, "clubs").await, stored(&[chess.id]));
            settled(bench).await;
        }
        bench.forget();
        done(Club::replace_members(db, chess.id, [bob.id, cay.id, ann.id, bob.id]).await);
        // The club as it is, places in the lists; the club, the lists of both, the flag off, the marks off.
        assert_eq!(
            bench.sent(),
            [
                "find",
                "update",
                "findAndModify",
                "update",
                "update",
                "update"
            ]
        );
        for person in [&ann, &bob] {
            assert_eq!(list(bench, person, "clubs").await, stored(&[chess.id]));
        }
        done(Person::replace_clubs(db, cay.id, [chess.id]).await);
        assert_eq!(members(bench, &golf).await, []);
        assert_eq!(
            members(bench, &chess).await,
            stored(&[ann.id, bob.id, cay.id])
        );
        done(Person::replace_clubs(db, cay.id, [golf.id; 1]).await);
        assert_eq!(members(bench, &golf).await, stored(&[cay.id]));
        assert_eq!(members(bench, &chess).await, stored(&[ann.id, bob.id]));
        settled(bench).await;
    })
    .await;
}

// C02, C03: saving a document with other members updates their lists.
#[tokio::test]
async fn saved_members_are_followed() {
    on_both("2w_clubs_saved", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let mut chess = club(&[&ann, &bob]);
        done(Club::insert(db, &chess).await);
        chess.members = vec![cay.id];
        done(chess.save(db).await);
        assert_eq!(list(bench, &ann, "clubs").await, []);
        assert_eq!(list(bench, &cay, "clubs").await, stored(&[chess.id]));
        settled(bench).await;
        // The other side is kept by the library: what a stale document says of it counts for nothing.
        done(cay.save(db).await);
        assert_eq!(list(bench, &cay, "clubs").await, stored(&[chess.id]));
        chess.members.clear();
        done(chess.save(db).await);
        assert_eq!(list(bench, &cay, "clubs").await, []);
        settled(bench).await;
    })
    .await;
}

// Which of two arrays is the truth is in their names: a save that changes the other is refused, not passed over.
#[tokio::test]
async fn a_save_that_changes_the_array_that_follows_is_refused() {
    on_both("2w_clubs_refused", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = three(bench).await;
        let (chess, golf) = (club(&[&ann]), club(&[]));
        for club in [&chess, &golf] {
            done(Club::insert(db, club).await);
        }
        let before = everything(bench).await;
        let read = Person::get(db, ann.id).await.expect("read").expect("there");
        assert_eq!(read.clubs, [chess.id]);
        let refused = async |clubs: Vec<Id<Club>>| {
            let changed = Person {
                name: "new".to_owned(),
                clubs,
                ..read.clone()
            };
            match changed.save(db).await {
                Err(Error::DerivedField { model, field }) => {
                    assert_eq!((model, &*field), ("Person", "clubs"));
                }
                other => panic!("{other:?}"),
            }
        };
        refused(vec![chess.id, golf.id]).await;
        refused(vec![golf.id]).await;
        let other = Person {
            friends: vec![bob.id],
            ..read.clone()
        };
        let refused = other.save(db).await;
        assert!(
            matches!(refused, Err(Error::DerivedField { .. })),
            "{refused:?}"
        );
        assert_eq!(everything(bench).await, before);
        // As it was read, it is saved.
        done(
            Person {
                name: "new".to_owned(),
                ..read
            }
            .save(db)
            .await,
        );
        assert_eq!(list(bench, &ann, "clubs").await, stored(&[chess.id]));
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn several_elements_change_in_one_call() {
    on_both("2w_clubs_several", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let (chess, golf) = (club(&[]), club(&[]));
        for club in [&chess, &golf] {
            done(Club::insert(db, club).await);
        }
        for _ in 0..2 {
            done(Club::add_members(db, chess.id, [ann.id, bob.id, ann.id]).await);
            done(Person::add_clubs(db, cay.id, vec![&golf.id, &chess.id]).await);
            assert_eq!(
                members(bench, &chess).await,
                stored(&[ann.id, bob.id, cay.id])
            );
            assert_eq!(members(bench, &golf).await, stored(&[cay.id]));
            assert_eq!(list(bench, &bob, "clubs").await, stored(&[chess.id]));
            settled(bench).await;
        }
        for _ in 0..2 {
            done(Club::remove_members(db, chess.id, [ann.id, bob.id]).await);
            done(Person::remove_clubs(db, cay.id, [golf.id]).await);
            assert_eq!(members(bench, &chess).await, stored(&[cay.id]));
            assert_eq!(members(bench, &golf).await, []);
            assert_eq!(list(bench, &ann, "clubs").await, []);
            assert_eq!(list(bench, &cay, "clubs").await, stored(&[chess.id]));
            settled(bench).await;
        }
        bench.forget();
        done(Club::add_members(db, chess.id, [ann.id, bob.id]).await);
        let several = bench.sent();
        done(Club::add_member(db, golf.id, ann.id).await);
        assert_eq!(bench.sent(), several);
        done(Club::add_members(db, golf.id, Vec::<Id<Person>>::new()).await);
        assert_eq!(members(bench, &golf).await, stored(&[ann.id]));
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn arrays_have_bounds_on_both_sides() {
    on_both("2w_clubs_full", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let dan = person("dan");
        done(Person::insert(db, &dan).await);
        let clubs = [
            club(&[&ann, &bob, &cay]),
            club(&[&ann]),
            club(&[&ann]),
            club(&[]),
        ];
        for club in &clubs {
            done(Club::insert(db, club).await);
        }
        let before = everything(bench).await;
        let full = |result: mongo_model::Result<_>, what: &str| match result {
            Err(Error::Full { field, max: 3 }) => assert_eq!(field, what),
            other => panic!("{other:?}"),
        };
        full(
            Club::add_member(db, clubs[0].id, dan.id).await,
            "Club.members",
        );
        full(
            Person::add_club(db, dan.id, clubs[0].id).await,
            "Club.members",
        );
        full(
            Club::add_member(db, clubs[3].id, ann.id).await,
            "Person.clubs",
        );
        full(
            Person::add_club(db, ann.id, clubs[3].id).await,
            "Person.clubs",
        );
        full(
            Club::add_members(db, clubs[1].id, [bob.id, cay.id, dan.id]).await,
            "Club.members",
        );
        full(
            Person::add_clubs(db, dan.id, [clubs[1].id, clubs[0].id]).await,
            "Club.members",
        );
        full(
            Club::add_members(db, clubs[3].id, [bob.id, ann.id]).await,
            "Person.clubs",
        );
        let four = clubs.iter().map(|club| club.id);
        let long = Person::replace_clubs(db, dan.id, four).await;
        assert_too_long(long, "clubs", 3);
        let nobody = Id::<Person>::new();
        let dangling = Club::add_member(db, clubs[3].id, nobody).await;
        assert!(
            matches!(dangling, Err(Error::Dangling { .. })),
            "{dangling:?}"
        );
        let unknown = Person::add_club(db, nobody, clubs[3].id).await;
        assert!(
            matches!(unknown, Err(Error::NotFound { .. })),
            "{unknown:?}"
        );
        let unknown = Club::add_member(db, Id::new(), dan.id).await;
        assert!(
            matches!(unknown, Err(Error::NotFound { .. })),
            "{unknown:?}"
        );
        assert_eq!(everything(bench).await, before);
        settled(bench).await;
    })
    .await;
}

// A field that is its own other side.
#[tokio::test]
async fn friends_have_each_other() {
    on_both("2w_friends", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let of = async |person| list(bench, person, "friends").await;
        for _ in 0..2 {
            done(Person::add_friend(db, bob.id, ann.id).await);
            done(Person::add_friend(db, bob.id, cay.id).await);
            assert_eq!(of(&ann).await, stored(&[bob.id]));
            assert_eq!(of(&bob).await, stored(&[ann.id, cay.id]));
            assert_eq!(of(&cay).await, stored(&[bob.id]));
            settled(bench).await;
        }
        done(bob.save(db).await);
        assert_eq!(of(&bob).await, stored(&[ann.id, cay.id]));
        for _ in 0..2 {
            done(Person::replace_friends(db, cay.id, [ann.id]).await);
            assert_eq!(of(&ann).await, stored(&[bob.id, cay.id]));
            assert_eq!(of(&bob).await, stored(&[ann.id]));
            assert_eq!(of(&cay).await, stored(&[ann.id]));
            settled(bench).await;
        }
        for _ in 0..2 {
            done(Person::remove_friend(db, bob.id, ann.id).await);
            done(Person::remove_friend(db, ann.id, cay.id).await);
            for person in [&ann, &bob, &cay] {
                assert_eq!(of(person).await, []);
            }
            settled(bench).await;
        }
        let own = Person::add_friend(db, ann.id, ann.id).await;
        assert!(matches!(own, Err(Error::Impossible { .. })), "{own:?}");
    })
    .await;
}
