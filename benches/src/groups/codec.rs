//! Documents between bytes and structs: the generated codec beside serde's.

use std::fmt::Debug;
use std::hint::black_box;

use bson::{Document, RawDocument, RawDocumentBuf};
use mongo_model::__private::{decode_document, encode_document};
use mongo_model::{Borrowed, MongoModel};

use crate::Result;
use crate::context::Context;
use crate::models::{Dn, Ledger, Line, LogMsg, Part, Sparse};
use crate::race::{Finished, Measure};
use crate::report::{Limit, Row, Section};

/// Different documents, so that no branch is learned by heart.
const DOCUMENTS: usize = 64;

/// How often each of them is handled in a turn.
const PASSES: usize = 16;

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let mut section = Section {
        name: "codec",
        ..Section::default()
    };
    shape(
        context,
        "LogMsg",
        |n| LogMsg::nth(n, 10),
        true,
        &mut section,
    )
    .await?;
    borrowed(context, &mut section).await?;
    shape(context, "Part", Part::nth, true, &mut section).await?;
    shape(context, "Dn", Dn::nth, false, &mut section).await?;
    shape(context, "Sparse", Sparse::nth, false, &mut section).await?;
    shape(context, "Ledger", Ledger::nth, false, &mut section).await?;
    Ok(section)
}

/// The same document backwards, between two fields that the struct does not have.
fn disordered(stored: &[u8]) -> Result<Vec<u8>> {
    let document = Document::try_from(RawDocument::from_bytes(stored)?)?;
    let mut out = bson::doc! { "__v": 3 };
    out.extend(document.into_iter().collect::<Vec<_>>().into_iter().rev());
    out.insert("unknown", "some text here");
    Ok(RawDocumentBuf::try_from(&out)?.into_bytes())
}

/// The text of a document left where it is.
async fn borrowed(context: &Context, section: &mut Section) -> Result<()> {
    let stored: Vec<Vec<u8>> = (0..DOCUMENTS)
        .map(|n| bson::serialize_to_vec(&LogMsg::nth(n, 10)))
        .collect::<std::result::Result<_, _>>()?;
    let serde = |bytes: &Vec<u8>| {
        black_box(bson::deserialize_from_slice::<Line<'_>>(bytes).expect("a document"));
    };
    let ours = |bytes: &Vec<u8>| {
        let raw = RawDocument::from_bytes(bytes).expect("a document");
        black_box(<Line<'_> as Borrowed<LogMsg>>::read(raw).expect("a document"));
    };
    let title = "decode LogMsg, borrowed";
    let race = context
        .race(title, 200)
        .computes("serde", || each(&stored, serde))
        .computes("mongo-model", || each(&stored, ours))
        .computes("memcpy", || each(&stored, |bytes| bytes.to_vec()))
        .run()
        .await?;
    let limit = Limit::Faster(5.0);
    section.rows.push(computed(title, &race, "serde", limit));
    section.tables.push(race.table("document", Measure::Client));
    Ok(())
}

/// `flat` documents are as fast to write as to copy.
async fn shape<M: MongoModel + Debug + PartialEq>(
    context: &Context,
    name: &str,
    nth: impl Fn(usize) -> M,
    flat: bool,
    section: &mut Section,
) -> Result<()> {
    let documents: Vec<M> = (0..DOCUMENTS).map(nth).collect();
    let stored: Vec<Vec<u8>> = documents
        .iter()
        .map(|document| bson::serialize_to_vec(document))
        .collect::<std::result::Result<_, _>>()?;
    let mixed: Vec<Vec<u8>> = stored
        .iter()
        .map(|stored| disordered(stored))
        .collect::<Result<_>>()?;
    for ((document, stored), mixed) in documents.iter().zip(&stored).zip(&mixed) {
        assert_eq!(encode_document(document)?.as_bytes(), stored, "same bytes");
        for bytes in [stored, mixed] {
            assert_eq!(decode::<M>(bytes), *document, "same value");
        }
    }
    let bytes = stored.iter().map(Vec::len).sum::<usize>() / DOCUMENTS;
    let optional = name == "Sparse";
    let rounds = 200;

    for (bytes_of, how, limit) in [
        (&stored, "", if optional { 3.0 } else { 5.0 }),
        (&mixed, ", out of order with unknown fields", 3.0),
    ] {
        let title = format!("decode {name}, {bytes} B{how}");
        let race = context
            .race(&title, rounds)
            .computes("serde", || {
                each(bytes_of, |bytes| {
                    bson::deserialize_from_slice::<M>(bytes).expect("a document")
                })
            })
            .computes("mongo-model", || each(bytes_of, |bytes| decode::<M>(bytes)))
            .computes("memcpy", || each(bytes_of, |bytes| bytes.to_vec()))
            .run()
            .await?;
        let limit = Limit::Faster(limit);
        section.rows.push(computed(&title, &race, "serde", limit));
        section.tables.push(race.table("document", Measure::Client));
    }

    let title = format!("encode {name}, {bytes} B");
    let mut reused = Vec::new();
    let race = context
        .race(&title, rounds)
        .computes("serde", || {
            each(&documents, |document| {
                bson::serialize_to_vec(document).expect("a document")
            })
        })
        .computes("serde, reused buffer", || {
            each(&documents, |document| {
                reused.clear();
                bson::serialize_to_buffer(document, &mut reused).expect("a document");
            })
        })
        .computes("mongo-model", || {
            each(&documents, |document| {
                encode_document(document).expect("a document")
            })
        })
        .computes("memcpy", || each(&stored, |bytes| bytes.to_vec()))
        .run()
        .await?;
    let limit = Limit::Faster(10.0);
    section.rows.push(computed(&title, &race, "serde", limit));
    if flat {
        let limit = Limit::AtMost(1.3);
        section.rows.push(computed(&title, &race, "memcpy", limit));
    }
    section.tables.push(race.table("document", Measure::Client));
    Ok(())
}

/// Compares work that only computes by CPU time: wall time would include waits for other programs of the machine.
fn computed(title: &str, race: &Finished, theirs: &str, limit: Limit) -> Row {
    let ratio = race.ratio("mongo-model", theirs, Measure::Client);
    Row::of(title, theirs, ratio, limit)
}

fn decode<M: MongoModel>(bytes: &[u8]) -> M {
    let raw = RawDocument::from_bytes(bytes).expect("a document");
    decode_document(raw).expect("a document")
}

/// Does the same with each many times, and counts.
fn each<T, O>(items: &[T], mut work: impl FnMut(&T) -> O) -> usize {
    for _ in 0..PASSES {
        for item in items {
            black_box(work(black_box(item)));
        }
    }
    items.len() * PASSES
}
