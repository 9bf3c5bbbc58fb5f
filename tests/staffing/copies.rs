//! Copies that some kinds have and others have not.

use std::future::IntoFuture;

use bson::doc;
use mongo_model::{Error, MongoEmbed, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "owners")]
pub struct Owner {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "pets", common(name))]
pub enum Pet {
    Cat(Cat),
    Dog(Dog),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Cat {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Dog {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    #[parent(Owner)]
    pub owner: i32,
    #[denorm(from = Owner, field = name)]
    #[serde(default)]
    pub owner_name: String,
}

fn cat(id: i32) -> Pet {
    let name = format!("cat {id}");
    Pet::Cat(Cat { id, name })
}

fn dog(id: i32, owner: i32) -> Pet {
    Pet::Dog(Dog {
        id,
        name: format!("dog {id}"),
        owner,
        owner_name: "wrong".to_owned(),
    })
}

/// The owner's name that is stored in a pet, when nothing is under way and all is as it should be.
async fn copied(bench: &Bench, id: i32) -> Option<String> {
    assert!(recover(&bench.db).await.expect("recovered").is_idle());
    let report = verify(&bench.db).only::<Pet>().only::<Owner>().await;
    let report = report.expect("verified");
    assert!(report.is_clean(), "{report:?}");
    let pet = bench.stored("pets", id).await;
    pet.get_str("owner_name").ok().map(str::to_owned)
}

#[tokio::test]
async fn a_copy_follows_in_the_kinds_that_have_it() {
    on_both("staff_some_copies", async |bench| {
        let db = &bench.db;
        bench.index(&[Owner::meta(), Pet::meta()]).await;
        for (id, name) in [(1, "Ann"), (2, "Bob")] {
            let name = name.to_owned();
            Owner::insert(db, &Owner { id, name })
                .await
                .expect("stored");
        }
        let pets = [cat(1), dog(2, 1), dog(3, 2)];
        Pet::insert_many(db, &pets).await.expect("stored");
        assert_eq!(copied(bench, 1).await, None);
        assert_eq!(copied(bench, 2).await.as_deref(), Some("Ann"));
        assert_eq!(copied(bench, 3).await.as_deref(), Some("Bob"));
        Owner::update(db, 1)
            .set(|o| o.name, "Anna")
            .await
            .expect("renamed");
        assert_eq!(copied(bench, 2).await.as_deref(), Some("Anna"));
        // Another owner, of a dog; a cat has none.
        Pet::update(db, 2)
            .set(|p| p.dog.owner, 2)
            .await
            .expect("given away");
        assert_eq!(copied(bench, 2).await.as_deref(), Some("Bob"));
        let none = Pet::update(db, 1).set(|p| p.dog.owner, 2).await;
        assert!(matches!(none, Err(Error::NotFound { .. })), "{none:?}");
        assert_eq!(copied(bench, 1).await, None);
        // From one kind to the other and back.
        cat(2).save(db).await.expect("saved");
        assert_eq!(copied(bench, 2).await, None);
        assert!(!bench.stored("pets", 2).await.contains_key("owner"));
        dog(1, 1).save(db).await.expect("saved");
        assert_eq!(copied(bench, 1).await.as_deref(), Some("Anna"));
        dog(2, 2).save(db).await.expect("saved");
        assert_eq!(copied(bench, 2).await.as_deref(), Some("Bob"));
        Owner::update(db, 2)
            .set(|o| o.name, "Rob")
            .await
            .expect("renamed");
        assert_eq!(copied(bench, 2).await.as_deref(), Some("Rob"));
        assert_eq!(copied(bench, 3).await.as_deref(), Some("Rob"));
        // An owner with a dog is not deleted.
        let refused = Owner::delete(db, 1).await;
        assert!(
            matches!(refused, Err(Error::Referenced { .. })),
            "{refused:?}"
        );
        cat(1).save(db).await.expect("saved");
        Owner::delete(db, 1).await.expect("deleted");
        assert_eq!(bench.len("owners").await, 1);
        let dangling = dog(1, 1).save(db).await;
        assert!(
            matches!(dangling, Err(Error::Dangling { .. })),
            "{dangling:?}"
        );
        assert_eq!(copied(bench, 1).await, None);
    })
    .await;
}

#[tokio::test]
async fn a_change_that_stopped_half_way_reaches_the_kinds_that_have_the_copy() {
    on_both("staff_copies_half_way", async |bench| {
        let db = &bench.db;
        bench.index(&[Owner::meta(), Pet::meta()]).await;
        let name = "Ann".to_owned();
        Owner::insert(db, &Owner { id: 1, name })
            .await
            .expect("stored");
        Pet::insert_many(db, &[cat(1), dog(2, 1)])
            .await
            .expect("stored");
        // The future is dropped when the owner is written: what is flagged then, others finish.
        let renamed = Owner::update(db, 1).set(|o| o.name, "Zoe").into_future();
        let mut renamed = Box::pin(renamed);
        loop {
            let next = tokio::time::timeout(std::time::Duration::from_millis(1), &mut renamed);
            let done = next.await.is_ok();
            let owners = bench.raw("owners").find_one(doc! { "name": "Zoe" }).await;
            if done || owners.expect("read").is_some() {
                break;
            }
        }
        drop(renamed);
        recover(db).await.expect("recovered");
        assert_eq!(copied(bench, 2).await.as_deref(), Some("Zoe"));
        assert_eq!(copied(bench, 1).await, None);
    })
    .await;
}
