//! JSON from outside as the structs of a web API. Also the body of a fuzz target: `schema-runtime/fuzz`.

use std::collections::BTreeMap;

use bson::{Bson, DateTime, Decimal128, Uuid};
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
#[model(patch(StopPatch, derive(Debug)))]
pub(crate) struct Stop {
    at: DateTime,
    fee: Option<Decimal128>,
    #[embed(max = 5)]
    by: Vec<Uuid>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "trips",
    new(NewTrip, deserialize, derive(Debug)),
    view(TripView, skip(id, version, created), derive(Debug)),
    patch(TripPatch, nested(base = StopPatch, home = StopPatch), derive(Debug))
)]
pub(crate) struct Trip {
    #[serde(rename = "_id")]
    id: Id<Trip>,
    title: String,
    #[serde(default)]
    note: Option<String>,
    starts: DateTime,
    #[embed(max = 5)]
    days: BTreeMap<String, DateTime>,
    #[embed(max = 5)]
    stops: Vec<Stop>,
    base: Stop,
    home: Option<Stop>,
    price: Decimal128,
    share: f64,
    seats: u8,
    token: Uuid,
    any: Option<Bson>,
    #[version]
    version: i64,
    #[created]
    created: DateTime,
}

/// Reads a text as each struct. The JSON of an answer is read back as the document that it shows. True if there was a new document.
pub(crate) fn fuzz(input: &[u8]) -> bool {
    // Its message can be written.
    let _ = serde_json::from_slice::<TripPatch>(input).map_err(|error| error.to_string());
    let Ok(new) = serde_json::from_slice::<NewTrip>(input) else {
        return false;
    };
    let Ok(json) = serde_json::to_string(&TripView::from(Trip::from(new))) else {
        return true;
    };
    let again = serde_json::from_str::<NewTrip>(&json);
    let again = Trip::from(again.unwrap_or_else(|error| panic!("{error}: {json}")));
    let twice = serde_json::to_string(&TripView::from(again)).expect("written before");
    assert_eq!(json, twice);
    let patch = serde_json::from_str::<TripPatch>(&json);
    assert!(patch.is_ok(), "{patch:?}: {json}");
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::fuzz;

    /// A body that is read, with which the fuzzer begins as well.
    const BODY: &str = include_str!("../../fuzz/corpus/exchange/trip");

    #[test]
    fn the_body_is_read() {
        assert!(fuzz(BODY.as_bytes()));
    }

    proptest! {
        /// Pieces of the body, and of what means something in JSON or in BSON, at other places.
        #[test]
        fn no_text_makes_it_panic_and_an_answer_is_read_back(
            edits in prop::collection::vec((0..BODY.len(), 0..12_usize, 0..PIECES.len()), 0..4)
        ) {
            let mut text = BODY.as_bytes().to_vec();
            for (at, length, piece) in edits {
                let at = at.min(text.len());
                let end = (at + length).min(text.len());
                text.splice(at..end, PIECES[piece].bytes());
            }
            fuzz(&text);
        }
    }

    const PIECES: [&str; 20] = [
        "",
        "0",
        "-1",
        "1e400",
        "0.1",
        "null",
        "\"",
        "[",
        "{",
        "}",
        ",",
        ":",
        "\"any\":",
        "9999",
        "1E6144",
        "NaN",
        "{\"$oid\":\"65f000000000000000000001\"}",
        "{\"$date\":1}",
        "{\"$numberDouble\":\"NaN\"}",
        "\\u0000",
    ];
}
