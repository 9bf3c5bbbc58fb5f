//! References inside a compound `_id`.

use bson::{Bson, doc};
use mongo_model::{MongoEmbed, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::on_both;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "compound_servers")]
struct Server {
    #[serde(rename = "_id")]
    id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, MongoEmbed)]
struct MemberId {
    #[parent(Server, on_delete = cascade)]
    server: String,
    user: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "compound_members")]
struct Member {
    #[serde(rename = "_id")]
    id: MemberId,
    n: i32,
}

#[tokio::test]
async fn flags_are_recovered_beside_a_reference_in_the_id() {
    on_both("compound_ids", async |bench| {
        let db = &bench.db;
        bench.index(&[Server::meta(), Member::meta()]).await;
        recover(db).await.expect("nothing to recover");
        let server = Server { id: "S".to_owned() };
        Server::insert(db, &server).await.expect("stored");
        let id = MemberId {
            server: "S".to_owned(),
            user: "u".to_owned(),
        };
        let member = Member { id, n: 1 };
        Member::insert(db, &member).await.expect("stored");
        mongo_model::settle(db).await;
        // A member whose writer stopped before the reference was checked.
        let members = bench.raw("compound_members");
        let token = bson::oid::ObjectId::new();
        members
            .insert_one(doc! {
                "_id": { "server": "S", "user": "v" },
                "n": 2,
                "_dn": { "u": [{ "t": token, "e": Bson::Array(vec![]) }] },
            })
            .await
            .expect("stored");
        recover(db).await.expect("recovered");
        let report = verify(db).models(&[Server::meta(), Member::meta()]).await;
        assert!(report.expect("verified").is_settled());
        Server::delete(db, "S".to_owned()).await.expect("deleted");
        assert_eq!(bench.len("compound_members").await, 0);
    })
    .await;
}
