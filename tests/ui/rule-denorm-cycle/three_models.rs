// Three models that copy one field round, and five.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

macro_rules! copies {
    ($($model:ident in $collection:literal from $source:ident;)*) => {$(
        #[derive(Serialize, Deserialize, MongoModel)]
        #[model(collection = $collection)]
        pub struct $model {
            #[serde(rename = "_id")]
            pub id: Id<$model>,
            #[parent($source)]
            pub source: Id<$source>,
            #[denorm(from = $source, field = name)]
            pub name: String,
        }
    )*};
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[parent(Team)]
    pub team: Id<Team>,
    #[denorm(from = Team, field = motto)]
    pub motto: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[parent(Club)]
    pub club: Id<Club>,
    #[denorm(from = Club, field = words)]
    pub motto: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "clubs")]
pub struct Club {
    #[serde(rename = "_id")]
    pub id: Id<Club>,
    #[parent(Person)]
    pub head: Id<Person>,
    #[denorm(from = Person, field = motto)]
    pub words: String,
}

copies! {
    First in "first" from Second;
    Second in "second" from Third;
    Third in "third" from Fourth;
    Fourth in "fourth" from Fifth;
    Fifth in "fifth" from First;
}

fn main() {}
