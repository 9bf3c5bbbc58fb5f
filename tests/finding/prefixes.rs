//! Prefixes: by the letters of a language, and those that no pattern of the server can have.

use bson::{Document, doc};
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "prefixed_cities")]
struct City {
    #[serde(rename = "_id")]
    id: i32,
    #[index]
    #[index(collation(locale = "tr", strength = 2), name = "name_tr")]
    name: String,
    #[index(collation(locale = "en", strength = 2))]
    english: Option<String>,
}

#[tokio::test]
async fn a_prefix_is_compared_as_the_whole_text_is() {
    on_both("prefix_language", async |bench| {
        bench.index(&[City::meta()]).await;
        let names = [
            "İstanbul",
            "istanbul",
            "Isparta",
            "ısparta",
            "Äx",
            "a\u{308}x",
            "ax",
            "Straße",
        ];
        let rows = (0..).zip(names);
        let rows = rows.map(|(id, name)| doc! { "_id": id, "name": name, "english": name });
        let raw = bench.raw("prefixed_cities");
        raw.insert_many(rows.collect::<Vec<Document>>())
            .await
            .expect("stored");
        raw.insert_one(doc! { "_id": 90, "name": "z", "english": ["Stroh"] })
            .await
            .expect("stored");
        let db = &bench.db;
        let turkish: [(&str, &[i32]); 7] = [
            ("i", &[0, 1]),
            ("İ", &[0, 1]),
            ("ı", &[2, 3]),
            ("I", &[2, 3]),
            ("ä", &[4, 5]),
            ("a\u{308}", &[4, 5]),
            ("a", &[6]),
        ];
        for (prefix, expected) in turkish {
            bench.forget();
            let found = City::find(db, |c| c.name.starts_with_ci(prefix))
                .ids()
                .await;
            let mut found: Vec<i32> = found.expect("found");
            found.sort_unstable();
            assert_eq!(found, expected, "{prefix:?}");
            bench.plan().await.assert_served_by("name");
        }
        for prefix in ["STRAß", "straß", "STR"] {
            let found = City::find(db, |c| c.english.starts_with_ci(prefix))
                .ids()
                .await;
            assert_eq!(found.expect("found"), [7], "{prefix:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_prefix_that_no_pattern_can_have_is_refused() {
    alone("prefix_refused", async |bench| {
        bench.index(&[City::meta()]).await;
        let db = &bench.db;
        bench.forget();
        let too_long = format!("{}.", "a".repeat(31_998));
        for (prefix, reason) in [("a\0b", "NUL"), (&*too_long, "32000")] {
            match City::find(db, |c| c.name.starts_with(prefix)).await {
                Err(Error::Impossible { what }) => {
                    assert!(
                        what.contains(reason) && what.contains("City.name"),
                        "{what}"
                    );
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(bench.count(), 0);
        let longest = "a".repeat(31_999);
        let found = City::find(db, |c| c.name.starts_with(&longest)).await;
        assert!(found.expect("found").is_empty());
    })
    .await;
}
