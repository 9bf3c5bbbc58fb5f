//! Orders of tickets, which emit events, and the invoices that follow them.

use std::io;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

/// An order of seats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "guide_orders",
    events(OrderEvent, readers(mails, billing))
)]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    pub seats: i64,
    pub paid: bool,
}

/// An event of an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
pub enum OrderEvent {
    Placed { seats: i64 },
    SeatsAdded { seats: i64 },
    Paid,
    Cancelled,
}

/// The invoice of an order, with the `_id` of the order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_invoices")]
pub struct Invoice {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    pub seats: i64,
    /// The number of the latest event that the invoice contains.
    pub last_event: i64,
}

/// An order of this number of seats that is not paid.
#[must_use]
pub fn order(seats: i64) -> Order {
    Order {
        id: Id::new(),
        seats,
        paid: false,
    }
}

/// Stands for a mail that says that an order is paid.
///
/// # Errors
/// None here; those of the network elsewhere.
pub async fn send_mail(order: Id<Order>) -> io::Result<()> {
    println!("order {order} is paid");
    Ok(())
}
