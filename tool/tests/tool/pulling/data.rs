//! A database with known answers: what `pull` should find in it, and 10 to 20 per cent of dirt.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};
use mongodb::options::IndexOptions;
use mongodb::{Database, IndexModel};

/// Numbers that look random and are the same in every run.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    /// True in so many of 100 cases.
    pub(super) fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    pub(super) fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    pub(super) fn word(&mut self) -> String {
        (0..3)
            .map(|_| self.of(&["ka", "lo", "mi", "ne", "ru", "so", "ta", "vi", "zu", "be"]))
            .collect()
    }
}

/// The answers, as `kind collection.path`.
pub(super) const ANSWERS: &[&str] = &[
    "reference orders.user_id",
    "reference orders.lines.product",
    "reference orders.courier",
    "reference reviews.product_id",
    "reference reviews.author_email",
    "reference comments.post_id",
    "reference posts.author.id",
    "reference teams.members",
    "reference users.team_id",
    "reference categories.parent",
    "reference products.tag_ids",
    "reference products.category_id",
    "dangling reviews.product_id",
    "dangling reviews.author_email",
    "copy orders.user_name",
    "copy posts.author.name",
    "copy orders.lines.title",
    "copy reviews.author_name",
    "stale orders.user_name",
    "stale reviews.author_name",
    "snapshot orders.lines.price",
    "count posts.comment_count",
    "wrong_count posts.comment_count",
    "count posts.visible",
    "sum posts.likes",
    "wrong_sum posts.likes",
    "sum posts.visible_likes",
    "min posts.fewest_likes",
    "wrong_extreme posts.fewest_likes",
    "max posts.active",
    "undeclared_average posts.mean_likes",
    "avg posts.rating",
    "wrong_average posts.rating",
    "two_way teams.members",
    "two_way users.team_id",
    "enum users.status",
    "enum jobs.state",
    "enum jobs.queue",
    "enum jobs.currency",
    "enum orders.state",
    "enum products.sizes",
    "nearly_enum users.tier",
    "tagged events.kind",
    "tagged orders.payment.type",
    "map products.stock",
    "map products.names",
    "shared orders.shipping",
    "date_as_string orders.placed",
    "date_as_string users.born",
    "money_as_float orders.total",
    "money_as_float products.price",
    "money_as_float orders.lines.price",
    "mixed_types users.phone",
    "mixed_types reviews.stars",
    "mixed_widths products.weight",
    "string_object_id tickets.buyer",
    "large_array sensors.readings",
    "null_array users.interests",
    "recursive threads.replies.replies",
    "index users.email_1",
    "index orders.state_1_placed_-1",
    "index places.at_2dsphere",
    "index sessions.seen_1",
    "index posts.words",
];

const COURIERS: [&str; 8] = [
    "DHL-1", "UPS-7", "GLS-3", "DPD-2", "FDX-9", "TNT-4", "POS-5", "HER-6",
];

/// The values that documents of several collections share.
struct World {
    random: Random,
    scale: usize,
    users: Vec<ObjectId>,
    names: Vec<String>,
    posts: Vec<ObjectId>,
    products: Vec<ObjectId>,
}

