//! Joins of joins: one command a level, however many documents there are.

use std::sync::Arc;

use futures::TryStreamExt;
use mongo_model::{Joined, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};
use crate::loading::ids_in;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tags")]
pub struct Tag {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "publishers")]
pub struct Publisher {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: i32,
    #[refs(Tag, unchecked)]
    pub tags: Vec<i32>,
    #[parent(Publisher, unchecked)]
    pub publisher: Option<i32>,
    #[parent(Author, unchecked)]
    pub author: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "authors")]
pub struct Author {
    #[serde(rename = "_id")]
    pub id: i32,
}

/// A tree: each node knows its parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "nodes")]
pub struct Node {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Node, unchecked)]
    pub up: Option<i32>,
}

/// References in an array of embedded documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Loan {
    #[parent(Book)]
    pub book: i32,
    pub days: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "readers")]
pub struct Reader {
    #[serde(rename = "_id")]
    pub id: i32,
    #[embed(max = 20)]
    pub loans: Vec<Loan>,
}

impl Bench {
    /// Three authors with two books each, two tags and a publisher.
    async fn library(&self) -> Vec<Author> {
        let db = &self.db;
        let authors: Vec<Author> = (1..=3).map(|id| Author { id }).collect();
        let book = |id: i32| Book {
            id,
            tags: vec![id, 7],
            publisher: (id % 2 == 0).then_some(1),
            author: (id + 1) / 2,
        };
        let books: Vec<Book> = (1..=6).map(book).collect();
        let tags: Vec<Tag> = (1..=7).map(|id| Tag { id }).collect();
        Author::insert_many(db, &authors).await.expect("stored");
        Book::insert_many(db, &books).await.expect("stored");
        Tag::insert_many(db, &tags).await.expect("stored");
        Publisher::insert(db, &Publisher { id: 1 })
            .await
            .expect("stored");
        self.forget();
        authors
    }

    fn asked_in_turn(&self) -> Vec<(String, Vec<i32>)> {
        let collection = |sent: &bson::Document| sent.get_str("find").expect("a find").to_owned();
        let ids = |sent: &bson::Document| {
            let filter = sent.get_document("filter").expect("a filter");
            if filter.contains_key("_id") {
                ids_in(filter)
            } else {
                vec![]
            }
        };
        self.take()
            .iter()
            .map(|sent| (collection(&sent.command), ids(&sent.command)))
            .collect()
    }
}

