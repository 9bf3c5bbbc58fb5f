//! Personal fields in embedded documents, in arrays of them, and in the variants of a model that is an enum.

use bson::{Document, doc};
use mongo_model::personal::Certificate;
use mongo_model::{Error, Id, MongoEmbed, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use super::{PLANTED, hits};
use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Place {
    #[personal(erased = "no street")]
    street: String,
    city: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Number {
    kind: String,
    #[personal(erased = "{id}")]
    number: String,
    #[personal]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Sheet {
    #[serde(flatten)]
    place: Place,
    beside: Option<Place>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_members")]
struct Member {
    #[serde(rename = "_id")]
    id: Id<Member>,
    #[personal(erased = "gone")]
    name: String,
    home: Place,
    second: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    third: Option<Place>,
    sheet: Sheet,
    #[embed(max = 5)]
    numbers: Vec<Number>,
    /// As a whole: its own fields are covered.
    #[personal]
    shop: Option<Place>,
    #[version]
    version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Reply {
    #[parent(Member)]
    by: Id<Member>,
    #[personal(of = by, erased = "no reply")]
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Remark {
    #[parent(Member)]
    author: Id<Member>,
    #[denorm(from = Member, field = name)]
    author_name: String,
    #[personal(of = author, erased = "")]
    text: String,
    #[personal(of = author)]
    mood: Option<String>,
    #[personal(of = author, keep_for = "1y", reason = "disputes")]
    receipt: String,
    stars: i32,
    #[embed(max = 5)]
    replies: Vec<Reply>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_articles", history(skip(remarks)))]
struct Article {
    #[serde(rename = "_id")]
    id: Id<Article>,
    title: String,
    #[embed(max = 10)]
    remarks: Vec<Remark>,
    #[version]
    version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_letters")]
struct Letter {
    #[serde(rename = "_id")]
    id: Id<Letter>,
    #[parent(Member)]
    to: Id<Member>,
    #[denorm(from = Member, field = home.street)]
    street: String,
    #[denorm(from = Member, field = home)]
    place: Place,
    #[embed(max = 5)]
    #[denorm(from = Member, field = numbers)]
    numbers: Vec<Number>,
}

/// The whole array is the source of a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_minutes")]
struct Minutes {
    #[serde(rename = "_id")]
    id: Id<Minutes>,
    #[embed(max = 5)]
    notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Note {
    #[parent(Member)]
    by: Id<Member>,
    #[personal(of = by, erased = "no note")]
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_digests")]
struct Digest {
    #[serde(rename = "_id")]
    id: Id<Digest>,
    #[parent(Minutes)]
    of: Id<Minutes>,
    #[embed(max = 5)]
    #[denorm(from = Minutes, field = notes)]
    notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Caller {
    #[serde(rename = "_id")]
    id: Id<Contact>,
    #[personal(erased = "gone")]
    name: String,
    #[personal]
    number: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Visitor {
    #[serde(rename = "_id")]
    id: Id<Contact>,
    #[personal(erased = "gone")]
    name: String,
    at: Place,
    badge: i32,
    #[parent(Contact, on_delete = unset)]
    host: Option<Id<Contact>>,
    #[personal(of = host, erased = "no message")]
    message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_contacts")]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Contact {
    Caller(Caller),
    Visitor(Visitor),
}

fn place(text: &str) -> Place {
    Place {
        street: format!("street {text}"),
        city: "Bern".to_owned(),
    }
}

fn member(text: &str, second: Option<Place>) -> Member {
    let number = |kind: &str, note: Option<&str>| Number {
        kind: kind.to_owned(),
        number: format!("number {text}"),
        note: note.map(|note| format!("{note} {text}")),
    };
    Member {
        id: Id::new(),
        name: format!("name {text}"),
        home: place(text),
        third: second.clone(),
        sheet: Sheet {
            place: place(text),
            beside: second.clone(),
        },
        second,
        numbers: vec![number("home", Some("late")), number("work", None)],
        shop: Some(place(text)),
        version: 0,
    }
}

fn remark(author: Id<Member>, text: &str, replies: Vec<Reply>) -> Remark {
    Remark {
        author,
        author_name: String::new(),
        text: format!("text {text}"),
        mood: Some(format!("mood {text}")),
        receipt: "receipt".to_owned(),
        stars: 3,
        replies,
    }
}

/// Two members, who both have remarks and replies in all articles.
async fn planted(bench: &Bench, second: Option<Place>) -> (Id<Member>, Id<Member>) {
    let db = &bench.db;
    bench
        .index(&[
            Member::meta(),
            Article::meta(),
            Letter::meta(),
            Minutes::meta(),
            Digest::meta(),
        ])
        .await;
    let (one, two) = (
        member(PLANTED, second),
        member("other", Some(place("other"))),
    );
    let (id, other) = (one.id, two.id);
    Member::insert_many(db, &[one, two]).await.expect("members");
    let reply = |by, text: &str| Reply {
        by,
        text: format!("reply {text}"),
    };
    let article = |remarks| Article {
        id: Id::new(),
        title: "title".to_owned(),
        remarks,
        version: 0,
    };
    let all = [
        article(vec![
            remark(id, PLANTED, vec![reply(other, "other"), reply(id, PLANTED)]),
            remark(
                other,
                "other",
                vec![reply(id, PLANTED), reply(other, "other")],
            ),
            remark(id, PLANTED, Vec::new()),
        ]),
        article(vec![remark(other, "other", vec![reply(other, "other")])]),
        article(vec![remark(other, "other", vec![reply(id, PLANTED)])]),
        article(Vec::new()),
    ];
    Article::insert_many(db, &all).await.expect("articles");
    let letter = |to| Letter {
        id: Id::new(),
        to,
        street: String::new(),
        place: place(""),
        numbers: Vec::new(),
    };
    Letter::insert_many(db, &[letter(id), letter(other)])
        .await
        .expect("letters");
    let note = |by, text: &str| Note {
        by,
        text: text.to_owned(),
    };
    let minutes = [id, other].map(|by| Minutes {
        id: Id::new(),
        notes: vec![note(by, PLANTED), note(other, "other")],
    });
    let digests = minutes.clone().map(|minutes| Digest {
        id: Id::new(),
        of: minutes.id,
        notes: Vec::new(),
    });
    let mut minutes = minutes;
    minutes[1].notes.truncate(0);
    Minutes::insert_many(db, &minutes).await.expect("minutes");
    Digest::insert_many(db, &digests).await.expect("digests");
    bench.forget();
    (id, other)
}

fn erased(certificate: &Certificate) -> Vec<(&str, &str, Vec<&str>, u64)> {
    let erased = certificate.erased.iter();
    erased
        .map(|one| {
            let fields = one.fields.iter().map(String::as_str).collect();
            (
                one.collection,
                one.reference.as_str(),
                fields,
                one.documents,
            )
        })
        .collect()
}

/// The articles without what the library stores in them.
async fn articles(bench: &Bench) -> Vec<Article> {
    let mut all: Vec<Article> = Article::scan(&bench.db, |a| a.all()).await.expect("read");
    all.sort_by_key(|article| article.id);
    all
}

#[tokio::test]
async fn an_erase_changes_the_elements_of_one_person() {
    on_both("nested", async |bench| {
        let second = Some(place(PLANTED));
        let (db, (id, other)) = (&bench.db, planted(bench, second).await);
        let before = articles(bench).await;
        let untouched = Member::get(db, other).await.expect("read");
        let certificate = Member::erase(db, id).await.expect("erased");
        assert_eq!(hits(db).await, 0);
        assert!(certificate.finished, "{certificate:?}");
        assert_eq!(
            erased(&certificate),
            [
                (
                    "erased_members",
                    "_id",
                    vec!["name", "home.street", "sheet.street", "shop"],
                    1
                ),
                ("erased_members", "_id", vec!["second.street"], 1),
                ("erased_members", "_id", vec!["third.street"], 1),
                ("erased_members", "_id", vec!["sheet.beside.street"], 1),
                (
                    "erased_members",
                    "_id",
                    vec!["numbers.number", "numbers.note"],
                    1
                ),
                (
                    "erased_articles",
                    "remarks.author",
                    vec!["remarks.text", "remarks.mood"],
                    1
                ),
                (
                    "erased_articles",
                    "remarks.replies.by",
                    vec!["remarks.replies.text"],
                    2
                ),
                ("erased_minutes", "notes.by", vec!["notes.text"], 1),
            ]
        );
        let kept = &certificate.kept[0];
        assert_eq!((&*kept.field, kept.reason), ("remarks.receipt", "disputes"));
        let copies: Vec<_> = certificate
            .copies
            .iter()
            .map(|copy| (&*copy.path, &*copy.source))
            .collect();
        assert_eq!(
            copies,
            [
                ("remarks.author_name", "erased_members.name"),
                ("notes", "erased_minutes.notes.text"),
                ("numbers", "erased_members.numbers.note"),
                ("numbers", "erased_members.numbers.number"),
                ("place", "erased_members.home.street"),
                ("street", "erased_members.home.street"),
            ]
        );
        let now = articles(bench).await;
        for (before, now) in before.into_iter().zip(now) {
            let mut expected = before.clone();
            for remark in &mut expected.remarks {
                if remark.author == id {
                    (remark.text, remark.mood) = (String::new(), None);
                    remark.author_name = "gone".to_owned();
                }
                for reply in remark.replies.iter_mut().filter(|reply| reply.by == id) {
                    reply.text = "no reply".to_owned();
                }
            }
            // The copies of names leave the version as it is.
            expected.version = now.version;
            assert_eq!(now, expected);
        }
        let member = Member::get(db, id)
            .await
            .expect("read")
            .expect("the member");
        assert_eq!(member.home.street, "no street");
        assert_eq!(member.sheet.beside.expect("beside").street, "no street");
        assert_eq!(member.numbers[1].number, id.to_string());
        assert_eq!(
            (member.numbers[0].note.as_deref(), member.shop),
            (None, None)
        );
        assert_eq!(Member::get(db, other).await.expect("read"), untouched);
        let letters: Vec<Letter> = Letter::scan(db, |l| l.all()).await.expect("read");
        let letter = letters
            .iter()
            .find(|letter| letter.to == id)
            .expect("a letter");
        assert_eq!(
            (&*letter.street, &*letter.place.street),
            ("no street", "no street")
        );
        assert_eq!(letter.numbers[0].number, id.to_string());
        let found = verify(db).await.expect("verified");
        assert!(found.is_clean(), "{found:?}");
        assert!(recover(db).await.expect("recovered").is_idle());
        assert_eq!(Member::erase(db, id).await.expect("again"), certificate);
    })
    .await;
}

#[tokio::test]
async fn an_absent_document_stays_absent() {
    alone("nested_absent", async |bench| {
        let (db, (id, _)) = (&bench.db, planted(bench, None).await);
        let members = bench.raw("erased_members");
        members
            .update_one(doc! { "_id": id }, doc! { "$set": { "numbers": [] } })
            .await
            .expect("without numbers");
        let certificate = Member::erase(db, id).await.expect("erased");
        let documents: Vec<u64> = certificate.erased.iter().map(|one| one.documents).collect();
        assert_eq!(documents, [1, 0, 0, 0, 0, 1, 2, 1]);
        let stored = members.find_one(doc! { "_id": id }).await.expect("read");
        let stored = stored.expect("the member");
        assert!(
            stored.get("second") == Some(&bson::Bson::Null) && !stored.contains_key("third"),
            "{stored}"
        );
        let member = Member::get(db, id)
            .await
            .expect("read")
            .expect("the member");
        assert_eq!(
            (member.second, member.third, member.sheet.beside),
            (None, None, None)
        );
        assert_eq!(hits(db).await, 0);
    })
    .await;
}

/// One update for each way to fields: the elements are chosen by array filters, the documents along the index of the reference.
#[tokio::test]
async fn the_elements_are_chosen_by_array_filters() {
    alone("nested_commands", async |bench| {
        let (db, (id, _)) = (&bench.db, planted(bench, None).await);
        Member::erase(db, id).await.expect("erased");
        let filters: Vec<Document> = bench
            .take()
            .into_iter()
            .filter_map(|one| {
                let update = one
                    .command
                    .get_array("updates")
                    .ok()?
                    .first()?
                    .as_document()?
                    .clone();
                let of_articles = one.command.get_str("update").ok() == Some("erased_articles");
                let erases = update.to_string().contains("remarks.$[e0].text")
                    || update.to_string().contains("replies.$[e1].text");
                (of_articles && erases).then_some(update)
            })
            .collect();
        let of_person = doc! { "author": { "$eq": id } };
        assert_eq!(filters.len(), 2, "{filters:?}");
        let query = filters[0].get_document("q").expect("a filter");
        let remarks = query.get_document("remarks").ok();
        assert_eq!(remarks, Some(&doc! { "$elemMatch": of_person }));
        assert_eq!(
            filters[0].get_array("arrayFilters").ok(),
            Some(&vec![doc! { "e0.author": { "$eq": id } }.into()])
        );
        assert_eq!(
            filters[1].get_array("arrayFilters").ok(),
            Some(&vec![
                doc! { "e0.replies": { "$elemMatch": { "by": { "$eq": id } } } }.into(),
                doc! { "e1.by": { "$eq": id } }.into(),
            ])
        );
    })
    .await;
}

#[tokio::test]
async fn an_export_has_the_elements_of_one_person() {
    alone("nested_export", async |bench| {
        let second = Some(place(PLANTED));
        let (db, (id, _)) = (&bench.db, planted(bench, second).await);
        let data = Member::export(db, id).await.expect("exported");
        assert_eq!(bench.sent(), ["find"; 5]);
        let person = &data.documents[0].values;
        let keys: Vec<&str> = person.keys().map(String::as_str).collect();
        assert_eq!(keys, ["_id", "name", "home", "second", "third", "sheet", "numbers", "shop"]);
        assert_eq!(person.get_document("home").ok(), Some(&doc! { "street": format!("street {PLANTED}") }));
        let json = serde_json::to_string(&data.documents).expect("JSON");
        assert!(!json.contains("other") && !json.contains("stars") && !json.contains("author_name"), "{json}");
        let articles: Vec<&Document> = data.documents.iter().filter(|one| one.model == "Article").map(|one| &one.values).collect();
        // One with remarks, and two with replies.
        assert_eq!(articles.len(), 3);
        let remarks = articles[0].get_array("remarks").expect("remarks");
        let remark = doc! { "text": format!("text {PLANTED}"), "mood": format!("mood {PLANTED}"), "receipt": "receipt" };
        assert_eq!(remarks, &vec![remark.clone().into(), remark.into()]);
        let replies = doc! { "replies": [{ "text": format!("reply {PLANTED}") }] };
        assert_eq!(articles[1].get_array("remarks").expect("remarks"), &vec![replies.clone().into(), replies.into()]);
    })
    .await;
}

#[tokio::test]
async fn the_variants_of_an_enum_are_persons() {
    on_both("nested_enum", async |bench| {
        let db = &bench.db;
        bench.index(&[Contact::meta()]).await;
        let caller = Caller {
            id: Id::new(),
            name: PLANTED.to_owned(),
            number: Some(PLANTED.to_owned()),
        };
        let visitor = |host, text: &str| Visitor {
            id: Id::new(),
            name: text.to_owned(),
            at: place(text),
            badge: 3,
            host: Some(host),
            message: PLANTED.to_owned(),
        };
        let (one, two) = (visitor(caller.id, "other"), visitor(caller.id, PLANTED));
        let (called, visited) = (caller.id, two.id);
        let all = [caller.into(), one.into(), two.into()];
        Contact::insert_many(db, &all).await.expect("contacts");
        let data = Contact::export(db, visited).await.expect("exported");
        assert_eq!(data.documents.len(), 1);
        let values = &data.documents[0].values;
        assert_eq!(values, &doc! { "_id": visited, "name": PLANTED, "at": { "street": format!("street {PLANTED}") } });
        let certificate = Contact::erase(db, visited).await.expect("erased");
        assert!(certificate.finished, "{certificate:?}");
        assert_eq!(hits(db).await, 4);
        let certificate = Contact::erase(db, called).await.expect("erased");
        assert_eq!(hits(db).await, 0);
        assert_eq!(
            erased(&certificate),
            [
                ("erased_contacts", "_id", vec!["name"], 1),
                ("erased_contacts", "_id", vec!["number"], 1),
                ("erased_contacts", "_id", vec!["at.street"], 0),
                ("erased_contacts", "host", vec!["message"], 2),
            ]
        );
        let caller = Contact::get(db, called).await.expect("read");
        let expected = Caller {
            id: called,
            name: "gone".to_owned(),
            number: None,
        };
        assert_eq!(caller, Some(expected.into()));
        let nobody = Contact::erase(db, Id::new()).await;
        assert!(matches!(nobody, Err(Error::NotFound { .. })), "{nobody:?}");
    })
    .await;
}
