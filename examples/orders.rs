//! Copies that follow and copies that are frozen: customers with a cart, and their orders.
//!
//! A line of a cart copies the name of its product, which follows each change. A line of an order keeps name and price as they
//! were when the order was placed: `snapshot`.
//!
//! `cargo run --example orders` finds a MongoDB server (or fetches one) and uses a database of its own, which it drops at the end.
//!
//! Each step prints a sentence and, below it, the commands that the driver sent, in order. Two things to look for: the order's
//! prices come from the product, whatever the program put there; in the last line the cart has the new name of the product, and
//! the order still has the old name and the old price.

use bson::Decimal128;
use mongo_model::{Database, Id, MongoEmbed, MongoModel, sync_indexes};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    pub price: Decimal128,
}

/// A line of a cart: the name follows the product's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct CartLine {
    #[parent(Product)]
    pub product_id: Id<Product>,
    #[denorm(from = Product, field = name)]
    pub name: String,
    pub quantity: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "customers")]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    pub name: String,
    /// The index `{ cart.product_id: 1, _id: 1 }` is generated.
    #[embed(max = 50)]
    pub cart: Vec<CartLine>,
}

/// A line of an order: name and price stay as they were when the order was placed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct OrderLine {
    #[parent(Product)]
    pub product_id: Id<Product>,
    #[denorm(from = Product, field = name, snapshot)]
    pub name: String,
    #[denorm(from = Product, field = price, snapshot)]
    pub price: Decimal128,
    pub quantity: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[parent(Customer)]
    pub customer: Id<Customer>,
    /// The customer's name follows, also on old orders.
    #[denorm(from = Customer, field = name)]
    pub customer_name: String,
    #[embed(max = 50)]
    pub lines: Vec<OrderLine>,
}

/// The results of the program, for the test that runs it.
#[derive(Debug)]
pub struct Found {
    /// The customers that have the grommet in the cart.
    pub waiting: Vec<String>,
    /// Name and price on the order when it was placed.
    pub placed: (String, String),
    /// The name of the product in the cart after the product was renamed.
    pub in_cart: String,
    /// Customer, name and price on the order after everything has changed.
    pub after: (String, String, String),
}

/// Seeds a database, orders, changes what was ordered, and prints every step with the commands it sent.
pub async fn orders(db: &Database, log: &CommandLog) -> Result<Found, Box<dyn std::error::Error>> {
    // Each step waits for all of its commands, so that they are printed with it.
    mongo_model::settle_in_calls(true);
    let say = |what: &str| {
        let sent: Vec<String> = log.take().into_iter().map(|sent| sent.name).collect();
        println!("{what}\n    sent: {}", sent.join(", "));
    };
    let report = sync_indexes(db).await?;
    say(&format!(
        "Create the indexes of every model in the program:\n{report}"
    ));

    let grommet = Product {
        id: Id::new(),
        name: "#4 grommet".to_owned(),
        price: "3.99".parse()?,
    };
    Product::insert(db, &grommet).await?;
    let ann = Customer {
        id: Id::new(),
        name: "Ann".to_owned(),
        cart: Vec::new(),
    };
    Customer::insert(db, &ann).await?;
    say("Insert a product and a customer.");

    let line = CartLine {
        product_id: grommet.id,
        name: grommet.name.clone(),
        quantity: 2,
    };
    Customer::update(db, ann.id).push(|c| c.cart, line).await?;
    say("Put two of the product into the cart. The copied name is compared with the product's.");

    let waiting = Customer::find(db, |c| c.cart.any(|line| line.product_id.eq(grommet.id))).await?;
    let waiting: Vec<String> = waiting.into_iter().map(|customer| customer.name).collect();
    say(&format!(
        "Find the customers with the product in the cart, by its index: {waiting:?}."
    ));

    let order = Order {
        id: Id::new(),
        customer: ann.id,
        customer_name: ann.name.clone(),
        lines: vec![OrderLine {
            product_id: grommet.id,
            name: String::new(),
            price: "0".parse()?,
            quantity: 2,
        }],
    };
    Order::insert(db, &order).await?;
    let stored = Order::get(db, order.id)
        .await?
        .ok_or("it was just inserted")?;
    let placed = (
        stored.lines[0].name.clone(),
        stored.lines[0].price.to_string(),
    );
    say(&format!(
        "Place the order. Name and price come from the product, whatever the program wrote there: {placed:?}."
    ));

    Product::update(db, grommet.id)
        .set(|p| p.name, "#5 grommet")
        .set(|p| p.price, "4.50".parse::<Decimal128>()?)
        .await?;
    Customer::update(db, ann.id).set(|c| c.name, "Anna").await?;
    say("Rename the product, raise its price, and rename the customer.");
    let customer = Customer::get(db, ann.id).await?.ok_or("it is stored")?;
    let in_cart = customer.cart[0].name.clone();
    let order = Order::get(db, order.id).await?.ok_or("it is stored")?;
    let after = (
        order.customer_name,
        order.lines[0].name.clone(),
        order.lines[0].price.to_string(),
    );
    say(&format!(
        "The cart follows: {in_cart}. The order keeps what was agreed: {after:?}."
    ));
    Ok(Found {
        waiting,
        placed,
        in_cart,
        after,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("orders"));
    orders(&db, &log).await?;
    db.drop().await?;
    Ok(())
}
