//! A unique index that has the key already: every write says which index, which fields and which value.

use bson::{Bson, doc};
use mongo_model::{Error, MongoModel, Result};
use serde::{Deserialize, Serialize};

use crate::common::{alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "realm_accounts", index(keys(realm, login.name), unique))]
pub(crate) struct Account {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[index(unique)]
    #[serde(rename = "mail")]
    pub(crate) email: String,
    pub(crate) realm: String,
    pub(crate) login: Login,
    #[index]
    pub(crate) group: i32,
    #[version]
    pub(crate) revision: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, mongo_model::MongoEmbed)]
pub(crate) struct Login {
    pub(crate) name: String,
}

/// Copies with a unique index, in a transaction with their source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "badges")]
pub(crate) struct Badge {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Holder)]
    pub(crate) holder: i32,
    #[denorm(from = Holder, field = name, level = transactional)]
    #[index(unique)]
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "holders")]
pub(crate) struct Holder {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) name: String,
}

/// Two unique indexes inside an embedded document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "payers")]
pub(crate) struct Payer {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    pub(crate) bank: Bank,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, mongo_model::MongoEmbed)]
pub(crate) struct Bank {
    #[index(unique)]
    #[serde(rename = "no")]
    pub(crate) iban: String,
    #[index(unique)]
    pub(crate) card: i32,
}

fn account(id: i32) -> Account {
    Account {
        id,
        email: format!("{id}@example.com"),
        realm: "r".to_owned(),
        login: Login {
            name: format!("n{id}"),
        },
        group: 1,
        revision: 0,
    }
}

/// An account with the address of the first.
fn double(id: i32) -> Account {
    Account {
        email: "1@example.com".to_owned(),
        ..account(id)
    }
}

