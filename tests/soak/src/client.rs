//! A client that writes the same documents as others, for ever. It is killed at any moment.

use std::io::Write;

use bson::oid::ObjectId;
use mongo_model::{Database, Error, Level, MongoModel};

use crate::family::Family;
use crate::models::{
    Bin, Label, Part, Product, Stock, bin, entry, key, label, part, product, stock,
};
use crate::random::Random;

/// How many parts there are.
pub const PARTS: u8 = 6;
/// How many products there may be.
pub const PRODUCTS: u8 = 6;
/// How many stocks there may be.
pub const STOCKS: u8 = 20;
/// How many bins there are, each with a label.
pub const BINS: u8 = 6;
/// The longest pause inside an operation, in milliseconds.
const PAUSE: u8 = 25;

/// Steps of a write that come late, as on a bad network, so that what stops a writer or passes it on the way often comes between
/// two of them.
const APART: [&str; 2] = ["before_w2", "mid_w2"];

/// The way copies are kept correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// By flags that outlive the writer.
    Model,
    /// By the writer alone, which is what most programs do by hand: the same calls at [`Level::FireAndForget`].
    Naive,
}

impl Mode {
    /// `model` or `naive`.
    #[must_use]
    pub fn named(name: &str) -> Option<Mode> {
        match name {
            "model" => Some(Mode::Model),
            "naive" => Some(Mode::Naive),
            _ => None,
        }
    }

    /// The name of the mode.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Model => "model",
            Mode::Naive => "naive",
        }
    }
}

/// Stores the initial documents of a run.
///
/// # Errors
/// The library's.
pub async fn seed(db: &Database) -> mongo_model::Result<()> {
    let parts: Vec<Part> = (0..PARTS).map(|n| part(n, "first")).collect();
    Part::insert_many(db, &parts).await?;
    let products = (0..PRODUCTS).map(|n| product(n, (0..3).map(|n| entry(n, "first")).collect()));
    Product::insert_many(db, &products.collect::<Vec<_>>()).await?;
    let stocks = (0..STOCKS).map(|n| stock(n, n % PARTS, "first"));
    Stock::insert_many(db, &stocks.collect::<Vec<_>>()).await?;
    let bins = (0..BINS).map(|n| bin(n, Some(n % PARTS)));
    Bin::insert_many(db, &bins.collect::<Vec<_>>()).await?;
    let labels = (0..BINS).map(|n| label(n, n));
    Label::insert_many(db, &labels.collect::<Vec<_>>()).await?;
    Ok(())
}

/// Writes until it is killed. Each acknowledged write is a `.` on standard output.
pub async fn run(db: &Database, family: Family, mode: Mode, seed: u64) -> std::convert::Infallible {
    let mut random = Random::new(seed);
    let late = match mode {
        Mode::Model => "50%sleep(50)",
        // More unflagged writes are under way at any moment; otherwise a short run shows the fault by chance only.
        Mode::Naive => "sleep(200)",
    };
    for point in APART {
        fail::cfg(format!("mongo_model::{point}"), late).expect("an action");
    }
    loop {
        match family.step(db, mode, &mut random).await {
            Ok(()) => {
                // The parent no longer reads the output: the kill is near.
                let _ = std::io::stdout().write_all(b".");
                let _ = std::io::stdout().flush();
            }
            Err(error) if family.expects(&error) => {}
            Err(error) => eprintln!("client: {error}"),
        }
        random.pause(PAUSE).await;
    }
}

/// True if a client may get this error: no source of copies is ever deleted, every index is there, and all that is read was written by
/// this program.
#[must_use]
pub fn expected(error: &Error) -> bool {
    matches!(
        error,
        Error::Driver(_)
            | Error::Duplicate { .. }
            | Error::NotFound { .. }
            | Error::Full { .. }
            | Error::NotDurable { .. }
    )
}

/// A name that was never used before.
fn fresh() -> String {
    format!("n{}", ObjectId::new().to_hex())
}

