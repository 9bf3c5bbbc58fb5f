//! Writes that are stopped half way, each on documents that [`prepare`] stores.

use mongo_model::{Database, MongoModel, recover, transaction};

use crate::models::{
    Bin, COLLECTIONS, Label, Part, Product, Stock, bin, entry, key, label, part, product, stock,
};

/// The writes by name.
pub const STEPS: [&str; 19] = [
    "rename",
    "clear a field",
    "rename many",
    "save a source",
    "save a new source",
    "insert",
    "insert many",
    "insert lazily",
    "push",
    "save other parts",
    "save and refresh",
    "save a new target",
    "save own fields",
    "save elsewhere",
    "re-point",
    "re-point a copied copy",
    "point to nothing",
    "insert a copied copy",
    "recover",
];

/// Writes that need a replica set.
pub const IN_TRANSACTION: [&str; 3] = [
    "rename in a transaction",
    "insert in a transaction",
    "re-point in a transaction",
];

/// Every point of the library where a write of copies can stop.
pub const POINTS: [&str; 12] = [
    "before_w1",
    "after_w1",
    "before_w2",
    "mid_w2",
    "after_w2",
    "after_w3",
    "before_i1",
    "after_i1",
    "after_i2",
    "after_i3",
    "sweep_after_read",
    "sweep_after_fix",
];

/// Stores two parts, a product of both, two stocks and a bin with a label, all of them right and without a flag, and nothing else.
/// The indexes have to be there.
///
/// # Errors
/// The library's, and the driver's.
pub async fn prepare(db: &Database) -> mongo_model::Result<()> {
    for collection in COLLECTIONS {
        let all = db.collection::<bson::Document>(collection);
        all.delete_many(bson::doc! {}).await?;
    }
    let mut nut = part(1, "nut");
    nut.unit = Some("g".to_owned());
    Part::insert_many(db, [&part(0, "bolt"), &nut]).await?;
    Product::insert(db, &product(0, vec![entry(0, "bolt"), entry(1, "nut")])).await?;
    Stock::insert_many(db, [&stock(0, 0, "bolt"), &stock(1, 1, "nut")]).await?;
    Bin::insert(db, &bin(0, Some(0))).await?;
    Label::insert(db, &label(0, 0)).await?;
    Ok(())
}

/// Leaves work for `recover`: a change and new copies whose writers are gone.
///
/// # Errors
/// The library's, and the driver's.
pub async fn leave_flags(db: &Database) -> mongo_model::Result<()> {
    use bson::doc;
    let raw = |name: &str| db.collection::<bson::Document>(name);
    let part = *key::<Part>(0).as_raw();
    let change = doc! {
        "$set": { "name": "nail" },
        "$inc": { "_dn.r": 1 },
        "$addToSet": { "_dn.p": { "$each": ["products.parts", "stocks.part", "bins.part"] } },
    };
    raw("parts")
        .update_one(doc! { "_id": part }, change)
        .await?;
    let stock = *key::<Stock>(1).as_raw();
    let change = doc! {
        "$set": { "part_name": "wrong" },
        "$unset": { "_r_part": "" },
        "$push": { "_dn.u": { "t": bson::oid::ObjectId::new() } },
    };
    raw("stocks")
        .update_one(doc! { "_id": stock }, change)
        .await?;
    Ok(())
}

/// Runs one write. It can be run twice.
///
/// # Errors
/// The library's errors, and those that a fail point causes.
///
/// # Panics
/// If there is no step of this name.
pub async fn run(db: &Database, step: &str) -> mongo_model::Result<()> {
    match step {
        "rename" => {
            Part::update(db, key(0)).set(|p| p.name, "screw").await?;
        }
        "clear a field" => {
            Part::update(db, key(1)).unset(|p| p.unit).await?;
        }
        "rename many" => {
            let both = [key(0), key(1)];
            Part::update_many(db, |p| p.id.is_in(both))
                .set(|p| p.name, "screw")
                .await?;
        }
        "save a source" => {
            part(1, "screw").save(db).await?;
        }
        "save a new source" => {
            part(2, "screw").save(db).await?;
        }
        "insert" => {
            let new = product(1, vec![entry(0, "wrong"), entry(1, "wrong")]);
            Product::insert(db, &new).await?;
        }
        "insert many" => {
            Stock::insert_many(db, [&stock(2, 0, "wrong"), &stock(3, 1, "wrong")]).await?;
        }
        "insert lazily" => {
            let new = product(1, vec![entry(0, "wrong"), entry(1, "wrong")]);
            Product::insert(db, &new).lazy(true).await?;
        }
        "push" => {
            let nut = Product::update(db, key(0)).pull_where(|p| p.parts, |e| e.id.eq(key(1)));
            nut.await?;
            Product::update(db, key(0))
                .push(|p| p.parts, entry(1, "wrong"))
                .await?;
        }
        "save other parts" => {
            product(0, vec![entry(1, "wrong")]).save(db).await?;
        }
        "save and refresh" => {
            product(0, vec![entry(0, "wrong"), entry(1, "wrong")])
                .save(db)
                .refresh()
                .await?;
        }
        "save a new target" => {
            product(1, vec![entry(0, "wrong"), entry(1, "wrong")])
                .save(db)
                .await?;
        }
        "save own fields" => {
            product(0, vec![entry(0, "wrong"), entry(1, "wrong")])
                .save(db)
                .await?;
        }
        "save elsewhere" => {
            stock(0, 1, "wrong").save(db).await?;
        }
        "re-point" => {
            Stock::update(db, key(0)).set(|s| s.part, key(1)).await?;
        }
        "re-point a copied copy" => {
            let other = Some(key(1));
            Bin::update(db, key(0)).set(|b| b.part, other).await?;
        }
        "point to nothing" => {
            Bin::update(db, key(0)).unset(|b| b.part).await?;
        }
        "insert a copied copy" => {
            Bin::insert(db, &bin(1, Some(0))).await?;
            Label::insert(db, &label(1, 0)).await?;
        }
        "rename in a transaction" => {
            transaction(db, async |tx| {
                let first = Part::update(db, key(0)).set(|p| p.name, "screw");
                first.within(tx).await?;
                part(1, "screw").save(db).within(tx).await?;
                Ok(())
            })
            .await?;
        }
        "insert in a transaction" => {
            let new = product(1, vec![entry(0, "wrong"), entry(1, "wrong")]);
            transaction(db, async |tx| {
                Product::insert(db, &new).within(tx).await?;
                Stock::insert_many(db, [&stock(2, 0, "wrong"), &stock(3, 1, "wrong")])
                    .within(tx)
                    .await?;
                let rename = Part::update(db, key(0)).set(|p| p.name, "screw");
                rename.within(tx).await?;
                Ok(())
            })
            .await?;
        }
        "re-point in a transaction" => {
            transaction(db, async |tx| {
                let other = Stock::update(db, key(0)).set(|s| s.part, key(1));
                other.within(tx).await?;
                let other = Bin::update(db, key(0)).set(|b| b.part, Some(key(1)));
                other.within(tx).await?;
                Ok(())
            })
            .await?;
        }
        "recover" => {
            recover(db).await?;
        }
        _ => panic!("there is no step {step}"),
    }
    Ok(())
}
