// Functions with attributes and a visibility of their own are migrations too.

use mongo_model::{Id, Migration, MongoModel, Result, migration};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "members")]
pub struct Member {
    #[serde(rename = "_id")]
    pub id: Id<Member>,
    pub email: String,
}

#[migration]
#[allow(clippy::unused_async)]
pub(crate) async fn lower_emails(m: &Migration) -> Result<()> {
    let all = Member::scan(m.db(), |member| member.all());
    let lower = async |member: Member| {
        let email = member.email.to_lowercase();
        Member::update(m.db(), member.id).set(|member| member.email, email).await?;
        Ok(())
    };
    m.each(all, lower).batch(50).await?;
    Ok(())
}

#[migration(undo = lower_emails)]
async fn upper_emails(_m: &mongo_model::Migration) -> mongo_model::Result<()> {
    Ok(())
}

pub fn main() {}
