//! Persons with tasks, clubs and friends.

use bson::{Bson, Document};
use mongo_model::{Id, MongoModel, Outcome};
use serde::{Deserialize, Serialize};

use crate::common::Bench;
use crate::two_way::settled::shown;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "both_persons")]
pub(crate) struct Person {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Person>,
    pub(crate) name: String,
    #[refs(Task, inverse = owner, max = 4)]
    pub(crate) tasks: Vec<Id<Task>>,
    #[refs(Chore, inverse = who)]
    pub(crate) chores: Vec<Id<Chore>>,
    #[refs(Club, inverse = members, max = 3)]
    pub(crate) clubs: Vec<Id<Club>>,
    #[refs(Person, inverse = friends, max = 3)]
    pub(crate) friends: Vec<Id<Person>>,
}

/// It must have an owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "both_tasks")]
pub(crate) struct Task {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Task>,
    pub(crate) title: String,
    #[parent(Person, inverse = tasks)]
    pub(crate) owner: Id<Person>,
}

/// It may have no owner, and copies the owner's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "both_chores")]
pub(crate) struct Chore {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Chore>,
    #[parent(Person, inverse = chores)]
    pub(crate) who: Option<Id<Person>>,
    #[denorm(from = Person, field = name)]
    pub(crate) who_name: Option<String>,
}

/// Its members are the truth: `both_clubs.members` is before `both_persons.clubs`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "both_clubs")]
pub(crate) struct Club {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Club>,
    #[refs(Person, inverse = clubs, max = 3)]
    pub(crate) members: Vec<Id<Person>>,
}

pub(crate) fn person(name: &str) -> Person {
    Person {
        id: Id::new(),
        name: name.to_owned(),
        tasks: Vec::new(),
        chores: Vec::new(),
        clubs: Vec::new(),
        friends: Vec::new(),
    }
}

pub(crate) fn task(owner: &Person) -> Task {
    Task {
        id: Id::new(),
        title: "a task".to_owned(),
        owner: owner.id,
    }
}

pub(crate) fn chore(who: Option<&Person>) -> Chore {
    Chore {
        id: Id::new(),
        who: who.map(|who| who.id),
        who_name: None,
    }
}

pub(crate) fn club(members: &[&Person]) -> Club {
    Club {
        id: Id::new(),
        members: members.iter().map(|member| member.id).collect(),
    }
}

/// Three persons, stored.
pub(crate) async fn three(bench: &Bench) -> [Person; 3] {
    let models = [Person::meta(), Task::meta(), Chore::meta(), Club::meta()];
    bench.index(&models).await;
    let persons = [person("ann"), person("bob"), person("cay")];
    let stored = Person::insert_many(&bench.db, &persons).await;
    stored.expect("stored");
    bench.forget();
    persons
}

/// The ids in one list of a person's document, sorted.
pub(crate) async fn list(bench: &Bench, person: &Person, field: &str) -> Vec<Bson> {
    let mut ids = ids(&shown::<Person>(bench, &person.id).await, field);
    ids.sort_by_key(Bson::to_string);
    ids
}

pub(crate) fn ids(document: &Document, field: &str) -> Vec<Bson> {
    document.get_array(field).cloned().unwrap_or_default()
}

/// These ids as stored, in their order.
pub(crate) fn stored<M>(of: &[Id<M>]) -> Vec<Bson> {
    let mut ids: Vec<Bson> = of.iter().map(|id| Bson::from(*id.as_raw())).collect();
    ids.sort_by_key(Bson::to_string);
    ids
}

/// It was done, and nothing waits.
#[track_caller]
pub(crate) fn done(outcome: mongo_model::Result<Outcome>) -> Outcome {
    let outcome = outcome.expect("done");
    assert_eq!(outcome.pending, []);
    outcome
}
