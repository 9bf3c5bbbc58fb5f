//! `costs()` of each model is the number of commands that its writes send.

mod measure;
mod models;
mod walled;

use bson::DateTime;
use mongo_model::{Database, MongoModel, settle};

use self::measure::{Behind, measured, on_both};
use self::models::*;

fn maker(id: i32) -> Maker {
    Maker {
        id,
        name: "Bolt & Co".to_owned(),
        city: "Bern".to_owned(),
        note: String::new(),
    }
}

fn item(id: i32) -> Item {
    let Maker { name, city, .. } = maker(0);
    Item {
        id,
        size: 4,
        maker: 0,
        maker_name: name,
        maker_city: city,
    }
}

fn post(id: i32) -> Post {
    Post {
        id,
        topic: 0,
        topic_title: "screws".to_owned(),
        maker: 0,
        maker_name: maker(0).name,
        at: DateTime::from_millis(id.into()),
        text: "text".to_owned(),
        hidden: false,
    }
}

/// Checks what `costs()` says of inserts and deletes.
macro_rules! check {
    ($bench:expr, $model:ty, $new:expr) => {
        check!($bench, $model, $new, Behind::After)
    };
    ($bench:expr, $model:ty, $new:expr, $behind:expr) => {{
        let costs = <$model>::meta().costs();
        let new = $new;
        let what = stringify!($model);
        let insert = async |db: &Database, n| {
            <$model>::insert(db, &new(n)).await.expect("stored");
        };
        let nothing = async |_: &Database, _| {};
        let insert_costs = (costs.insert, $behind);
        measured(
            $bench,
            &format!("insert {what}"),
            insert_costs,
            nothing,
            insert,
        )
        .await;
        let prepare = async |db: &Database, n| {
            <$model>::insert(db, &new(1_000 + n)).await.expect("stored");
        };
        let delete = async |db: &Database, n| {
            <$model>::delete(db, 1_000 + n).await.expect("deleted");
        };
        if let Some(costs) = costs.delete_unreferenced {
            let costs = (costs, Behind::After);
            measured($bench, &format!("delete {what}"), costs, prepare, delete).await;
        }
        $bench.indexes(<$model>::meta()).await;
    }};
}

/// Checks what `costs()` says of an update of one field. The document 0 is changed.
macro_rules! check_update {
    ($bench:expr, $model:ty, $costs:expr, $field:ident, $value:expr) => {
        check_update!($bench, $model, $costs, $field, $value, Behind::After)
    };
    ($bench:expr, $model:ty, $costs:expr, $field:ident, $value:expr, $behind:expr) => {{
        let value = $value;
        let what = format!("update {}.{}", stringify!($model), stringify!($field));
        let nothing = async |_: &Database, _| {};
        let update = async |db: &Database, n| {
            let update = <$model>::update(db, 0).set(|m| m.$field, value(n));
            update.await.expect("updated");
        };
        measured($bench, &what, ($costs, $behind), nothing, update).await;
    }};
}

macro_rules! store {
    ($bench:expr, $($new:expr),*) => {{
        $( $new.save(&$bench.db).await.expect("stored"); )*
        settle(&$bench.db).await;
    }};
}

#[tokio::test]
async fn models_that_take_part_in_nothing() {
    on_both("cost_plain", async |bench| {
        let models = [Tag::meta(), Depot::meta(), Crate::meta()];
        bench.index(&models).await;
        let tag = |id| Tag {
            id,
            label: "a".to_owned(),
        };
        let depot = |id| Depot {
            id,
            name: "a".to_owned(),
        };
        store!(bench, tag(0), depot(0));
        check!(bench, Tag, tag);
        let costs = Tag::meta().costs();
        check_update!(bench, Tag, costs.update, label, |n| format!("label {n}"));
        assert_eq!(costs.update_followed, None);
        check!(bench, Depot, depot);
        check!(bench, Crate, |id| Crate { id, depot: 0 });
    })
    .await;
}

#[tokio::test]
async fn sources_and_their_copies() {
    on_both("cost_copies", async |bench| {
        let models = [
            Maker::meta(),
            Item::meta(),
            Offer::meta(),
            Shelf::meta(),
            Badge::meta(),
            Post::meta(),
            Errand::meta(),
            Chapter::meta(),
        ];
        bench.index(&models).await;
        let offer = |id| Offer {
            id,
            item: 0,
            maker_name: maker(0).name,
            size: 4,
        };
        let shelf = |id| Shelf {
            id,
            makers: [0, 2_000]
                .map(|id| ShelfMaker {
                    id,
                    name: maker(id).name,
                })
                .to_vec(),
        };
        store!(bench, maker(0), maker(2_000), item(0), offer(0), shelf(0));
        let costs = Maker::meta().costs();
        check_update!(bench, Maker, costs.update, note, |n| format!("note {n}"));
        // The copies of one item are copied further while its flag goes.
        let followed = costs.update_followed.expect("copied");
        let name = |n| format!("name {n}");
        check_update!(bench, Maker, followed, name, name, Behind::Beside);
        store!(bench, maker(0));
        check!(bench, Maker, maker);
        check!(bench, Item, item);
        check!(bench, Offer, offer);
        check!(bench, Badge, |id| Badge { id, maker: 0 });
        check!(bench, Shelf, shelf);
        let costs = Item::meta().costs();
        assert_eq!(costs.update_followed, None, "frozen copies do not follow");
        check_update!(bench, Item, costs.update, size, |n| n);
    })
    .await;
}

