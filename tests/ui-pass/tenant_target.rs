// An id of another tenant's document cannot get in: a plain field is no reference, and a call with the tenant reads the document.

use mongo_model::{Id, MongoModel, Result, Tenant};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", tenant = org)]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "invoices", tenant = org)]
pub struct Invoice {
    #[serde(rename = "_id")]
    pub id: Id<Invoice>,
    pub org: i64,
    pub customer: Id<Customer>,
}

async fn customer_of(tenant: &Tenant<i64>, invoice: &Invoice) -> Result<Option<Customer>> {
    Customer::get(tenant, invoice.customer).await
}

pub fn main() {}
