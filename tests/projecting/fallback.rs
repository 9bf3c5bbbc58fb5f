//! Views that fall back to the copies beside a reference: the document that the copies make, read as the view.

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model::projection::{FallsBack, fallback_document};
use mongo_model::value::Value;
use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection, Projected};
use serde::{Deserialize, Serialize};

use crate::projecting::{Part, Product, ProductPart, product};

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Part, fallback = ProductPart)]
struct PartView {
    #[serde(rename = "_id")]
    id: Id<Part>,
    #[serde(rename = "partName")]
    name: String,
    qty: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Line {
    #[parent(Part)]
    main: Id<Part>,
    #[parent(Part)]
    spare: Option<Id<Part>>,
    #[parent(Product)]
    product: Id<Product>,
    #[denorm(from = Part, field = name, via = main)]
    #[serde(rename = "mainName")]
    main_name: String,
    #[denorm(from = Part, field = name, via = spare)]
    spare_name: Option<String>,
    #[denorm(from = Product, field = name)]
    product_name: String,
}

/// The fields of `M` that `holder` copies along `via`.
fn known<H: Serialize + Value, M: MongoModel>(holder: &H, via: &str) -> Option<Document> {
    let raw = bson::serialize_to_raw_document_buf(holder).expect("encoded");
    let found = fallback_document(&raw, H::FIELDS, via, "_id", M::meta());
    found.map(|raw| Document::try_from(raw).expect("well formed"))
}

#[test]
fn an_entry_stands_in_for_its_source() {
    fn falls_back<V: Projected<Part> + FallsBack<ProductPart>>(document: Document) -> V {
        bson::deserialize_from_document(document).expect("read")
    }
    let entry = &product(7).parts[0];
    let document = known::<_, Part>(entry, "id").expect("it refers");
    assert_eq!(
        document,
        doc! { "_id": entry.id.into_raw(), "partName": "part 7" }
    );
    let view: PartView = falls_back(document);
    let expected = PartView {
        id: entry.id,
        name: "part 7".to_owned(),
        qty: None,
    };
    assert_eq!(view, expected);
}

#[test]
fn plain_copies_stand_in_along_their_reference() {
    let id = |n| ObjectId::from_bytes([n; 12]);
    let mut line = Line {
        main: Id::from_raw(id(1)),
        spare: Some(Id::from_raw(id(2))),
        product: Id::from_raw(id(3)),
        main_name: "a".to_owned(),
        spare_name: Some("b".to_owned()),
        product_name: "c".to_owned(),
    };
    let main = known::<_, Part>(&line, "main");
    assert_eq!(main, Some(doc! { "_id": id(1), "partName": "a" }));
    let spare = known::<_, Part>(&line, "spare");
    assert_eq!(spare, Some(doc! { "_id": id(2), "partName": "b" }));
    let product = known::<_, Product>(&line, "product");
    assert_eq!(product, Some(doc! { "_id": id(3), "name": "c" }));
    // A reference to another model says nothing of this one, and none says nothing at all.
    assert_eq!(known::<_, Part>(&line, "product"), None);
    assert_eq!(known::<_, Part>(&line, "main_name"), None);
    line.spare = None;
    assert_eq!(known::<_, Part>(&line, "spare"), None);
}