#[tokio::test]
async fn children_that_parents_list_and_count() {
    on_both("cost_children", async |bench| {
        let models = [
            Maker::meta(),
            Topic::meta(),
            Post::meta(),
            Room::meta(),
            Hotel::meta(),
            Guest::meta(),
            Errand::meta(),
        ];
        bench.index(&models).await;
        let topic = |id| Topic {
            id,
            title: "screws".to_owned(),
            last: Vec::new(),
            posts: 0,
        };
        let room = |id| Room {
            id,
            guests: 0,
            errands: 0,
        };
        let hotel = |id| Hotel {
            id,
            last: Vec::new(),
        };
        let guest = |id| Guest {
            id,
            room: 0,
            hotel: 0,
            name: "Ada".to_owned(),
            came: DateTime::MIN,
        };
        store!(bench, maker(0), topic(0), room(0), hotel(0));
        check!(bench, Post, post);
        store!(bench, post(0), guest(0));
        check!(bench, Topic, topic);
        check!(bench, Room, room);
        check!(bench, Hotel, hotel);
        check!(bench, Guest, guest);
        let costs = Post::meta().costs();
        let followed = costs.update_followed.expect("listed");
        check_update!(bench, Post, followed, text, |n| format!("text {n}"));
        check_update!(bench, Post, costs.update, hidden, |n| n % 2 == 0);
        let costs = Topic::meta().costs();
        let followed = costs.update_followed.expect("copied");
        check_update!(bench, Topic, followed, title, |n| format!("title {n}"));
        let costs = Guest::meta().costs();
        let followed = costs.update_followed.expect("listed");
        check_update!(bench, Guest, followed, name, |n| format!("name {n}"));
    })
    .await;
}

#[tokio::test]
async fn children_that_parents_add_up() {
    on_both("cost_sums", async |bench| {
        bench.index(&[Basket::meta(), Wish::meta()]).await;
        let basket = |id| Basket {
            id,
            wishes: 0,
            total: 0,
        };
        let wish = |id| Wish {
            id,
            basket: 0,
            price: 7,
            note: String::new(),
        };
        store!(bench, basket(0), wish(0));
        check!(bench, Basket, basket);
        check!(bench, Wish, wish);
        let costs = Wish::meta().costs();
        check_update!(bench, Wish, costs.update, note, |n| format!("note {n}"));
        let followed = costs.update_followed.expect("added up");
        check_update!(bench, Wish, followed, price, |n| n);
    })
    .await;
}

#[tokio::test]
async fn children_that_reserve_places() {
    on_both("cost_places", async |bench| {
        bench.index(&[Show::meta(), Seat::meta()]).await;
        let show = |id| Show {
            id,
            seats: 1_000,
            sold: 0,
            income: 0,
        };
        let seat = |id| Seat {
            id,
            show: 0,
            price: 7,
            note: String::new(),
        };
        store!(bench, show(0), seat(0));
        check!(bench, Show, show);
        check!(bench, Seat, seat);
        let costs = Seat::meta().costs();
        check_update!(bench, Seat, costs.update, note, |n| format!("note {n}"));
        let followed = costs.update_followed.expect("added up");
        check_update!(bench, Seat, followed, price, |n| n);
    })
    .await;
}

#[tokio::test]
async fn two_way_references() {
    on_both("cost_two_way", async |bench| {
        let models = [Person::meta(), Task::meta(), Errand::meta()];
        bench.index(&models).await;
        let person = |id| Person {
            id,
            tasks: Vec::new(),
            errands: Vec::new(),
        };
        let task = |id| Task {
            id,
            title: "a".to_owned(),
            owner: 0,
        };
        store!(bench, person(0), task(0));
        check!(bench, Person, person);
        check!(bench, Task, task);
        let costs = Task::meta().costs();
        check_update!(bench, Task, costs.update, title, |n| format!("title {n}"));
    })
    .await;
}

#[tokio::test]
async fn other_sides_with_a_history() {
    on_both("cost_other_sides", async |bench| {
        bench.index(&[Squad::meta(), Soldier::meta()]).await;
        let soldiers = Vec::new();
        store!(bench, Squad { id: 0, soldiers });
        check!(bench, Soldier, |id| Soldier { id, squad: 0 });
    })
    .await;
}

