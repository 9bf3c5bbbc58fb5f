//! The derive's output for two-way references and for derived data of parents.

use bson::{DateTime, doc};
use mongo_model::__private::{decode_document, encode_document};
use mongo_model::model::{Derived, FieldRow};
use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "derived_persons")]
struct Person {
    #[serde(rename = "_id")]
    id: Id<Person>,
    name: String,
    #[refs(Task, inverse = owner)]
    tasks: Vec<Id<Task>>,
    #[refs(Club, inverse = members, max = 20)]
    clubs: Vec<Id<Club, i64>>,
    #[refs(Person, inverse = friends)]
    friends: Vec<Id<Person>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "derived_tasks")]
struct Task {
    #[serde(rename = "_id")]
    id: Id<Task>,
    #[parent(Person, inverse = tasks)]
    owner: Option<Id<Person>>,
    #[denorm(from = Person, field = name)]
    owner_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "derived_clubs")]
struct Club {
    #[serde(rename = "_id")]
    id: Id<Club, i64>,
    #[refs(Person, inverse = clubs)]
    members: Vec<Id<Person>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "derived_hosts", index(keys(logmsgs.message)))]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message, at, level, sent))]
    #[serde(rename = "last")]
    logmsgs: Vec<RecentLog>,
    #[recent(LogMsg, max = 10, sort = -time, fields(message), via = host, derive(Debug, Clone, PartialEq))]
    newest: Vec<NewestLog>,
    #[count(LogMsg)]
    #[index]
    messages: i64,
}

/// A view reads derived data like any other field.
#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = Host)]
struct Summary {
    #[serde(rename = "last")]
    #[projection(nested)]
    logmsgs: Vec<Line>,
    newest: Vec<NewestLog>,
    messages: i64,
}

#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = RecentLog)]
struct Line {
    message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "derived_logmsgs")]
