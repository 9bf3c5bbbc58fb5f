//! Events of an enum, of a struct and of a plain value, with readers and without.

use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
enum OrderEvent {
    Placed { seats: i64 },
    Paid,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events_orders", events(OrderEvent, readers(mails, r#type)))]
struct Order {
    #[serde(rename = "_id")]
    id: Id<Order>,
    paid: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events_notes", events = String)]
struct Note {
    #[serde(rename = "_id")]
    id: Id<Note>,
}

async fn pay(db: &Database, order: &Order, note: Id<Note>) -> mongo_model::Result<()> {
    let placed = OrderEvent::Placed { seats: 2 };
    Order::insert(db, order).emit(placed).await?;
    let paid = Order::update(db, order.id).only_if(|o| o.paid.eq(false));
    paid.set(|o| o.paid, true).emit(OrderEvent::Paid).await?;
    Note::update(db, note).emit("read".to_owned()).await?;
    let reader = Order::events(db).reader("type");
    let never = reader.run(|event| async move {
        match event.value {
            OrderEvent::Paid => Ok(()),
            OrderEvent::Placed { .. } => Err("no seats"),
        }
    });
    match never.await? {}
}

pub fn main() {
    let _ = pay;
}