#[tokio::test]
async fn children_whose_parents_follow_in_separate_steps() {
    on_both("cost_steps", async |bench| {
        let models = [
            Maker::meta(),
            Person::meta(),
            Room::meta(),
            Errand::meta(),
            Volume::meta(),
            Chapter::meta(),
        ];
        bench.index(&models).await;
        let person = Person {
            id: 0,
            tasks: Vec::new(),
            errands: Vec::new(),
        };
        let room = Room {
            id: 0,
            guests: 0,
            errands: 0,
        };
        let volume = Volume {
            id: 0,
            last: Vec::new(),
            chapters: 0,
        };
        store!(bench, maker(0), maker(2_000), person, room, volume);
        // It is counted while the flag of its two-way reference goes.
        let errand = |id| Errand {
            id,
            owner: 0,
            room: 0,
            maker: 0,
            maker_name: maker(0).name,
        };
        check!(bench, Errand, errand, Behind::Beside);
        assert_eq!(Errand::meta().costs().delete_unreferenced, None);
        check!(bench, Chapter, |id| Chapter {
            id,
            volume: 0,
            page: id,
            makers: [0, 2_000]
                .map(|id| ChapterMaker {
                    id,
                    name: maker(id).name,
                })
                .to_vec(),
        });
    })
    .await;
}

#[tokio::test]
async fn references_with_other_rules() {
    on_both("cost_rules", async |bench| {
        let models = [
            Host::meta(),
            Line::meta(),
            Album::meta(),
            Photo::meta(),
            Frame::meta(),
        ];
        bench.index(&models).await;
        let host = |id| Host {
            id,
            code: format!("host {id}"),
            name: "a".to_owned(),
        };
        let line = |id| Line {
            id,
            host: host(0).code,
            host_name: "a".to_owned(),
        };
        let album = |id| Album {
            id,
            title: "a".to_owned(),
        };
        let frame = |id| Frame {
            id,
            album: Some(0),
            album_title: Some("a".to_owned()),
        };
        store!(bench, host(0), line(0), album(0), frame(0));
        check!(bench, Host, host);
        check!(bench, Line, line);
        check!(bench, Album, album);
        check!(bench, Photo, |id| Photo {
            id,
            album: 0,
            title: "a".to_owned(),
        });
        check!(bench, Frame, frame);
        let followed = Host::meta().costs().update_followed.expect("copied");
        check_update!(bench, Host, followed, name, |n| format!("name {n}"));
        let followed = Album::meta().costs().update_followed.expect("copied");
        check_update!(bench, Album, followed, title, |n| format!("title {n}"));
    })
    .await;
}

#[tokio::test]
async fn documents_of_a_tree() {
    on_both("cost_trees", async |bench| {
        bench.index(&[Branch::meta()]).await;
        let branch = |id, above| Branch {
            id,
            above,
            path: Vec::new(),
        };
        store!(bench, branch(0, None));
        check!(bench, Branch, |id| branch(id, Some(0)));
    })
    .await;
}

#[tokio::test]
async fn memberships() {
    on_both("cost_members", async |bench| {
        bench.index(&[Player::meta(), Club::meta()]).await;
        let player = |id| Player {
            id,
            name: "a".to_owned(),
            clubs: Vec::new(),
        };
        store!(bench, player(0), player(2_000));
        check!(bench, Club, |id| Club {
            id,
            members: [0, 2_000]
                .map(|player| Member {
                    player,
                    role: 1,
                    name: "a".to_owned(),
                })
                .to_vec(),
        });
        check!(bench, Player, player);
    })
    .await;
}

#[tokio::test]
async fn models_with_logs() {
    on_both("cost_logs", async |bench| {
        bench.index(&[Ledger::meta(), Bill::meta()]).await;
        let ledger = |id| Ledger {
            id,
            label: "a".to_owned(),
        };
        let bill = |id| Bill {
            id,
            label: "a".to_owned(),
        };
        store!(bench, ledger(0), bill(0));
        check!(bench, Ledger, ledger);
        let costs = Ledger::meta().costs();
        assert_eq!(costs.emit, None);
        check_update!(bench, Ledger, costs.update, label, |n| format!("label {n}"));

        check!(bench, Bill, bill);
        let costs = Bill::meta().costs();
        check_update!(bench, Bill, costs.update, label, |n| format!("label {n}"));
        let emit = costs.emit.expect("events");
        let nothing = async |_: &Database, _| {};
        let mut with_event = costs.update;
        with_event.behind += emit.behind;
        let update = async |db: &Database, n| {
            let update = Bill::update(db, 0).set(|b| b.label, format!("with {n}"));
            update.emit("changed".to_owned()).await.expect("updated");
        };
        let what = "update with an event";
        measured(bench, what, (with_event, Behind::After), nothing, update).await;
        let mut with_event = costs.delete_unreferenced.expect("no reference");
        with_event.awaited += emit.delete_awaited;
        with_event.round_trips += emit.delete_awaited;
        let prepare = async |db: &Database, n| {
            Bill::insert(db, &bill(2_000 + n)).await.expect("stored");
        };
        let delete = async |db: &Database, n| {
            let delete = Bill::delete(db, 2_000 + n).emit("gone".to_owned());
            delete.await.expect("deleted");
        };
        let what = "delete with an event";
        measured(bench, what, (with_event, Behind::After), prepare, delete).await;
    })
    .await;
}
