//! One-to-many with a copied name that follows its source: products and their parts.
//!
//! A product refers to its parts by id and holds a copy of each part's name. The program inserts both, joins them in both
//! directions, renames a part, and recovers after a rename that another program did not finish.
//!
//! `cargo run --example shop` finds a MongoDB server (or fetches one) and uses a database of its own, which it drops at the end.
//!
//! Each step prints a sentence and, below it, the commands that the driver sent, in order. Three things to look for: a join of
//! all products is one `find`; renaming a part is one `findAndModify`, which changes the part and flags the copies, one `update`
//! for the copies, and one that clears the flag; a change of `qty`, which nobody copies, is one `update`.

use bson::{Decimal128, Document, doc};
use mongo_model::{Database, Id, MongoModel, MongoProjection, recover, sync_indexes};
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

/// The fields of a product on a catalogue page: the server sends these fields and no others.
#[derive(Debug, Clone, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Listing {
    pub name: String,
    pub catalog_number: i64,
}

/// A part as a product's page shows it: its copied name is always there, the price when the part itself was loaded.
#[derive(Debug, Clone, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Part, fallback = ProductPart)]
pub struct PartView {
    pub name: String,
    pub price: Option<Decimal128>,
}

fn part(
    partno: &str,
    name: &str,
    qty: i64,
    cost: &str,
    price: &str,
) -> Result<Part, bson::error::Error> {
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
        parts: parts
            .iter()
            .map(|part| ProductPart {
                id: part.id,
                name: part.name.clone(),
            })
            .collect(),
    }
}

/// The results of the program, for the test that runs it.
#[derive(Debug)]
pub struct Found {
    /// The part numbers of the smoke shifter, joined in stored order.
    pub partnos: Vec<String>,
    /// The products with the grommet, by the reverse join.
    pub with_grommet: Vec<String>,
    /// The catalogue, by number.
    pub listings: Vec<Listing>,
    /// The parts of the smoke pump: one of them was never stored.
    pub views: Vec<PartView>,
    /// Bolts left after the sale.
    pub bolts: i64,
    /// The names in the smoke shifter after the grommet was renamed.
    pub renamed: Vec<String>,
    /// The same after a program died in the middle of renaming the bolt, and after the next one recovered.
    pub interrupted: [Vec<String>; 2],
}

/// The names of a product's parts, without a join.
async fn part_names(
    db: &Database,
    product: Id<Product>,
) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let product = Product::get(db, product).await?.ok_or("it is stored")?;
    Ok(product.parts.into_iter().map(|part| part.name).collect())
}

