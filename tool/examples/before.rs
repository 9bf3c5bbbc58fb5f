//! The program before a rolling deploy, of which `after` is the next release. One fact of each model differs.

use std::process::ExitCode;

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

use self::rolling::{rolling, write_all};

mod rolling;

#[derive(Debug, Clone, Copy, Serialize, Deserialize, MongoEmbed)]
enum Colour {
    Red,
    Blue,
}

rolling!(Added "added" {});
rolling!(AddedRequired "added_required" {});
rolling!(Removed "removed" {
    city: Option<String> = |n| Some(format!("city {n}")),
});
rolling!(RemovedRequired "removed_required" {
    city: String = |n| format!("city {n}"),
});
rolling!(Renamed "renamed" {
    city: String = |n| format!("city {n}"),
});
rolling!(RenamedOptional "renamed_optional" {
    city: Option<String> = |n| Some(format!("city {n}")),
});
rolling!(Prepared "prepared" {
    #[serde(alias = "town")] city: String = |n| format!("city {n}"),
});
rolling!(MadeOptional "made_optional" {
    city: String = |n| format!("city {n}"),
});
rolling!(MadeRequired "made_required" {
    city: Option<String> = |n| (n % 3 == 0).then(|| format!("city {n}")),
});
rolling!(Widened "widened" {
    number: i32 = |n| n,
});
rolling!(Narrowed "narrowed" {
    number: i64 = |n| i64::from(n % 3) * 4_000_000_000,
});
rolling!(ToDouble "to_double" {
    number: i32 = |n| n,
});
rolling!(Retyped "retyped" {
    number: i32 = |n| n,
});
rolling!(VariantAdded "variant_added" {
    colour: Colour = |n| if n % 3 == 0 { Colour::Red } else { Colour::Blue },
});
rolling!(BoundRaised "bound_raised" {
    #[embed(max = 3)] parts: Vec<i32> = |n| vec![n],
});

fn main() -> ExitCode {
    rolling::main("before", 0, async |program| {
        write_all!(program, Added AddedRequired Removed RemovedRequired Renamed RenamedOptional Prepared MadeOptional MadeRequired Widened Narrowed ToDouble Retyped VariantAdded BoundRaised);
    })
}