struct LogMsg {
    #[serde(rename = "_id")]
    id: Id<LogMsg>,
    #[parent(Host)]
    host: Id<Host>,
    #[serde(rename = "t")]
    time: DateTime,
    message: String,
    at: Option<Place>,
    level: Level,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    #[model(allow(date_as_string, reason = "as the logger writes it"))]
    sent: DateTime,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Place {
    file: String,
    line: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
enum Level {
    #[serde(rename = "i")]
    Info,
}

fn row<M: MongoModel>(rust: &str) -> &'static FieldRow {
    let row = M::meta().shape.fields.iter().find(|row| row.rust == rust);
    row.expect("the field")
}

#[test]
fn a_two_way_reference_names_the_other_side() {
    let inverse = |row: &FieldRow| row.relation.expect("a reference").inverse;
    assert_eq!(inverse(row::<Person>("tasks")), Some("owner"));
    assert_eq!(inverse(row::<Task>("owner")), Some("tasks"));
    assert_eq!(inverse(row::<Person>("clubs")), Some("members"));
    assert_eq!(inverse(row::<Club>("members")), Some("clubs"));
    assert_eq!(inverse(row::<Person>("friends")), Some("friends"));
    let owner = row::<Task>("owner").relation.expect("a reference");
    assert!(owner.copied && !owner.many);
    assert_eq!((owner.target)().collection, "derived_persons");
}

#[test]
fn what_follows_from_children_says_from_which() {
    let recent = row::<Host>("logmsgs");
    let derived = recent.derived.expect("derived");
    assert_eq!((derived.child)().collection, "derived_logmsgs");
    assert_eq!(derived.via, None);
    assert_eq!(
        derived.what,
        Derived::Recent {
            max: 1000,
            sort: ("time", false),
            fields: &["time", "message", "at", "level", "sent"],
            only: &[],
        }
    );
    assert_eq!((recent.name, recent.max), ("last", 1000));
    assert!(recent.relation.is_none());
    let shape = recent.shape.expect("its fields");
    let names: Vec<&str> = shape.fields.iter().map(|row| row.name).collect();
    assert_eq!(names, ["id", "time", "message", "at", "level", "sent"]);
    assert!(shape.fields.iter().all(|row| row.copy.is_none()));
    assert!(shape.fields[5].with);

    let derived = row::<Host>("newest").derived.expect("derived");
    assert_eq!(derived.via, Some("host"));
    assert_eq!(
        derived.what,
        Derived::Recent {
            max: 10,
            sort: ("time", true),
            fields: &["message"],
            only: &[],
        }
    );

    let derived = row::<Host>("messages").derived.expect("derived");
    assert_eq!(derived.what, Derived::Count);
    assert_eq!((derived.via, (derived.child)().name), (None, "LogMsg"));
}

fn host(id: Id<Host>, log: Id<LogMsg>) -> Host {
    Host {
        id,
        logmsgs: vec![RecentLog {
            id: log,
            time: DateTime::from_millis(5),
            message: "cpu is hot".to_owned(),
            at: Some(Place {
                file: "a.c".to_owned(),
                line: 7,
            }),
            level: Level::Info,
            sent: DateTime::from_millis(0),
        }],
        newest: vec![NewestLog {
            id: log,
            message: "cpu is hot".to_owned(),
        }],
        messages: 1,
    }
}

#[test]
fn an_entry_is_stored_as_its_child_stores_the_fields() {
    let (id, log) = (Id::new(), Id::new());
    let host = host(id, log);
    let (stored_id, stored_log) = (id.into_raw(), log.into_raw());
    let entry = doc! {
        "id": stored_log,
        "time": DateTime::from_millis(5),
        "message": "cpu is hot",
        "at": { "file": "a.c", "line": 7 },
        "level": "i",
        "sent": "1970-01-01T00:00:00Z",
    };
    let stored = doc! {
        "_id": stored_id,
        "last": [entry.clone()],
        "newest": [{ "id": stored_log, "message": "cpu is hot" }],
        "messages": 1_i64,
    };
    let raw = encode_document(&host).expect("encodes");
    assert_eq!(
        bson::Document::try_from(raw.as_ref()).expect("a document"),
        stored
    );
    assert_eq!(
        bson::serialize_to_document(&host).expect("serde agrees"),
        stored
    );

    // The codec and serde both skip the library's own fields in an entry.
    let mut marked = stored.clone();
    let mut with_revision = entry;
    with_revision.insert("_r", 7_i64);
    marked.insert("last", vec![with_revision]);
    for stored in [stored, marked] {
        let raw = bson::RawDocumentBuf::try_from(&stored).expect("raw");
        assert_eq!(decode_document::<Host>(&raw).expect("decodes"), host);
        let view: Summary = bson::deserialize_from_document(stored.clone()).expect("a view");
        assert_eq!(view.logmsgs[0].message, "cpu is hot");
        assert_eq!((view.newest, view.messages), (host.newest.clone(), 1));
        assert_eq!(
            bson::deserialize_from_document::<Host>(stored).expect("serde agrees"),
            host
        );
    }
}

#[cfg(feature = "driver")]
#[test]
fn what_is_derived_has_methods_instead_of_setters() {
    use mongo_model::denorm::{Reassign, Rebuild, Recount, Related};
    use mongo_model::{Database, Filter};

    fn methods(db: &Database, person: Id<Person>, task: Id<Task>) {
        let _: Reassign<'_, Task> = Task::reassign_owner(db, task, person);
        let _: Reassign<'_, Task> = Task::reassign_owner(db, task, None);
        let club = Id::from_raw(1);
        let _: [Related<'_, Person>; 5] = [
            Person::add_task(db, person, task),
            Person::remove_task(db, person, task),
            Person::add_club(db, person, club),
            Person::replace_clubs(db, person, [club]),
            Person::replace_clubs(db, person, std::slice::from_ref(&club)),
        ];
        let _: Related<'_, Club> = Club::remove_member(db, club, person);
        let host = Id::new();
        let _: Rebuild<'_, Host> = Host::rebuild_logmsgs(db, host);
        let _: Recount<'_, Host> = Host::recount_messages(db, host);
    }
    let _ = methods;

    // Derived references are loaded and queried like other references.
    let _ = |db: &'static Database| Person::by_clubs(db, Id::from_raw(1)).limit(1);
    let _ =
        |db: &'static Database, persons: &'static [Person]| Person::load(db, persons, |p| p.tasks);
    fn asked<F: FnOnce(<Person as MongoModel>::Fields) -> Filter<Person, S>, S>(_: F) {}
    asked(|p| p.tasks.contains(Id::new()));
    let _ = |db: &'static Database| {
        let hot = Host::find(db, |h| h.logmsgs.message.eq("cpu is hot"));
        let loud = Host::find(db, |h| h.messages.gt(5)).project::<Summary>();
        (hot, loud)
    };
}