/// Seeds a database, joins forward and back, and prints every step with the commands it sent.
pub async fn shop(db: &Database, log: &CommandLog) -> Result<Found, Box<dyn std::error::Error>> {
    // Each step waits for all of its commands, so that they are printed with it.
    mongo_model::settle_in_calls(true);
    let say = |what: &str| {
        let sent: Vec<String> = log.take().into_iter().map(|sent| sent.name).collect();
        let sent = if sent.is_empty() {
            "nothing".to_owned()
        } else {
            sent.join(", ")
        };
        println!("{what}\n    sent: {sent}");
    };

    let report = sync_indexes(db).await?;
    say(&format!(
        "Create the indexes of every model in the program:\n{report}"
    ));

    let grommet = part("123-aff-456", "#4 grommet", 94, "0.94", "3.99")?;
    let bolt = part("222-bolt", "#2 bolt", 12, "0.10", "0.40")?;
    let hose = part("333-hose", "blue hose", 7, "2.10", "5.00")?;
    Part::insert_many(db, [&grommet, &bolt, &hose]).await?;
    say("Insert three parts.");

    let shifter = with_parts(
        "left-handed smoke shifter",
        1234,
        &[&grommet, &bolt, &grommet],
    );
    let lost = part("999-lost", "lost washer", 0, "0.01", "0.02")?;
    let pump = with_parts("smoke pump", 5678, &[&hose, &lost, &grommet]);
    Product::insert(db, &shifter).await?;
    say(
        "Insert a product that uses the same grommet twice, and compare its copies with the parts.",
    );
    if let Err(error) = Product::insert(db, &pump).await {
        say(&format!(
            "A product with a part that does not exist is refused: {error}."
        ));
    }
    // Another program does not check.
    let products = db.collection::<Product>("products");
    products.insert_one(&pump).await?;
    say("Insert it with the plain driver, which does not check.");

    let product = Product::find_one(db, |p| p.catalog_number.eq(1234))
        .await?
        .ok_or("it was just inserted")?;
    say(&format!(
        "Find a product by its catalogue number: {}.",
        product.name
    ));
    let names: Vec<&str> = product
        .parts
        .iter()
        .map(|part| part.name.as_str())
        .collect();
    println!("The names of its parts, which need no join: {names:?}.");

    let parts = product.load_parts(db).await?;
    let partnos: Vec<String> = parts.iter().map(|part| part.partno.clone()).collect();
    say(&format!(
        "Join its parts, in stored order: {partnos:?}; missing: {:?}.",
        parts.missing()
    ));

    let views = pump
        .load_parts(db)
        .with_fallback::<PartView, _>(&pump)
        .await?;
    let missing = views.missing().len();
    let views = views.into_vec();
    say(&format!(
        "Join the parts of the pump as a page shows them. {missing} reference dangles and shows its copy: {views:?}."
    ));
    if let Err(error) = pump.load_parts(db).strict().await {
        say(&format!(
            "The same join, where a dangling reference is an error: {error}."
        ));
    }

    let listings: Vec<Listing> = Product::find(db, |p| p.catalog_number.gt(0))
        .sort(|p| p.catalog_number.asc())
        .project()
        .await?;
    say(&format!("Read two fields of each product: {listings:?}."));

    let products = [product, pump];
    for (product, parts) in Product::load_parts_many(db, &products).await? {
        println!("The product `{}` has {} parts.", product.name, parts.len());
    }
    say("Join the parts of all products with one `$in`.");

    let using = Product::by_parts(db, grommet.id).await?;
    let with_grommet: Vec<String> = using.into_iter().map(|product| product.name).collect();
    say(&format!(
        "Find the products that use the grommet: {with_grommet:?}."
    ));

    Part::update(db, grommet.id)
        .set(|p| p.name, "#5 grommet")
        .await?;
    say("Rename the grommet. The copies in all products follow.");
    let renamed = part_names(db, shifter.id).await?;
    say(&format!("The parts of the smoke shifter: {renamed:?}."));

    // The state after a program crashed between renaming a part and updating its copies: the part says durably that the copies
    // are pending.
    let first_write = doc! {
        "$set": { "name": "#3 bolt" },
        "$inc": { "_dn.r": 1 },
        "$addToSet": { "_dn.p": "products.parts" },
    };
    db.collection::<Document>("parts")
        .update_one(doc! { "_id": bolt.id.as_raw() }, first_write)
        .await?;
    let stale = part_names(db, shifter.id).await?;
    say(&format!(
        "A program dies while it renames the bolt, and leaves a stale copy: {stale:?}."
    ));
    let recovered = recover(db).await?;
    let fresh = part_names(db, shifter.id).await?;
    say(&format!(
        "The next program recovers {} source: {fresh:?}.",
        recovered.sources
    ));

    Part::update(db, bolt.id).inc(|p| p.qty, -2).await?;
    say("Sell two bolts. Their number is copied nowhere.");
    let bolts = Part::get(db, bolt.id)
        .await?
        .ok_or("it was just updated")?
        .qty;
    say(&format!("Read the bolt: {bolts} are left."));
    Ok(Found {
        partnos,
        with_grommet,
        listings,
        views,
        bolts,
        renamed,
        interrupted: [stale, fresh],
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("shop"));
    shop(&db, &log).await?;
    db.drop().await?;
    Ok(())
}
