//! The options of calls: the table of `guide/src/using/options.md` names those that the builders have, and no others.

use std::any::type_name_of_val;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use bson::DateTime;
use mongo_model::{BucketId, ClientSession, Database, Id, MongoEmbed, MongoModel, Transaction};
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::options::{ReadConcern, ReadPreference, WriteConcern};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "option_shelves", index(keys(row)), access(in_row(row)))]
struct Shelf {
    #[serde(rename = "_id")]
    id: Id<Shelf>,
    row: i64,
    #[refs(Book, inverse = shelves, max = 10)]
    books: Vec<Id<Book>>,
    #[embed(max = 5, overflow = MoreNotes)]
    notes: Vec<Note>,
    has_extras: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
struct Note {
    id: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "option_notes", bucket(notes))]
struct MoreNotes {
    #[serde(rename = "_id")]
    id: BucketId<Shelf>,
    #[parent(Shelf, on_delete = cascade)]
    shelf: Id<Shelf>,
    count: i64,
    #[embed(max = 50)]
    notes: Vec<Note>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "option_books")]
struct Book {
    #[serde(rename = "_id")]
    id: Id<Book>,
    #[refs(Shelf, inverse = books, max = 10)]
    shelves: Vec<Id<Shelf>>,
    #[version]
    version: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "option_loans", soft_delete)]
struct Loan {
    #[serde(rename = "_id")]
    id: Id<Loan>,
    #[deleted]
    deleted_at: Option<DateTime>,
    #[parent(Book, on_delete = cascade)]
    book: Id<Book>,
}

/// The result of an option that a builder lacks.
struct Lacked;

/// The options that not all builders have, for those that lack them: a method of the builder itself comes first.
macro_rules! lacks {
    ($($option:ident),*) => {
        trait Lacks: Sized {
            fn settled(self) -> Lacked {
                Lacked
            }
            $(fn $option<A>(self, _: A) -> Lacked {
                Lacked
            })*
        }
    };
}

lacks!(
    read_preference,
    read_concern,
    max_time,
    hint,
    batch_size,
    allow_disk_use,
    write_concern
);

impl<T> Lacks for T {}

fn has<T>(builder: T) -> bool {
    type_name_of_val(&builder) != std::any::type_name::<Lacked>()
}

/// The options of each call, as its builder has them.
macro_rules! options {
    ($tx:ident, $session:ident: $($name:literal => $call:expr),* $(,)?) => {
        BTreeMap::from([$((
            $name.to_owned(),
            [
                ("read_preference", has($call.read_preference(ReadPreference::Primary))),
                ("read_concern", has($call.read_concern(ReadConcern::majority()))),
                ("max_time", has($call.max_time(std::time::Duration::from_secs(1)))),
                ("hint", has($call.hint("row_1"))),
                ("comment", has($call.comment("why"))),
                ("batch_size", has($call.batch_size(10))),
                ("allow_disk_use", has($call.allow_disk_use(true))),
                ("write_concern", has($call.write_concern(WriteConcern::majority()))),
                ("settled", has($call.settled())),
                ("within", has($call.within(&mut *$tx))),
                ("driver_session", has($call.driver_session(&mut *$session))),
            ]
            .into_iter()
            .filter(|(_, has)| *has)
            .map(|(option, _)| option.to_owned())
            .collect::<BTreeSet<String>>(),
        )),*])
    };
}

