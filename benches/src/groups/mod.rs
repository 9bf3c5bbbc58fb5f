//! What is measured: one module per group.

mod codec;
mod joins;

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

/// In the order in which they run and are shown.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        name: "codec",
        run: |context| codec::run(context).boxed_local(),
    },
    Group {
        name: "joins",
        run: |context| joins::run(context).boxed_local(),
    },
];
