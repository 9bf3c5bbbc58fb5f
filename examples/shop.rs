//! One-to-many with a copied name, and N-to-N for free: products and their parts.
//!
//! `cargo run --example shop` finds a MongoDB server (or fetches one), seeds the left-handed smoke shifter, and prints every
//! command that it sends.

use bson::Decimal128;
use mongo_model::{Id, MongoModel, sync_indexes};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index(unique)]
    pub partno: String,
    pub name: String,
    /// Changes often: copying it does not compile (rule 5).
    #[volatile]
    pub qty: i64,
    pub cost: Decimal128,
    pub price: Decimal128,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    pub manufacturer: String,
    #[index(unique)]
    pub catalog_number: i64,
    #[refs(Part, max = 2000, on_delete = pull)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>, // `pub struct ProductPart { pub id: Id<Part>, pub name: String }` is generated
}

fn part(partno: &str, name: &str, qty: i64, cost: &str, price: &str) -> Result<Part, bson::error::Error> {
    Ok(Part {
        id: Id::new(),
        partno: partno.to_owned(),
        name: name.to_owned(),
        qty,
        cost: cost.parse()?,
        price: price.parse()?,
    })
}

fn with_parts(name: &str, catalog_number: i64, parts: &[&Part]) -> Product {
    Product {
        id: Id::new(),
        name: name.to_owned(),
        manufacturer: "Acme Corp".to_owned(),
        catalog_number,
        parts: parts.iter().map(|part| ProductPart { id: part.id, name: part.name.clone() }).collect(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("shop"));
    let say = |what: &str| {
        let sent = log.take();
        println!("{what}\n    sent: {}", if sent.is_empty() { "nothing".to_owned() } else { sent.iter().map(|command| command.name.as_str()).collect::<Vec<_>>().join(", ") });
    };

    let report = sync_indexes(&db).await?;
    say(&format!("indexes of every model in the program:\n{report}"));

    let grommet = part("123-aff-456", "#4 grommet", 94, "0.94", "3.99")?;
    let bolt = part("222-bolt", "#2 bolt", 12, "0.10", "0.40")?;
    let hose = part("333-hose", "blue hose", 7, "2.10", "5.00")?;
    Part::insert_many(&db, [&grommet, &bolt, &hose]).await?;
    say("three parts inserted");

    let shifter = with_parts("left-handed smoke shifter", 1234, &[&grommet, &bolt, &grommet]);
    let pump = with_parts("smoke pump", 5678, &[&hose, &grommet]);
    Product::insert_many(&db, [&shifter, &pump]).await?;
    say("two products inserted; one uses the same grommet twice");

    let product = Product::find_one(&db, |p| p.catalog_number.eq(1234)).await?.expect("seeded");
    say(&format!("found by catalog number: {}", product.name));
    let shown: Vec<&str> = product.parts.iter().map(|part| part.name.as_str()).collect();
    println!("its parts by name, without a join: {shown:?}");

    let parts = product.load_parts(&db).await?;
    say(&format!(
        "its parts joined, in stored order: {:?}; missing: {:?}",
        parts.iter().map(|part| part.partno.as_str()).collect::<Vec<_>>(),
        parts.missing()
    ));

    let products = [product, pump];
    for (product, parts) in Product::load_parts_many(&db, &products).await? {
        println!("{}: {} parts", product.name, parts.len());
    }
    say("the parts of all products, in one `$in`");

    let using = Product::by_parts(&db, grommet.id).await?;
    say(&format!("products with the grommet: {:?}", using.iter().map(|product| product.name.as_str()).collect::<Vec<_>>()));

    Part::update(&db, bolt.id).inc(|p| p.qty, -2).await?;
    say("two bolts sold");

    db.drop().await?;
    Ok(())
}