/// One operation of the library, on documents that every other client uses as well.
///
/// # Errors
/// The library's.
pub(crate) async fn step(
    db: &Database,
    mode: Mode,
    random: &mut Random,
) -> mongo_model::Result<()> {
    let (n, m) = (random.below(PARTS), random.below(PARTS));
    let (level, kinds) = match mode {
        Mode::Model => (Level::Eventual, 20),
        Mode::Naive => (Level::FireAndForget, 40),
    };
    match random.below(kinds) {
        0..=2 | 20.. => {
            let rename = Part::update(db, key(n)).set(|p| p.name, fresh());
            rename.level(level).await?;
        }
        3 => {
            let unit = (random.below(3) > 0).then(fresh);
            let change = Part::update(db, key(n)).set(|p| p.unit, unit);
            change.level(level).await?;
        }
        // An update of many is flagged at every level.
        4 if mode == Mode::Model => {
            let ids = [key(n), key(m), key((n + 1) % PARTS)];
            Part::update_many(db, |p| p.id.is_in(ids))
                .set(|p| p.name, fresh())
                .await?;
        }
        5 => {
            let Some(mut read) = Part::get(db, key(n)).await? else {
                return Ok(());
            };
            random.pause(PAUSE).await;
            if random.below(2) > 0 {
                read.name = fresh();
            }
            read.save(db).level(level).await?;
        }
        6 | 7 => {
            let Some(read) = Part::get(db, key(n)).await? else {
                return Ok(());
            };
            random.pause(PAUSE).await;
            Product::update(db, key(random.below(PRODUCTS)))
                .push(|p| p.parts, entry(n, &read.name))
                .await?;
        }
        8 => {
            Product::update(db, key(random.below(PRODUCTS)))
                .pull_where(|p| p.parts, |e| e.id.eq(key(n)))
                .await?;
        }
        9 | 10 => save_product(db, random, n, m).await?,
        11 => {
            let id = random.below(PRODUCTS);
            Product::delete(db, key(id)).await?;
            let read = Part::get(db, key(n)).await?;
            random.pause(PAUSE).await;
            let name = read.map_or_else(String::new, |part| part.name);
            Product::insert(db, &product(id, vec![entry(n, &name), entry(m, "wrong")])).await?;
        }
        12 | 13 => {
            let id = random.below(STOCKS);
            let read = Stock::get(db, key(id)).await?;
            let mut read = read.unwrap_or_else(|| stock(id, m, "wrong"));
            random.pause(PAUSE).await;
            read.part = key(n);
            read.count += 1;
            read.save(db).await?;
        }
        14 | 15 => insert_stocks(db, random, n).await?,
        16 | 17 => {
            let stock = Stock::update(db, key(random.below(STOCKS)));
            stock.set(|s| s.part, key(n)).await?;
        }
        18 => {
            let to = (random.below(4) > 0).then(|| key(n));
            let bin = Bin::update(db, key(random.below(BINS)));
            bin.set(|b| b.part, to).level(level).await?;
        }
        _ => {
            let label = Label::update(db, key(random.below(BINS)));
            label.set(|l| l.bin, key(random.below(BINS))).await?;
        }
    }
    Ok(())
}

/// Saves a product read earlier: sometimes as it was, sometimes with other parts.
async fn save_product(db: &Database, random: &mut Random, n: u8, m: u8) -> mongo_model::Result<()> {
    let id = random.below(PRODUCTS);
    let read = Product::get(db, key(id)).await?;
    let mut read = read.unwrap_or_else(|| product(id, vec![entry(n, "wrong")]));
    random.pause(PAUSE).await;
    read.title = fresh();
    match random.below(3) {
        0 => {
            read.parts.retain(|entry| entry.id != key(n));
            read.parts.push(entry(n, "wrong"));
            read.parts.truncate(8);
        }
        1 => read.parts = vec![entry(m, "wrong")],
        _ => {}
    }
    let save = read.save(db);
    if random.below(4) == 0 {
        save.refresh().await?;
    } else {
        save.await?;
    }
    Ok(())
}

/// Replaces three stocks by new ones, sometimes lazily.
async fn insert_stocks(db: &Database, random: &mut Random, n: u8) -> mongo_model::Result<()> {
    let first = random.below(STOCKS - 2);
    let new: Vec<Stock> = (first..first + 3).map(|id| stock(id, n, "wrong")).collect();
    for old in &new {
        match Stock::delete(db, old.id).await {
            Ok(_) | Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    random.pause(PAUSE).await;
    match random.below(3) {
        0 => drop(Stock::insert_many(db, &new).await?),
        1 => drop(Stock::insert_many(db, &new).lazy(true).await?),
        _ => {
            for new in &new {
                Stock::insert(db, new).await?;
            }
        }
    }
    Ok(())
}