#[tokio::test]
async fn one_command_a_relation_a_level() {
    on_both("levels", async |bench| {
        let authors = bench.library().await;
        let many = Book::by_author_many(&bench.db, &authors)
            .nest(Book::load_tags_many)
            .nest(Book::load_publisher_many)
            .await
            .expect("loaded");
        assert_eq!(many.len(), 3);
        for (author, books) in &many {
            for Joined {
                document:
                    Joined {
                        document: book,
                        loaded: tags,
                    },
                loaded: publisher,
            } in books
            {
                assert_eq!(book.author, author.id);
                assert_eq!(tags.values(), [Tag { id: book.id }, Tag { id: 7 }]);
                assert_eq!(
                    publisher.value().map(|publisher| publisher.id),
                    book.publisher
                );
            }
        }
        assert_eq!(
            bench.asked_in_turn(),
            [
                ("books".to_owned(), vec![]),
                ("tags".to_owned(), (1..=7).collect()),
                ("publishers".to_owned(), vec![1]),
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn four_levels_are_four_commands() {
    on_both("four", async |bench| {
        let db = &bench.db;
        bench.library().await;
        let readers = [Reader {
            id: 1,
            loans: vec![Loan { book: 5, days: 1 }, Loan { book: 2, days: 9 }],
        }];
        Reader::insert_many(db, &readers).await.expect("stored");
        bench.forget();
        let found = Reader::scan(db, |r| r.all())
            .join(|db, readers| {
                Reader::load(db, readers, |r| r.loans.book).nest(|db, books| {
                    Book::load_author_many(db, books)
                        .nest(|db, authors| Book::by_author_many(db, authors).sort(|b| b.id.desc()))
                })
            })
            .await
            .expect("loaded");
        let books = &found[0].loaded;
        let path: Vec<(i32, i32, Vec<i32>)> = books
            .iter()
            .map(|book| {
                let author = book.loaded.value().expect("an author");
                (
                    book.id,
                    author.id,
                    author.loaded.iter().map(|book| book.id).collect(),
                )
            })
            .collect();
        assert_eq!(path, [(5, 3, vec![6, 5]), (2, 1, vec![2, 1])]);
        let collections: Vec<String> = bench
            .asked_in_turn()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(collections, ["readers", "books", "authors", "books"]);
    })
    .await;
}

#[tokio::test]
async fn cycles_end_where_the_type_ends() {
    on_both("cycles", async |bench| {
        let db = &bench.db;
        // 1 -> 2 -> 1, 3 -> itself, 4 -> 5 -> nothing.
        let nodes = [
            (1, Some(2)),
            (2, Some(1)),
            (3, Some(3)),
            (4, Some(5)),
            (5, None),
        ];
        let nodes: Vec<Node> = nodes.into_iter().map(|(id, up)| Node { id, up }).collect();
        Node::insert_many(db, &nodes).await.expect("stored");
        bench.forget();
        let start = [nodes[0].clone(), nodes[2].clone(), nodes[3].clone()];
        let many = Node::load_up_many(db, &start)
            .nest(Node::load_up_many)
            .await
            .expect("loaded");
        let seen: Vec<_> = many
            .iter()
            .map(|(_, up)| {
                let up = up.value().expect("a parent");
                let above = up.loaded.value();
                // Beyond the second level there are ids, not documents.
                (up.id, above.map(|above| (above.id, above.up)))
            })
            .collect();
        assert_eq!(
            seen,
            [(2, Some((1, Some(2)))), (3, Some((3, Some(3)))), (5, None)]
        );
        assert_eq!(
            bench.asked_in_turn(),
            [
                ("nodes".to_owned(), vec![2, 3, 5]),
                ("nodes".to_owned(), vec![1, 3]),
            ]
        );

        let many = Node::load_up_many(db, &start)
            .nest(|db, nodes| Node::load_up_many(db, nodes).reuse(nodes))
            .await
            .expect("loaded");
        assert_eq!(
            many[1].1.value().expect("a parent").loaded.value(),
            Some(&nodes[2])
        );
        assert_eq!(
            bench.asked_in_turn()[1],
            ("nodes".to_owned(), vec![1]),
            "3 is at hand"
        );
    })
    .await;
}

#[tokio::test]
async fn each_embedded_document_keeps_its_own() {
    on_both("embedded_own", async |bench| {
        let db = &bench.db;
        bench.library().await;
        let loan = |book| Loan {
            book,
            days: 10 - book,
        };
        let readers = [Reader {
            id: 1,
            loans: vec![loan(5), loan(99), loan(2), loan(5)],
        }];
        let many = Reader::load(db, &readers, |r| r.loans.book)
            .keep_slots()
            .await
            .expect("loaded");
        let slots = many[0].1.slots();
        for (loan, book) in readers[0].loans.iter().zip(slots) {
            assert_eq!(
                book.as_ref().map(|book| book.id),
                (loan.book < 99).then_some(loan.book)
            );
        }
        assert_eq!((slots.len(), many[0].1.missing()), (4, &[99][..]));
    })
    .await;
}

#[tokio::test]
async fn a_stream_of_joins_holds_one_batch() {
    on_both("batches", async |bench| {
        let db = &bench.db;
        let nodes: Vec<Node> = (0..250)
            .map(|id| Node {
                id,
                up: Some(id / 10),
            })
            .collect();
        Node::insert_many(db, &nodes).await.expect("stored");
        bench.forget();
        let joins = Node::scan(db, |n| n.all())
            .sort(|n| n.id.asc())
            .batch_size(100)
            .join(Node::load_up_many)
            .batch(100)
            .stream();
        let joined: Vec<_> = joins.try_collect().await.expect("loaded");
        assert_eq!(joined.len(), 250);
        for Joined { document, loaded } in &joined {
            assert_eq!(loaded.value().map(|up| up.id), document.up);
        }
        assert_eq!(
            bench.sent(),
            ["find", "find", "getMore", "find", "getMore", "find"]
        );

        let first = Node::scan(db, |n| n.all())
            .sort(|n| n.id.asc())
            .join(Node::load_up_many)
            .batch(10);
        let mut stream = Box::pin(first.stream());
        let one = stream.try_next().await.expect("loaded").expect("one");
        assert_eq!(one.id, 0);
        assert_eq!(bench.sent(), ["find", "find"]);
    })
    .await;
}

#[tokio::test]
async fn a_dropped_join_leaves_no_cursor() {
    alone("no_cursor", async |bench| {
        let db = &bench.db;
        let nodes: Vec<Node> = (0..500).map(|id| Node { id, up: Some(id) }).collect();
        Node::insert_many(db, &nodes).await.expect("stored");
        bench.forget();
        {
            let join = Node::scan(db, |n| n.all())
                .batch_size(10)
                .join(Node::load_up_many)
                .batch(10);
            let mut stream = Box::pin(join.stream());
            stream.try_next().await.expect("loaded").expect("one");
        }
        // The driver closes the cursor from a task of its own: what counts is that it is closed in the end.
        let closed = async {
            let ns = format!("{}.nodes", db.name());
            let idle = bson::doc! { "ns": ns, "type": "idleCursor" };
            let current = bson::doc! { "$currentOp": { "idleCursors": true, "localOps": true } };
            let admin = db.client().database("admin");
            while admin
                .aggregate([current.clone(), bson::doc! { "$match": idle.clone() }])
                .await
                .expect("asked")
                .advance()
                .await
                .expect("read")
            {}
        };
        tokio::time::timeout(std::time::Duration::from_secs(60), closed)
            .await
            .expect("no cursor is left open");
        assert!(bench.sent().iter().any(|name| name == "killCursors"));
    })
    .await;
}

#[tokio::test]
async fn the_whole_chain_runs_in_one_transaction() {
    in_set("nested_session", async |bench| {
        let db = &bench.db;
        let authors = bench.library().await;
        let mut session = bench.transaction().await;
        let new = Book {
            id: 50,
            tags: vec![60],
            publisher: None,
            author: 1,
        };
        Book::insert(db, &new)
            .driver_session(&mut session)
            .await
            .expect("stored");
        Tag::insert(db, &Tag { id: 60 })
            .driver_session(&mut session)
            .await
            .expect("stored");
        let many = Book::by_author_many(db, &authors)
            .nest(Book::load_tags_many)
            .driver_session(&mut session)
            .await
            .expect("loaded");
        assert_eq!(
            many[0].1.last().expect("a book").loaded.values(),
            [Tag { id: 60 }]
        );
        let found = Book::find(db, |b| b.author.eq(1))
            .driver_session(&mut session)
            .join(Book::load_tags_many)
            .await
            .expect("loaded");
        assert!(
            found
                .iter()
                .any(|book| book.id == 50 && book.loaded.len() == 1)
        );
        session.abort_transaction().await.expect("aborted");
    })
    .await;
}

#[tokio::test]
async fn shared_documents_are_loaded_on_from() {
    alone("nested_shared", async |bench| {
        bench.library().await;
        let loan = |book: i32| Loan { book, days: 1 };
        let loans = vec![loan(3), loan(1), loan(3)];
        let readers = [Reader { id: 1, loans }];
        let joined = Reader::load(&bench.db, &readers, |r| r.loans.book)
            .shared()
            .nest(Book::load_tags_many)
            .await
            .expect("loaded");
        let asked = bench.asked_in_turn();
        assert_eq!(
            asked,
            [
                ("books".to_owned(), vec![1, 3]),
                ("tags".to_owned(), vec![1, 3, 7])
            ]
        );
        let books = &joined[0].1;
        let of = |book: usize| -> (i32, Vec<i32>) {
            let tags = books[book].loaded.iter().map(|tag| tag.id);
            (books[book].id, tags.collect())
        };
        assert_eq!(
            [of(0), of(1), of(2)],
            [(3, vec![3, 7]), (1, vec![1, 7]), (3, vec![3, 7])]
        );
        assert!(Arc::ptr_eq(&books[0].document, &books[2].document));
    })
    .await;
}
