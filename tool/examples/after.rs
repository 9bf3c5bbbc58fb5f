//! The program that a rolling deploy brings, after `before`. One fact of each model differs.

use std::process::ExitCode;

use mongo_model::filter::everything;
use mongo_model::{Migration, MongoEmbed, MongoModel, Result, migration};
use serde::{Deserialize, Serialize};

use self::rolling::{rolling, write_all};

mod rolling;

#[derive(Debug, Clone, Copy, Serialize, Deserialize, MongoEmbed)]
enum Colour {
    Red,
    Blue,
    Green,
}

rolling!(Added "added" {
    city: Option<String> = |n| Some(format!("city {n}")),
});
rolling!(AddedRequired "added_required" {
    city: String = |n| format!("city {n}"),
});
rolling!(Removed "removed" {});
rolling!(RemovedRequired "removed_required" {});
rolling!(Renamed "renamed" {
    #[serde(alias = "city")] town: String = |n| format!("city {n}"),
});
rolling!(RenamedOptional "renamed_optional" {
    #[serde(alias = "city")] town: Option<String> = |n| Some(format!("city {n}")),
});
rolling!(Prepared "prepared" {
    #[serde(alias = "city")] town: String = |n| format!("city {n}"),
});
rolling!(MadeOptional "made_optional" {
    city: Option<String> = |n| (n % 3 == 0).then(|| format!("city {n}")),
});
rolling!(MadeRequired "made_required" {
    city: String = |n| format!("city {n}"),
});
rolling!(Widened "widened" {
    number: i64 = |n| i64::from(n % 3) * 4_000_000_000,
});
rolling!(Narrowed "narrowed" {
    number: i32 = |n| n,
});
rolling!(ToDouble "to_double" {
    number: f64 = |n| f64::from(n) + 0.5,
});
rolling!(Retyped "retyped" {
    number: String = |n| n.to_string(),
});
rolling!(VariantAdded "variant_added" {
    colour: Colour = |n| [Colour::Red, Colour::Blue, Colour::Green][n as usize % 3],
});
rolling!(BoundRaised "bound_raised" {
    #[embed(max = 9)] parts: Vec<i32> = |n| vec![n],
});

/// A migration that is interrupted counts some documents twice.
#[migration]
async fn count_all(m: &Migration) -> Result<()> {
    let all = Added::scan(m.db(), |_| everything());
    m.each(all, async |one: Added| {
        Added::update(m.db(), one.id)
            .inc(|m| m.touched, 1)
            .await
            .map(drop)
    })
    .await
    .map(drop)
}

fn main() -> ExitCode {
    rolling::main("after", 1, async |program| {
        write_all!(program, Added AddedRequired Removed RemovedRequired Renamed RenamedOptional Prepared MadeOptional MadeRequired Widened Narrowed ToDouble Retyped VariantAdded BoundRaised);
    })
}