/// The options that the builders of all calls have. Nothing is sent.
fn of_builders(
    db: &Database,
    tx: &mut Transaction,
    session: &mut ClientSession,
) -> BTreeMap<String, BTreeSet<String>> {
    let shelf = Shelf {
        id: Id::new(),
        row: 1,
        books: Vec::new(),
        notes: Vec::new(),
        has_extras: true,
    };
    let mut book = Book {
        id: Id::new(),
        shelves: Vec::new(),
        version: 0,
    };
    let loan = Loan {
        id: Id::new(),
        deleted_at: None,
        book: book.id,
    };
    let note = Note { id: 1 };
    options!(tx, session:
        "find" => Shelf::find(db, |s| s.row.eq(1)),
        "scan" => Shelf::scan(db, |s| s.has_extras.eq(true)),
        "find_one" => Shelf::find_one(db, |s| s.row.eq(1)),
        "get" => Shelf::get(db, shelf.id),
        "exists" => Shelf::exists(db, |s| s.row.eq(1)),
        "ids" => Shelf::find(db, |s| s.row.eq(1)).ids(),
        "count" => Shelf::count(db, |s| s.row.eq(1)),
        "page" => Shelf::find(db, |s| s.row.eq(1)).page(10),
        "group_by" => Shelf::group_by(db, |s| s.row).count(),
        "unwind" => Shelf::find(db, |s| s.row.eq(1)).unwind(|s| s.books),
        "facet" => Shelf::find(db, |s| s.row.eq(1)).facet(|s| (s.row, s.id)),
        "access patterns" => Shelf::in_row(db, 1),
        "by_<field>" => Loan::by_book(db, book.id),
        "get_many" => Shelf::get_many(db, [shelf.id]),
        "load_<field>" => shelf.load_books(db),
        "load_<field>_many" => Shelf::load_books_many(db, std::slice::from_ref(&shelf)),
        "by_<field>_many" => Loan::by_book_many(db, std::slice::from_ref(&book)),
        "iterate" => MoreNotes::iterate(db, shelf.id),
        "count_items" => MoreNotes::count_items(db, shelf.id),
        "all_<array>" => Shelf::all_notes(db, &shelf),
        "insert" => Shelf::insert(db, &shelf),
        "insert_many" => Shelf::insert_many(db, [&shelf]),
        "save" => loan.save(db),
        "upsert" => Loan::upsert(db, &loan),
        "update" => Shelf::update(db, shelf.id).set(|s| s.row, 2),
        "delete" => Shelf::delete(db, shelf.id),
        "purge" => Loan::purge(db, loan.id),
        "restore" => Loan::restore(db, loan.id),
        ".only_if(..)" => Shelf::update(db, shelf.id).set(|s| s.row, 2).only_if(|s| s.row.eq(1)),
        ".returning()" => Shelf::update(db, shelf.id).set(|s| s.row, 2).returning(),
        ".only_if(..).returning()" =>
            Shelf::update(db, shelf.id).set(|s| s.row, 2).only_if(|s| s.row.eq(1)).returning(),
        "insert(..).returning()" => Shelf::insert(db, &shelf).returning(),
        "save_if_unchanged" => book.save_if_unchanged(db),
        "save_many_if_unchanged" => Book::save_many_if_unchanged(db, [&mut book]),
        "delete_if_unchanged" => book.delete_if_unchanged(db),
        "update_with" => Book::update_with(db, book.id, |_| ()),
        "add_<element>" => Shelf::add_book(db, shelf.id, book.id),
        "remove_<element>" => Shelf::remove_book(db, shelf.id, book.id),
        "add_<field>" => Shelf::add_books(db, shelf.id, [book.id]),
        "remove_<field>" => Shelf::remove_books(db, shelf.id, [book.id]),
        "replace_<field>" => Shelf::replace_books(db, shelf.id, [book.id]),
        "update_many" => Shelf::update_many(db, |s| s.row.eq(1)).set(|s| s.row, 2),
        "delete_many" => Shelf::delete_many(db, |s| s.row.eq(1)),
        "purge_many" => Loan::purge_many(db, |l| l.book.eq(book.id)),
        "restore_many" => Loan::restore_many(db, |l| l.book.eq(book.id)),
        "push" => MoreNotes::push(db, shelf.id, &note),
        "push_many" => MoreNotes::push_many(db, shelf.id, [note.clone()]),
        "remove_item" => MoreNotes::remove_item(db, shelf.id, &1),
        "push_<item>" => Shelf::push_note(db, shelf.id, note.clone()),
        "remove_<item>" => Shelf::remove_note(db, shelf.id, &1),
    )
}

/// The options of each call, as the guide's table has them.
fn of_guide() -> BTreeMap<String, BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guide/src/using/options.md");
    let page = fs::read_to_string(page).expect("the page");
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let named = |cell: &str| -> Vec<String> {
        let code = cell.split('`').skip(1).step_by(2).map(str::to_owned);
        let words = cell
            .contains("access patterns")
            .then_some("access patterns");
        code.chain(words.map(str::to_owned)).collect()
    };
    let mut out = BTreeMap::new();
    for row in rows.skip(1) {
        let cells: Vec<&str> = row.split('|').collect();
        let [_, calls, options, _] = cells[..] else {
            panic!("a row of two columns: {row}");
        };
        let options: BTreeSet<String> = named(options).into_iter().collect();
        for call in named(calls) {
            let before = out.insert(call.clone(), options.clone());
            assert!(before.is_none(), "{call} stands in two rows");
        }
    }
    out
}

#[tokio::test]
async fn the_guide_names_the_options_that_the_builders_have() {
    let server = DevServer::start(Topology::ReplicaSet(1))
        .await
        .expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database("options");
    let mut session = client.start_session().await.expect("a session");
    let mut tx = Transaction::begin(&db).await.expect("a transaction");
    assert_eq!(of_guide(), of_builders(&db, &mut tx, &mut session));
}
