//! Texts that are nearly patches: whatever is read as one changes fields of the patch alone.

use std::collections::BTreeSet;

use bson::{Bson, Document};
use mongo_model::MongoModel;

use super::nested::{House, HousePatch, house};
use crate::common::alone;

const BODY: &str = r#"{"name":"Red","address":{"city":"Bergen","zip":"5003","note":null,"since":"2030-05-01T08:00:00Z","floors":4,
"spot":{"lat":60.4,"label":"quay"},"other":{"lat":1,"label":null}},"view":{"lat":-90,"label":"$name"}}"#;

const PIECES: [&str; 24] = [
    "",
    "0",
    "null",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"_id\":2,",
    "\"id\":2,",
    "\"secret\":\"x\",",
    "\"_dn\":{\"v\":9},",
    "\"_v\":9,",
    "\"$set\":{\"_id\":2},",
    "\"address.secret\":\"x\",",
    "$inc",
    "_dn.v",
    "{\"$literal\":1}",
    "NaN",
    "1e999",
    "\\u0000",
    "\"lat\":1,",
];

/// Values, of which some mean something to the server.
const VALUES: [&str; 16] = [
    "null",
    "0",
    "-1",
    "127",
    "1e999",
    "\"\"",
    "\"x\"",
    "\"$name\"",
    "\"$$ROOT\"",
    "\"a\\u0000b\"",
    "\"1969-12-31T23:59:59.9999Z\"",
    "{}",
    "[]",
    "{\"$literal\":1}",
    "{\"lat\":1,\"label\":\"$label\"}",
    "{\"label\":{\"$inc\":1}}",
];

/// The paths of a document's fields, down to the last.
fn paths(prefix: &str, document: &Document, into: &mut BTreeSet<String>) {
    for (key, value) in document {
        let path = format!("{prefix}{key}");
        match value {
            Bson::Document(inside) => paths(&format!("{path}."), inside, into),
            _ => _ = into.insert(path),
        }
    }
}

/// The places and pieces of edits, which are the same in each run.
struct Edits(u64);

impl Edits {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).expect("31 bits") % below
    }

    fn text(&mut self) -> Vec<u8> {
        let mut text = BODY.as_bytes().to_vec();
        for _ in 0..=self.next(3) {
            if self.next(4) > 0 {
                self.replace_value(&mut text);
                continue;
            }
            let at = self.next(text.len());
            let end = (at + self.next(8)).min(text.len());
            text.splice(at..end, PIECES[self.next(PIECES.len())].bytes());
        }
        text
    }

    /// Puts another value behind one of the colons.
    fn replace_value(&mut self, text: &mut Vec<u8>) {
        let from = self.next(text.len());
        let Some(colon) = text[from..].iter().position(|byte| *byte == b':') else {
            return;
        };
        let at = from + colon + 1;
        let length = text[at..].iter().position(|byte| b",}".contains(byte));
        let end = at + length.unwrap_or_default();
        text.splice(at..end, VALUES[self.next(VALUES.len())].bytes());
    }
}

#[tokio::test]
async fn what_is_nearly_a_patch_changes_fields_of_the_patch_alone() {
    alone("mutated", async |bench| {
        let db = &bench.db;
        let before = house(bench).await;
        let mut known = BTreeSet::new();
        paths("", &before, &mut known);
        for inside in ["address.other", "view"] {
            known.extend(["lat", "label"].map(|field| format!("{inside}.{field}")));
        }
        let secret = |house: &Document| {
            let address = house.get_document("address").expect("there");
            address.get("secret").cloned()
        };
        let (mut edits, mut read, mut changed) = (Edits(39), 0, 0);
        let bodies = (0..3_000).map(|_| edits.text());
        for body in std::iter::once(BODY.as_bytes().to_vec()).chain(bodies) {
            let Ok(patch) = serde_json::from_slice::<HousePatch>(&body) else {
                continue;
            };
            read += 1;
            changed += usize::from(House::update(db, 1).patch(patch).await.is_ok());
            let now = bench.stored("houses", 1).await;
            let mut found = BTreeSet::new();
            paths("", &now, &mut found);
            let body = String::from_utf8_lossy(&body);
            assert!(found.is_subset(&known), "{body}: {now}");
            assert_eq!(
                (now.get("_id"), secret(&now)),
                (before.get("_id"), secret(&before))
            );
            House::get(db, 1).required().await.expect("read back");
        }
        assert!(read > 200 && changed > 200, "{read}, {changed}");
    })
    .await;
}
