//! A mail with each ticket that is sold. Orders emit an event in the transaction that stores them, so no order is without its mails, and no mail is
//! about an order that was not stored.

use std::convert::Infallible;
use std::io;

use mongo_model::events::{Event as Emitted, Reader, Worked};
use mongo_model::{Database, Error, Id, MongoModel, Result, Tenant, Tenants};

use crate::models::{Customer, Order, OrderEvent, Organisation, Ticket};

/// A mail with a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The ticket. A reader may get an event twice: whoever delivers mails delivers one for each ticket.
    pub ticket: Id<Ticket>,
    pub to: String,
    pub subject: String,
}

/// Delivers mails, one for each ticket.
pub trait Post: Sync {
    fn deliver(&self, mail: Mail) -> impl Future<Output = io::Result<()>> + Send;
}

/// Writes mails to the log.
#[derive(Debug)]
pub struct Log;

impl Post for Log {
    async fn deliver(&self, mail: Mail) -> io::Result<()> {
        tracing::info!(ticket = %mail.ticket, subject = mail.subject, "mailed");
        Ok(())
    }
}

/// Why the mails of an order are not delivered; they are tried again.
#[derive(Debug, thiserror::Error)]
enum Undelivered {
    #[error(transparent)]
    Database(#[from] Error),
    #[error(transparent)]
    Post(#[from] io::Error),
}

type Shop = Tenant<Id<Organisation>>;

fn all(db: &Database) -> Shop {
    db.across_tenants("mails of all organisations")
}

fn reader(db: &Shop) -> Reader<'_, Order> {
    Order::events(db).reader("mails")
}

/// Delivers mails until the future is dropped.
pub async fn run(db: &Database, post: &impl Post) -> Result<Infallible> {
    let db = all(db);
    reader(&db).run(|event| mail(&db, post, event)).await
}

/// Delivers the mails that wait.
pub async fn work(db: &Database, post: &impl Post) -> Result<Worked> {
    let db = all(db);
    reader(&db).work(|event| mail(&db, post, event)).await
}

/// Gives the reader all orders once more.
pub async fn replay(db: &Database) -> Result<u64> {
    reader(&all(db)).replay(bson::DateTime::MIN).await
}

async fn mail(
    db: &Shop,
    post: &impl Post,
    event: Emitted<Order>,
) -> std::result::Result<(), Undelivered> {
    match event.value {
        OrderEvent::Placed => {
            let order = Order::get(db, event.id).with_deleted().required().await?;
            let customer = Customer::get(db, order.customer).with_deleted();
            let customer = customer.required().await?;
            for ticket in Ticket::by_order(db, order.id).ids().await? {
                let mail = Mail {
                    ticket,
                    to: customer.email.clone(),
                    subject: format!("Your ticket for {}", order.event_title),
                };
                post.deliver(mail).await?;
            }
            Ok(())
        }
    }
}
