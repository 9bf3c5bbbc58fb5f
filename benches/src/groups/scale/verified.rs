//! Very many references are compared with their sources: in a stream, with the memory of a few.

use std::time::Instant;

use mongo_model::verify;

use super::{Message, create, memory, store_messages};
use crate::Result;
use crate::context::Context;
use crate::report::{Row, Section};

const SERVERS: usize = 1_000;

pub(super) async fn measure(context: &Context, section: &mut Section) -> Result<()> {
    let all = context.size(context.sizes.references, 2_000);
    let tenth = all / 10;
    create(context, SERVERS).await?;
    let mut grown = Vec::new();
    for (from, to) in [(0, tenth), (tenth, all)] {
        eprintln!("   storing the references up to {to}");
        store_messages(&context.db, from..to, |n| n % SERVERS).await?;
        eprintln!("   a verification of {to} references");
        let start = Instant::now();
        let (found, mebibytes) =
            memory::grown(async { verify(&context.db).only::<Message>().await }).await;
        let seconds = start.elapsed().as_secs_f64();
        let found = found?;
        if !found.is_clean() {
            return Err(format!("copies are wrong: {found}").into());
        }
        section.notes.push(format!(
            "A verification of {to} references takes {seconds:.1} s ({:.2} µs each); the client grows by {mebibytes:.1} MiB.",
            seconds * 1e6 / to as f64
        ));
        grown.push(mebibytes);
    }
    let work = format!("verify of {all} references");
    section.rows.push(Row::number(
        work,
        "memory of the client",
        grown[1],
        64.0,
        "MiB",
    ));
    Ok(())
}