type Collection = (&'static str, Vec<Document>);

/// Fills a database. `scale` is the number of users; other collections have several times as many documents.
pub(super) async fn fill(db: &Database, scale: usize) {
    let mut random = Random::new(7);
    let names = (0..scale)
        .map(|n| format!("{} {n}", random.word()))
        .collect();
    let (users, posts, products) = (ids(scale), ids(scale), ids(scale));
    let mut world = World {
        random,
        scale,
        users,
        names,
        posts,
        products,
    };
    let goods = goods(&mut world);
    let mut all = orders(&mut world, &goods[0].1);
    all.extend(goods);
    for part in [people, talk, events, decoys] {
        all.extend(part(&mut world));
    }
    for (name, documents) in all {
        db.collection(name)
            .insert_many(documents)
            .await
            .expect("stored");
    }
    indexes(db).await;
}

fn ids(n: usize) -> Vec<ObjectId> {
    (0..n).map(|_| ObjectId::new()).collect()
}

fn email(n: usize) -> String {
    format!("user{n}@example.org")
}

/// Users and their teams.
fn people(world: &mut World) -> Vec<Collection> {
    let World {
        random,
        scale,
        users,
        names,
        ..
    } = world;
    let (scale, teams) = (*scale, ids(*scale / 10));
    let team_of: Vec<usize> = (0..scale).map(|n| n % teams.len()).collect();
    let statuses = ["active", "blocked", "new"];
    let tiers = ["free", "plus", "gold"];
    let people: Vec<Document> = (0..scale).map(|n| {
        let tier = if random.percent(12) { random.word() } else { random.of(&tiers).to_owned() };
        let phone = if random.percent(15) { Bson::Int64(49_170_000_000 + random.below(9_999) as i64) } else { Bson::String(format!("+49 {n}")) };
        let born = if random.percent(10) { "unknown".to_owned() } else { format!("19{:02}-0{}-1{}", 50 + random.below(50), 1 + random.below(9), random.below(9)) };
        let mut user = doc! {
            "_id": users[n], "name": &names[n], "email": email(n), "status": random.of(&statuses), "tier": tier, "phone": phone,
            "born": born, "address": address(random), "team_id": teams[team_of[n]],
        };
        match random.below(10) {
            0 => user.insert("interests", Bson::Null),
            _ => user.insert("interests", (0..random.below(5)).map(|_| random.word()).collect::<Vec<_>>()),
        };
        user
    }).collect();
    let groups: Vec<Document> = (0..teams.len())
        .map(|n| {
            let members: Vec<ObjectId> = (0..scale)
                .filter(|user| team_of[*user] == n)
                .map(|user| users[user])
                .collect();
            doc! { "_id": teams[n], "label": random.word(), "members": members }
        })
        .collect();
    vec![("users", people), ("teams", groups)]
}

/// Products, and what they refer to.
fn goods(world: &mut World) -> Vec<Collection> {
    let World {
        random,
        scale,
        products,
        ..
    } = world;
    let tags = ids(30);
    let categories = ids(20);
    let goods: Vec<Document> = (0..*scale).map(|n| {
        let weight = if random.percent(15) { Bson::Int32(3) } else { Bson::Double(0.125 + random.below(900) as f64 / 7.0) };
        let stock: Document = (0..1 + random.below(6)).map(|_| (format!("wh-{:03}", random.below(60)), Bson::Int32(random.below(500) as i32))).collect();
        let mut translated = doc! {};
        for language in ["en", "de", "fr", "it", "es"] {
            if random.percent(60) {
                translated.insert(language, random.word());
            }
        }
        let some: Vec<ObjectId> = (0..random.below(6)).map(|_| tags[random.below(tags.len())]).collect();
        let sizes: Vec<&str> = (0..random.below(4)).map(|_| random.of(&["S", "M", "L", "XL"])).collect();
        doc! {
            "_id": products[n], "title": format!("{} {n}", random.word()), "price": 1.0 + random.below(90_000) as f64 / 100.0, "weight": weight,
            "stock": stock, "names": translated, "tag_ids": some, "category_id": categories[random.below(categories.len())], "sizes": sizes,
        }
    }).collect();
    let labels: Vec<Document> = tags
        .iter()
        .map(|id| doc! { "_id": id, "label": random.word() })
        .collect();
    let tree: Vec<Document> = categories
        .iter()
        .enumerate()
        .map(|(n, id)| {
            let parent = if n < 4 {
                Bson::Null
            } else {
                categories[random.below(4)].into()
            };
            doc! { "_id": id, "title": random.word(), "parent": parent }
        })
        .collect();
    let carriers: Vec<Document> = COURIERS
        .iter()
        .map(|code| doc! { "_id": *code, "fee": 3 })
        .collect();
    vec![
        ("products", goods),
        ("tags", labels),
        ("categories", tree),
        ("couriers", carriers),
    ]
}

/// Orders and reviews of products.
fn orders(world: &mut World, goods: &[Document]) -> Vec<Collection> {
    let World {
        random,
        scale,
        users,
        names,
        products,
        ..
    } = world;
    let (scale, now) = (*scale, DateTime::now().timestamp_millis());
    let orders: Vec<Document> = (0..scale * 3).map(|n| {
        let age = now - (scale as i64 * 3 - n as i64) * 3_600_000;
        let old = n < scale / 2;
        let user = random.below(scale);
        let user_name = if random.percent(12) { format!("{} former", names[user]) } else { names[user].clone() };
        let lines: Vec<Document> = (0..1 + random.below(4)).map(|_| {
            let product = random.below(scale);
            // The oldest orders keep prices of their time.
            let price = goods[product].get_f64("price").expect("a price") + if old { 1.5 } else { 0.0 };
            doc! { "product": products[product], "title": goods[product].get_str("title").expect("a title"), "price": price, "amount": 1 + random.below(5) as i32 }
        }).collect();
        let payment = match random.below(3) {
            0 => doc! { "type": "card", "last4": format!("{:04}", random.below(9_999)), "expires": "12/30" },
            1 => doc! { "type": "iban", "iban": format!("DE{}", random.below(99_999)), "bank": random.word() },
            _ => doc! { "type": "invoice", "days": 30_i32 },
        };
        let placed = if random.percent(10) { "soon".to_owned() } else { format!("2024-0{}-1{} 10:00:00", 1 + random.below(9), random.below(9)) };
        doc! {
            "_id": id_at(age, n), "user_id": users[user], "user_name": user_name, "shipping": address(random), "lines": lines, "payment": payment,
            "placed": placed, "total": random.below(90_000) as f64 / 100.0, "state": random.of(&["open", "paid", "sent"]), "courier": random.of(&COURIERS),
        }
    }).collect();

    let reviews: Vec<Document> = (0..scale * 2).map(|_| {
        let author = random.below(scale);
        let product = if random.percent(15) { ObjectId::new() } else { products[random.below(scale)] };
        let mail = if random.percent(10) { format!("{}@gone.org", random.word()) } else { email(author) };
        let author_name = if random.percent(10) { random.word() } else { names[author].clone() };
        let stars = if random.percent(12) { Bson::String("five".to_owned()) } else { Bson::Int32(1 + random.below(5) as i32) };
        doc! { "product_id": product, "author_email": mail, "author_name": author_name, "stars": stars, "text": random.word() }
    }).collect();
    vec![("orders", orders), ("reviews", reviews)]
}

/// Posts and their comments.
fn talk(world: &mut World) -> Vec<Collection> {
    let World {
        random,
        scale,
        users,
        names,
        posts,
        ..
    } = world;
    let scale = *scale;
    let mut numbers = vec![[0_i32; 4]; scale];
    let mut fewest: Vec<Option<i32>> = vec![None; scale];
    let mut active: Vec<Option<DateTime>> = vec![None; scale];
    let comments: Vec<Document> = (0..scale * 3)
        .zip(0..)
        .map(|(_, n)| {
            let at = DateTime::from_millis(1_700_000_000_000 + n * 60_000);
            let (post, likes, hidden) = (
                random.below(scale),
                random.below(40) as i32,
                random.percent(30),
            );
            let of_visible = i32::from(!hidden);
            for (number, add) in
                numbers[post]
                    .iter_mut()
                    .zip([1, of_visible, likes, likes * of_visible])
            {
                *number += add;
            }
            fewest[post] = Some(fewest[post].map_or(likes, |fewest| fewest.min(likes)));
            active[post] = Some(at);
            doc! { "post_id": posts[post], "text": random.word(), "likes": likes, "hidden": hidden, "at": at }
        })
        .collect();
    let written: Vec<Document> = (0..scale).map(|n| {
        let author = random.below(scale);
        let mut wrong = || i32::from(random.percent(12));
        let [answers, visible, likes, visible_likes] = numbers[n];
        let mean = (answers > 0).then(|| f64::from(likes) / f64::from(answers));
        let mean = mean.map(|mean| (mean * 100.0).round() / 100.0);
        let rated = i64::from(likes) + i64::from(n % 10 == 7);
        let rating = doc! { "sum": rated, "n": i64::from(answers) };
        let fewest = fewest[n].map(|fewest| fewest + i32::from(n % 10 == 3));
        let (answers, likes) = (answers + wrong(), likes + wrong());
        doc! {
            "_id": posts[n], "title": random.word(), "author": { "id": users[author], "name": &names[author] },
            "comment_count": answers, "visible": visible, "likes": likes, "visible_likes": visible_likes,
            "fewest_likes": fewest, "active": active[n], "mean_likes": mean, "rating": rating,
        }
    }).collect();
    vec![("comments", comments), ("posts", written)]
}

/// Documents of several kinds, large arrays, places.
fn events(world: &mut World) -> Vec<Collection> {
    let World {
        random,
        scale,
        users,
        ..
    } = world;
    let scale = *scale;
    let events: Vec<Document> = (0..scale * 2).map(|_| match random.below(3) {
        0 => doc! { "kind": "click", "at": DateTime::now(), "x": random.below(900) as i32, "y": random.below(900) as i32 },
        1 => doc! { "kind": "purchase", "at": DateTime::now(), "cents": random.below(900) as i32, "currency": "EUR" },
        _ => doc! { "kind": "login", "at": DateTime::now(), "ip": format!("10.0.0.{}", random.below(250)) },
    }).collect();
    let tickets: Vec<Document> = (0..scale)
        .map(|n| {
            let buyer = if random.percent(12) {
                "guest".to_owned()
            } else {
                users[random.below(scale)].to_hex()
            };
            doc! { "buyer": buyer, "seat": format!("A{n}") }
        })
        .collect();
    let sensors: Vec<Document> = (0..10)
        .map(|n: i32| {
            let readings: Vec<Document> = (0..200 + random.below(200))
                .map(|_| doc! { "at": DateTime::now(), "value": random.below(99) as f64 / 8.0 })
                .collect();
            doc! { "_id": n, "readings": readings }
        })
        .collect();
    let threads: Vec<Document> = (0..20).map(|_| doc! {
        "text": random.word(), "replies": [{ "text": random.word(), "replies": [{ "text": random.word(), "replies": [] }] }],
    }).collect();
    let places: Vec<Document> = (0..50).map(|_| doc! {
        "at": { "type": "Point", "coordinates": [random.below(180) as f64 / 2.0, random.below(90) as f64 / 2.0] }, "label": random.word(),
    }).collect();
    vec![
        ("events", events),
        ("tickets", tickets),
        ("sensors", sensors),
        ("threads", threads),
        ("places", places),
    ]
}

/// Documents that refer to nothing, repeat nothing and count nothing.
fn decoys(world: &mut World) -> Vec<Collection> {
    let World { random, scale, .. } = world;
    let scale = *scale;
    let jobs: Vec<Document> = (0..scale)
        .map(|n| {
            let mut job = doc! {
                "state": "waiting", "queue": random.of(&["mail", "export"]), "priority": 1 + random.below(5) as i32, "tries": random.below(4) as i32,
                "currency": if random.percent(5) { "USD" } else { "EUR" }, "owner_label": random.word(), "user_count": random.below(40) as i32,
                "options": { "retry": true, "limit": 5, "name": random.word(), "after": DateTime::now() }, "checksum": format!("{n:024x}"),
            };
            if n % 3 == 0 {
                job.insert("state", "done");
                job.insert("finished", DateTime::now());
            }
            job
        })
        .collect();
    let levels: Vec<Document> = (1..=10)
        .map(|n: i32| doc! { "_id": n, "label": random.word(), "currency": "EUR" })
        .collect();
    let sessions: Vec<Document> = (0..50)
        .map(|_| doc! { "seen": DateTime::now(), "token": random.word() })
        .collect();
    vec![("jobs", jobs), ("levels", levels), ("sessions", sessions)]
}

async fn indexes(db: &Database) {
    let unique = IndexOptions::builder().unique(true).build();
    let expiring = IndexOptions::builder()
        .expire_after(std::time::Duration::from_secs(86_400))
        .build();
    let named = IndexOptions::builder().name("words".to_owned()).build();
    for (collection, keys, options) in [
        ("users", doc! { "email": 1 }, Some(unique)),
        ("orders", doc! { "state": 1, "placed": -1 }, None),
        ("places", doc! { "at": "2dsphere" }, None),
        ("sessions", doc! { "seen": 1 }, Some(expiring)),
        ("posts", doc! { "title": "text" }, Some(named)),
    ] {
        let index = IndexModel::builder().keys(keys).options(options).build();
        db.collection::<Document>(collection)
            .create_index(index)
            .await
            .expect("built");
    }
}

fn address(random: &mut Random) -> Document {
    let mut address = doc! { "street": random.word(), "city": random.word(), "zip": format!("{:05}", random.below(99_999)) };
    if random.percent(15) {
        address.insert("floor", random.below(9) as i32);
    }
    address
}

/// An ObjectId of that time.
fn id_at(millis: i64, n: usize) -> ObjectId {
    let seconds = u32::try_from(millis / 1000).expect("a time of today");
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&seconds.to_be_bytes());
    bytes[4..].copy_from_slice(&(n as u64).to_be_bytes());
    ObjectId::from_bytes(bytes)
}
