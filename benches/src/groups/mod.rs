//! The measurements: one module per group.

mod checks;
mod codec;
mod compile;
mod events;
mod fan_out;
mod growth;
mod history;
mod inserts;
mod joins;
mod logs;
mod parts;
mod peers;
mod places;
mod promises;
mod rollups;
pub(crate) mod scale;
mod updates;
mod walls;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::Result;
use crate::context::Context;
use crate::report::Section;

/// A name to ask for, and what then runs.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) run: for<'a> fn(&'a Context) -> LocalBoxFuture<'a, Result<Section>>,
}

macro_rules! groups {
    ($($name:literal: $module:ident),* $(,)?) => {
        /// In the order in which they run and are shown.
        pub(crate) const GROUPS: &[Group] = &[$(Group {
            name: $name,
            run: |context| $module::run(context).boxed_local(),
        }),*];
    };
}

groups! {
    "codec": codec,
    "joins": joins,
    "logs": logs,
    "inserts": inserts,
    "checks": checks,
    "updates": updates,
    "walls": walls,
    "promises": promises,
    "rollups": rollups,
    "parts": parts,
    "places": places,
    "history": history,
    "events": events,
    "fan-out": fan_out,
    "growth": growth,
    "compile": compile,
    "peers": peers,
    "scale": scale,
}
