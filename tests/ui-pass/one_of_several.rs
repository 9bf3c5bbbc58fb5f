// References to one of several models wherever they may be, of models that are neither public nor `Debug`.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "photos")]
pub struct Photo {
    #[serde(rename = "_id")]
    pub id: i32,
}

mod inner {
    use mongo_model::{Id, MongoEmbed, MongoModel};
    use serde::{Deserialize, Serialize};

    use super::{Photo, Post};

    #[derive(Serialize, Deserialize, MongoModel)]
    #[model(collection = "secrets")]
    pub(crate) struct Secret {
        #[serde(rename = "_id")]
        pub(crate) id: Id<Secret, String>,
    }

    #[derive(Clone, Serialize, Deserialize, MongoEmbed)]
    #[serde(tag = "type", content = "of", rename_all = "kebab-case")]
    pub(crate) enum Subject {
        Post(#[parent(Post)] Id<Post>),
        #[serde(rename = "picture")]
        Photo(#[parent(Photo, on_delete = keep)] i32),
        OldPhoto(#[parent(Photo)] i32),
        Secret(#[parent(Secret, missing = strict)] Id<Secret, String>),
    }
}

use inner::{Subject, SubjectLoaded};

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Inside {
    on: Subject,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "comments")]
struct Comment {
    #[serde(rename = "_id")]
    id: Id<Comment>,
    on: Subject,
    maybe: Option<Subject>,
    #[embed(max = 5)]
    tags: Vec<Subject>,
    inside: Inside,
}

fn name(loaded: &SubjectLoaded) -> String {
    match loaded {
        SubjectLoaded::Post(post) => post.title.clone(),
        SubjectLoaded::Photo(photo) | SubjectLoaded::OldPhoto(photo) => photo.id.to_string(),
        SubjectLoaded::Secret(secret) => secret.id.to_string(),
    }
}

fn ask(db: &mongo_model::Database, on: Subject) {
    let _ = Comment::find(db, |c| c.on.is(on.clone()).or(c.inside.on.is(&on)));
    let _ = Comment::find(db, |c| c.tags.any(|tag| tag.is(on.clone())));
    let _ = Comment::count(db, |c| c.maybe.is(on));
    let _ = Comment::load_any(db, &[] as &[Comment], |c| c.tags);
}

pub fn main() {
    let _ = (ask as fn(_, _), name as fn(&_) -> _);
    let photo = SubjectLoaded::Photo(Photo { id: 5 });
    assert_eq!(name(&photo), "5");
    let stored: Vec<_> = Comment::meta()
        .flat()
        .fields
        .iter()
        .filter(|field| field.relation.is_some())
        .map(|field| field.path.as_str())
        .collect();
    assert_eq!(stored.len(), 16);
    assert_eq!(stored[0], "on.of");
    assert_eq!(mongo_model::index::definitions(Comment::meta()).len(), 5);
}
