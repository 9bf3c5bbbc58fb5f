// What not every model can do, asked of any model.

use mongo_model::MongoModel;

pub fn insert<M: MongoModel>(db: &M::Db, document: &M) {
    let _ = M::insert(db, document);
}

pub fn save<M: MongoModel>(db: &M::Db, document: &M) {
    let _ = document.save(db);
}

fn main() {}
