use mongo_model::{Database, Id, MongoModel, Tenant};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orgs")]
pub struct Org {
    #[serde(rename = "_id")]
    pub id: Id<Org>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reports", tenant = org)]
pub struct Report {
    #[serde(rename = "_id")]
    pub id: Id<Report>,
    pub org: Id<Org>,
}

async fn not_moved(db: &Database, across: &Tenant<Id<Org>>, id: Id<Report>, org: Id<Org>) {
    let _ = Report::move_tenant(db, id, org);
    let _ = Report::move_tenant(across, id, 7);
    let _ = Org::move_tenant(across, org, org);
}

fn main() {}
