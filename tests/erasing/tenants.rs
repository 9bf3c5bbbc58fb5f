//! Persons behind a wall.

use bson::{Bson, doc};
use mongo_model::{Error, Id, MongoModel, Tenants, recover};
use serde::{Deserialize, Serialize};

use super::{PLANTED, hits};
use crate::common::alone;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "walled_members", tenant = org)]
struct Member {
    #[serde(rename = "_id")]
    id: Id<Member>,
    org: i64,
    #[personal(erased = "gone")]
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "walled_notes", tenant = org)]
struct Note {
    #[serde(rename = "_id")]
    id: Id<Note>,
    org: i64,
    #[parent(Member)]
    by: Id<Member>,
    #[denorm(from = Member, field = name)]
    name: String,
    #[personal(of = by, erased = "")]
    text: String,
}

/// A note of another tenant that refers through the wall, as another program stored it, is nothing of the person.
#[tokio::test]
async fn an_erase_stays_inside_of_its_wall() {
    alone("walls", async |bench| {
        bench.index(&[Member::meta(), Note::meta()]).await;
        let (one, two) = (bench.db.tenant(1_i64), bench.db.tenant(2_i64));
        let member = Member {
            id: Id::new(),
            org: 1,
            name: PLANTED.to_owned(),
        };
        Member::insert(&one, &member).await.expect("a member");
        let note = Note {
            id: Id::new(),
            org: 1,
            by: member.id,
            name: String::new(),
            text: PLANTED.to_owned(),
        };
        Note::insert(&one, &note).await.expect("a note");
        let foreign =
            doc! { "org": 2_i64, "by": Bson::from(member.id), "name": "", "text": PLANTED };
        bench.seed("walled_notes", [foreign]).await;
        let nobody = Member::erase(&two, member.id).await;
        assert!(matches!(nobody, Err(Error::NotFound { .. })), "{nobody:?}");
        let nobody = Member::export(&two, member.id).await;
        assert!(matches!(nobody, Err(Error::NotFound { .. })), "{nobody:?}");
        let data = Member::export(&one, member.id).await.expect("exported");
        assert_eq!(data.documents.len(), 2);
        assert_eq!(hits(&bench.db).await, 4);
        // A flag that another program has left is finished in the same way.
        let flag = doc! { "$set": { "_dn.a": bson::oid::ObjectId::new() } };
        let person = doc! { "_id": Bson::from(member.id) };
        let members = bench.raw("walled_members");
        members.update_one(person, flag).await.expect("flagged");
        let recovered = recover(&bench.db).await.expect("recovered");
        assert_eq!(recovered.erases, 1);
        assert_eq!(hits(&bench.db).await, 1);
        let certificate = Member::erase(&one, member.id).await.expect("erased");
        assert_eq!(certificate.erased[1].documents, 1);
    })
    .await;
}
