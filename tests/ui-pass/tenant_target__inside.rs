// References, copies, numbers and lists between models of one tenant, and to what all tenants share.

use mongo_model::{Id, MongoModel, Result, Tenant};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "plans")]
pub struct Plan {
    #[serde(rename = "_id")]
    pub id: Id<Plan>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", tenant = org)]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    pub org: i64,
    pub name: String,
    #[parent(Plan)]
    pub plan: Id<Plan>,
    #[count(Invoice)]
    pub invoices: i64,
    #[sum(Invoice, field = cents)]
    pub cents: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "invoices", tenant = shop)]
pub struct Invoice {
    #[serde(rename = "_id")]
    pub id: Id<Invoice>,
    pub shop: i64,
    pub cents: i64,
    #[parent(Customer, on_delete = cascade)]
    pub customer: Id<Customer>,
    #[denorm(from = Customer, field = name)]
    pub name: String,
    #[refs(Invoice, max = 5, on_delete = pull)]
    pub before: Vec<Id<Invoice>>,
}

async fn customers_of(tenant: &Tenant<i64>, invoices: &[Invoice]) -> Result<()> {
    Invoice::load_customer_many(tenant, invoices).await?;
    Invoice::load(tenant, invoices, |i| i.before).await?;
    Customer::by_plan(tenant, Id::new()).await?;
    let plans = Customer::scan(tenant, |c| c.all()).await?;
    Customer::load_plan_many(tenant.database(), &plans).await?;
    Ok(())
}

pub fn main() {}