#[track_caller]
fn assert_duplicate<T: std::fmt::Debug>(
    result: Result<T>,
    fields: &[&str],
    value: impl Into<Bson>,
    position: Option<usize>,
) -> Error {
    let error = result.expect_err("a duplicate");
    assert!(error.is_duplicate() && !error.is_transient(), "{error:?}");
    let Error::Duplicate {
        model,
        fields: found,
        value: of,
        position: at,
        ..
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(*model, "Account");
    assert_eq!(found, fields);
    assert_eq!((&**of, *at), (&value.into(), position));
    error
}

#[tokio::test]
async fn every_write_names_index_fields_and_value() {
    on_both("duplicates", async |bench| {
        let db = &bench.db;
        bench.index(&[Account::meta()]).await;
        Account::insert_many(db, [&account(1), &account(2)])
            .await
            .expect("stored");
        bench.forget();
        let taken = "1@example.com";
        let inserted = assert_duplicate(
            Account::insert(db, &double(3)).await,
            &["mail"],
            taken,
            None,
        );
        assert_eq!(bench.sent(), ["insert"]);
        assert_eq!(
            inserted.to_string(),
            "Account: another document has the same mail (unique index `mail_1_unique`)"
        );
        assert!(Account::is_duplicate_email(&inserted));
        assert!(!Account::is_duplicate_id(&inserted));
        assert!(!Account::is_duplicate_realm_login_name(&inserted));
        let by_id = assert_duplicate(Account::insert(db, &account(1)).await, &["_id"], 1, None);
        assert!(Account::is_duplicate_id(&by_id) && !Account::is_duplicate_email(&by_id));
        let same_login = Account {
            login: Login {
                name: "n1".to_owned(),
            },
            ..account(4)
        };
        let both = assert_duplicate(
            Account::insert(db, &same_login).await,
            &["realm", "login.name"],
            doc! { "realm": "r", "login.name": "n1" },
            None,
        );
        assert!(Account::is_duplicate_realm_login_name(&both));
        assert_eq!(
            both.to_string(),
            "Account: another document has the same realm and login.name (unique index `realm_1_login.name_1_unique`)"
        );
        assert_duplicate(
            Account::update(db, 2).set(|a| a.email, taken).await,
            &["mail"],
            taken,
            None,
        );
        let all = Account::update_many(db, |a| a.group.eq(1));
        assert_duplicate(all.set(|a| a.email, "x").await, &["mail"], "x", None);
        // Each document is atomic, the whole is not: the first one has the new address.
        let taken = "x";
        let mut second = Account::get(db, 2).await.expect("read").expect("stored");
        second.email = taken.to_owned();
        let saved = second.save_if_unchanged(db).await;
        assert_duplicate(saved, &["mail"], taken, None);
        let saved = Account::save_many_if_unchanged(db, [&mut second]).await;
        let unsaved = saved.expect("sent").complete();
        assert_duplicate(unsaved, &["mail"], taken, None);
    })
    .await;
}

#[tokio::test]
async fn an_insert_of_many_says_which_one() {
    on_both("duplicate_of_many", async |bench| {
        let db = &bench.db;
        bench.index(&[Account::meta()]).await;
        let mut all: Vec<Account> = (1..10).map(account).collect();
        all[6].email = "quote \", brace } : 3".to_owned();
        all[7].email = all[6].email.clone();
        let stored = Account::insert_many(db, &all).await;
        let error = assert_duplicate(stored, &["mail"], &*all[6].email, Some(7));
        assert!(
            error
                .to_string()
                .starts_with("Account: document 7: another document has the same mail")
        );
        assert_eq!(bench.len("realm_accounts").await, 7);
    })
    .await;
}

/// A program that does not know the name of an index, because another program has created it.
#[tokio::test]
async fn an_index_of_another_name() {
    alone("duplicate_renamed", async |bench| {
        let db = &bench.db;
        let keys = doc! { "login.name": 1, "realm": -1 };
        let create = doc! { "createIndexes": "realm_accounts", "indexes": [{ "key": keys, "name": "theirs", "unique": true }] };
        db.run_command(create).await.expect("created");
        let mut all = [account(1), account(2)];
        all[1].login = all[0].login.clone();
        let stored = Account::insert_many(db, &all).await;
        let value = doc! { "login.name": "n1", "realm": "r" };
        let error = assert_duplicate(stored, &["login.name", "realm"], value, Some(1));
        assert!(error.to_string().contains("`theirs`"), "{error}");
        assert!(!Account::is_duplicate_realm_login_name(&error));
    })
    .await;
}

#[tokio::test]
async fn racing_inserters() {
    on_both("duplicate_race", async |bench| {
        let db = &bench.db;
        bench.index(&[Account::meta()]).await;
        let racing = (0..50).map(|id| {
            let db = db.clone();
            tokio::spawn(async move { Account::insert(&db, &double(id)).await })
        });
        let (mut stored, mut duplicates) = (0, 0);
        for one in racing.collect::<Vec<_>>() {
            match one.await.expect("no panic") {
                Ok(outcome) => stored += outcome.inserted,
                Err(error) => {
                    assert!(Account::is_duplicate_email(&error), "{error:?}");
                    duplicates += 1;
                }
            }
        }
        assert_eq!((stored, duplicates), (1, 49));
        assert_eq!(bench.len("realm_accounts").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_copy_that_moves_onto_a_taken_key() {
    in_set("duplicate_copies", async |bench| {
        let db = &bench.db;
        bench.index(&[Badge::meta(), Holder::meta()]).await;
        for id in [1, 2] {
            let name = id.to_string();
            Holder::insert(db, &Holder { id, name })
                .await
                .expect("stored");
            let badge = Badge {
                id,
                holder: id,
                name: String::new(),
            };
            Badge::insert(db, &badge).await.expect("stored");
        }
        let mut tx = mongo_model::Transaction::begin(db).await.expect("begun");
        let renamed = Holder::update(db, 2).set(|h| h.name, "1").within(&mut tx);
        let error = renamed.await.expect_err("refused");
        assert!(Badge::is_duplicate_name(&error), "{error:?}");
        tx.abort().await.expect("aborted");
        let holder = Holder::get(db, 2).await.expect("read").expect("stored");
        assert_eq!(holder.name, "2", "nothing was changed");
    })
    .await;
}

/// The driver's errors are shown as text, not as the program's memory.
#[tokio::test]
async fn messages_of_the_driver() {
    alone("driver_messages", async |bench| {
        let db = &bench.db;
        let mut session = bench.client.start_session().await.expect("begun");
        session.start_transaction().await.expect("begun");
        let written = Account::insert(db, &account(1))
            .driver_session(&mut session)
            .await;
        let error = written.expect_err("a standalone has no transactions");
        assert_eq!(
            error.to_string(),
            "a transaction needs a replica set; this is a standalone server"
        );
        let validator =
            doc! { "create": "holders", "validator": { "name": { "$type": "string" }, "_id": 1 } };
        db.run_command(validator).await.expect("created");
        let error = Holder::insert(
            db,
            &Holder {
                id: 2,
                name: String::new(),
            },
        );
        let shown = error.await.expect_err("refused").to_string();
        assert!(
            shown.starts_with("Document failed validation (code 121)"),
            "{shown}"
        );
        for noise in ["Kind:", "labels", "RawDocumentBuf", "WriteError {"] {
            assert!(!shown.contains(noise), "{shown}");
        }
    })
    .await;
}

#[tokio::test]
async fn fields_of_embedded_documents() {
    on_both("duplicate_embedded", async |bench| {
        let db = &bench.db;
        bench.index(&[Payer::meta()]).await;
        let payer = |id, iban: &str, card| Payer {
            id,
            bank: Bank {
                iban: iban.to_owned(),
                card,
            },
        };
        Payer::insert(db, &payer(1, "a", 1)).await.expect("stored");
        for (other, of_iban) in [(payer(2, "a", 2), true), (payer(2, "b", 1), false)] {
            let error = Payer::insert(db, &other).await.expect_err("refused");
            assert_eq!(Payer::is_duplicate(&error, |p| p.bank.iban), of_iban);
            assert_eq!(Payer::is_duplicate(&error, |p| p.bank.card), !of_iban);
            assert!(!Payer::is_duplicate(&error, |p| p.id));
        }
        let error = Payer::insert(db, &payer(1, "c", 3)).await;
        assert!(Payer::is_duplicate(&error.expect_err("refused"), |p| p.id));
    })
    .await;
}
