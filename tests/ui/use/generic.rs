// What not every model can do, asked of any model.

use mongo_model::{Database, MongoModel};

pub fn insert<M: MongoModel>(db: &Database, document: &M) {
    let _ = M::insert(db, document);
}

pub fn save<M: MongoModel>(db: &Database, document: &M) {
    let _ = document.save(db);
}

fn main() {}
