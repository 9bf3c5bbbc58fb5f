//! Functions that change the demo's database once.

use bson::Document;
use mongo_model::filter::everything;
use mongo_model::{Migration, MongoModel, Result, migration};

use crate::shop::{Part, Product};

/// No program reads the collection.
#[migration]
async fn drop_audit(m: &Migration) -> Result<()> {
    Ok(m.db().collection::<Document>("audit").drop().await?)
}

/// Older programs wrote the numbers of parts in small letters.
#[migration(after = "drop_audit", undo = lower_partnos)]
async fn raise_partnos(m: &Migration) -> Result<()> {
    rewrite_partnos(m, str::to_uppercase).await
}

async fn lower_partnos(m: &Migration) -> Result<()> {
    rewrite_partnos(m, str::to_lowercase).await
}

async fn rewrite_partnos(m: &Migration, rewrite: fn(&str) -> String) -> Result<()> {
    let parts = Part::scan(m.db(), |_| everything());
    let change = async |part: Part| {
        let partno = rewrite(&part.partno);
        Part::update(m.db(), part.id)
            .set(|p| p.partno, partno)
            .await?;
        Ok(())
    };
    m.each(parts, change).await.map(drop)
}

/// Names have no space around them. A product that is none stops it.
#[migration(after = "drop_audit")]
async fn trim_names(m: &Migration) -> Result<()> {
    let products = Product::scan(m.db(), |_| everything());
    let change = async |product: Product| {
        let name = product.name.trim().to_owned();
        Product::update(m.db(), product.id)
            .set(|p| p.name, name)
            .await?;
        Ok(())
    };
    m.each(products, change).await.map(drop)
}
