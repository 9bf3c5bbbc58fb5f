//! Exports.

use mongo_model::{Error, Id, MongoModel};

use super::{PLANTED, User, planted};
use crate::common::alone;

#[tokio::test]
async fn an_export_has_every_value_of_one_person() {
    alone("export", async |bench| {
        let (db, (id, other)) = (&bench.db, planted(bench).await);
        let data = User::export(db, id).await.expect("exported");
        assert_eq!(bench.sent(), ["find"; 5]);
        let models: Vec<&str> = data.documents.iter().map(|one| one.model).collect();
        assert_eq!(
            models,
            [
                "User", "Comment", "Comment", "Comment", "Post", "Post", "User"
            ]
        );
        let person = &data.documents[0].values;
        assert_eq!(person.get_str("tax_number").ok(), Some("tax 1"));
        assert!(
            !person.contains_key("language") && !person.contains_key("_dn"),
            "{person}"
        );
        let json = serde_json::to_value(&data).expect("JSON");
        assert_eq!(json["person"], id.to_string());
        assert_eq!(
            json["documents"][0]["values"]["phone"],
            format!("phone {PLANTED}")
        );
        assert_eq!(
            json["documents"][0]["values"]["_id"]["$oid"],
            id.to_string()
        );
        assert_eq!(json["copies"][0]["path"], "about");
        assert_eq!(json.to_string().matches(PLANTED).count(), 5 + 3 + 2 + 1);
        let other = User::export(db, other).await.expect("exported");
        assert!(
            !serde_json::to_string(&other)
                .expect("JSON")
                .contains(PLANTED)
        );
        let nobody = User::export(db, Id::new()).await;
        assert!(
            matches!(nobody, Err(Error::NotFound { model: "User", .. })),
            "{nobody:?}"
        );
    })
    .await;
}
