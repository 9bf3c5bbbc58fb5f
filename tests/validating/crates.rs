//! The rules of `garde` and `validator`, judged with those of the model: all violations of a document are in one error.

use std::collections::HashMap;

use bson::doc;
use mongo_model::{Error, MongoEmbed, MongoModel, Result, verify};
use serde::{Deserialize, Serialize};
use validator::{Validate, ValidationError, ValidationErrors, ValidationErrorsKind};

use crate::common::alone;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed, garde::Validate)]
struct Line {
    #[garde(length(min = 3))]
    #[serde(rename = "label")]
    name: String,
    #[garde(skip)]
    #[check(range = 1..=9)]
    quantity: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel, garde::Validate)]
#[model(collection = "garde_orders", check(garde, least <= most))]
struct Order {
    #[serde(rename = "_id")]
    #[garde(skip)]
    id: i32,
    #[garde(ascii, length(max = 5))]
    code: String,
    #[embed(max = 4)]
    #[garde(dive)]
    #[serde(rename = "rows")]
    lines: Vec<Line>,
    #[garde(dive)]
    first: Option<Line>,
    #[garde(custom(is_known(&self.code)))]
    #[check(not_empty)]
    country: String,
    #[garde(skip)]
    least: i32,
    #[garde(skip)]
    most: i32,
}

fn is_known(code: &str) -> impl FnOnce(&String, &()) -> garde::Result + use<> {
    let code = code.to_owned();
    move |country, _| match country.as_str() {
        "xx" if code != "free" => Err(garde::Error::new("is no country")),
        _ => Ok(()),
    }
}

/// A model whose rules are written by hand, as the derive of `validator` writes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "validator_people", check(validator))]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "mail")]
    email: String,
    home: Address,
    #[embed(max = 3)]
    others: Vec<Address>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Address {
    #[serde(rename = "zip")]
    code: String,
}

impl Validate for Address {
    fn validate(&self) -> Result<(), ValidationErrors> {
        let mut errors = ValidationErrors::new();
        if self.code.is_empty() {
            let text = "must have a code".into();
            errors.add("code", ValidationError::new("length").with_message(text));
        }
        as_result(errors)
    }
}

impl Validate for Person {
    fn validate(&self) -> Result<(), ValidationErrors> {
        let mut errors = ValidationErrors::new();
        if !self.email.contains('@') {
            let mut error = ValidationError::new("email");
            error.add_param("value".into(), &self.email);
            errors.add("email", error);
        }
        if let Err(inside) = self.home.validate() {
            let inside = ValidationErrorsKind::Struct(Box::new(inside));
            errors.0.insert("home".into(), inside);
        }
        let others = self.others.iter().enumerate();
        let others = others.filter_map(|(n, one)| Some((n, Box::new(one.validate().err()?))));
        let others: std::collections::BTreeMap<_, _> = others.collect();
        if !others.is_empty() {
            errors
                .0
                .insert("others".into(), ValidationErrorsKind::List(others));
        }
        if self.id == 13 {
            errors.add("__all__", ValidationError::new("unlucky"));
        }
        as_result(errors)
    }
}

fn as_result(errors: ValidationErrors) -> Result<(), ValidationErrors> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

fn order() -> Order {
    Order {
        id: 1,
        code: "a1".to_owned(),
        lines: vec![line("chair", 1)],
        first: None,
        country: "it".to_owned(),
        least: 1,
        most: 2,
    }
}

fn line(name: &str, quantity: i32) -> Line {
    Line {
        name: name.to_owned(),
        quantity,
    }
}

#[track_caller]
fn broken<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    match result.expect_err("a rule is broken") {
        Error::Invalid { violations, .. } => violations.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn garde_judges_whole_documents_beside_the_rules_of_the_model() {
    alone("crates_garde", async |bench| {
        let db = &bench.db;
        let wrong = Order {
            code: "größer".to_owned(),
            lines: vec![line("desk", 1), line("x", 10)],
            first: Some(line("", 1)),
            country: "xx".to_owned(),
            least: 3,
            ..order()
        };
        let all = [
            "rows.1.quantity must be 1 to 9",
            "least must meet `least <= most`",
            "code not ascii",
            "code length is greater than 5",
            "country is no country",
            "first.label length is lower than 3",
            "rows.1.label length is lower than 3",
        ];
        assert_eq!(broken(Order::insert(db, &wrong).await), all);
        assert_eq!(broken(wrong.save(db).await), all);
        assert_eq!(broken(Order::upsert(db, &wrong).await), all);
        assert_eq!(broken(Order::insert_many(db, &[order(), wrong]).await), all);
        assert_eq!(bench.sent(), Vec::<String>::new(), "nothing is sent");
        Order::insert(db, &order()).await.expect("stored");
        // The rules of a crate are about whole documents: an operator is judged by the rules of the model alone.
        let update = || Order::update(db, 1);
        update().set(|o| o.country, "xx").await.expect("set");
        assert_eq!(
            broken(update().set(|o| o.country, "").await),
            ["country must not be empty"]
        );
        let read = Order::get(db, 1).await.expect("read").expect("there");
        assert_eq!(broken(read.save(db).await), ["country is no country"]);
        let found = verify(db).only::<Order>().await.expect("verified");
        let found: Vec<String> = found.invalid.iter().map(ToString::to_string).collect();
        let expected =
            "Order: country must be accepted by `garde`: 1 document breaks the rule, the first is 1";
        assert_eq!(found, [expected]);
    })
    .await;
}

#[tokio::test]
async fn validator_judges_whole_documents_in_the_order_of_their_paths() {
    alone("crates_validator", async |bench| {
        let db = &bench.db;
        let address = |code: &str| Address {
            code: code.to_owned(),
        };
        let wrong = Person {
            id: 13,
            email: "secret".to_owned(),
            home: address(""),
            others: vec![address("a"), address("")],
        };
        let all = [
            "breaks the rule `unlucky`",
            "mail breaks the rule `email`",
            "home.zip must have a code",
            "others.1.zip must have a code",
        ];
        let refused = Person::insert(db, &wrong).await;
        assert!(!format!("{refused:?}").contains("secret"), "{refused:?}");
        assert_eq!(broken(refused), all);
        let right = Person {
            id: 1,
            email: "a@b".to_owned(),
            home: address("1"),
            others: Vec::new(),
        };
        Person::insert(db, &right).await.expect("stored");
        let raw = bench.raw("validator_people");
        let set = doc! { "$set": { "home.zip": "" } };
        raw.update_one(doc! { "_id": 1 }, set).await.expect("set");
        let refused = right.save(db).await;
        refused.expect("the whole document is right again");
        let violation = match Person::upsert(db, &wrong).await {
            Err(Error::Invalid { violations, .. }) => violations[1].clone(),
            other => panic!("{other:?}"),
        };
        let json: HashMap<String, String> =
            serde_json::from_value(serde_json::to_value(&violation).expect("JSON"))
                .expect("three texts");
        assert_eq!(json["path"], "mail");
        assert_eq!(json["message"], "breaks the rule `email`");
    })
    .await;
}
