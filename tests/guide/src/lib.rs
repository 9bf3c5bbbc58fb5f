//! The code blocks of `guide/` are the doctests of this package: a page whose example does not compile, or does not do what it
//! says, fails `cargo test -p mongo-model-guide`.
//!
//! A block that talks to a server either runs, inside [`run`], or is `no_run`: it is then only compiled. Models that several pages use are in [`models`].

pub mod models;

pub use models::{logs, people, shop, tickets, tree, work};

use std::error::Error;

use mongo_model::{Database, sync_indexes};
use mongo_model_dev_server::{DevServer, Topology};

/// Runs an example against a private standalone server, in a database that has the indexes of [`models::all`].
///
/// # Panics
/// If there is no server, or the example fails.
pub fn run(example: impl AsyncFnOnce(&Database) -> Result<(), Box<dyn Error>>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    if let Err(error) = runtime.block_on(prepare_and_run(example)) {
        panic!("{error}");
    }
}

async fn prepare_and_run(
    example: impl AsyncFnOnce(&Database) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let db = server.client().await?.database(&server.unique_db("guide"));
    sync_indexes(&db).models(&models::all()).await?;
    let outcome = example(&db).await;
    db.drop().await?;
    outcome
}

/// A private module per page, so that its code blocks are doctests. `tests/pages.rs` compares the list with the summary.
macro_rules! pages {
    ($($name:ident = $path:literal,)*) => {$(
        #[cfg(doctest)]
        #[doc = include_str!(concat!("../../../guide/src/", $path))]
        mod $name {}
    )*};
}

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

/// The documentation of the derives: in their own package the examples would need the library, which needs the derives.
#[cfg(doctest)]
mod derives {
    #[doc = include_str!("../../../schema-derive/src/docs/model.md")]
    mod model {}
    #[doc = include_str!("../../../schema-derive/src/docs/embed.md")]
    mod embed {}
    #[doc = include_str!("../../../schema-derive/src/docs/projection.md")]
    mod projection {}
    #[doc = include_str!("../../../schema-derive/src/docs/migration.md")]
    mod migration {}
}

pages! {
    introduction = "introduction.md",
    start_why = "start/why.md",
    start_ten_minute_shop = "start/ten-minute-shop.md",
    start_cheat_sheet = "start/cheat-sheet.md",
    start_service = "start/service.md",
    start_reading_an_error = "start/reading-an-error.md",
    start_editor = "start/editor.md",
    start_from_the_driver = "start/from-the-driver.md",
    start_from_mongoose = "start/from-mongoose.md",
    start_from_sql = "start/from-sql.md",
    modelling_five_questions = "modelling/five-questions.md",
    modelling_embed = "modelling/embed.md",
    modelling_refs = "modelling/refs.md",
    modelling_parent = "modelling/parent.md",
    modelling_copies = "modelling/copies.md",
    modelling_two_way = "modelling/two-way.md",
    modelling_last_n_and_counts = "modelling/last-n-and-counts.md",
    modelling_kinds = "modelling/kinds.md",
    modelling_buckets = "modelling/buckets.md",
    modelling_sizes = "modelling/sizes.md",
    modelling_checks = "modelling/checks.md",
    modelling_checks_of_documents = "modelling/checks-of-documents.md",
    patterns_index = "patterns/index.md",
    patterns_extended_reference = "patterns/extended-reference.md",
    patterns_subset = "patterns/subset.md",
    patterns_computed = "patterns/computed.md",
    patterns_bucket = "patterns/bucket.md",
    patterns_outlier = "patterns/outlier.md",
    patterns_polymorphic = "patterns/polymorphic.md",
    patterns_schema_versioning = "patterns/schema-versioning.md",
    patterns_attribute = "patterns/attribute.md",
    patterns_tree = "patterns/tree.md",
    patterns_archive = "patterns/archive.md",
    patterns_approximation = "patterns/approximation.md",
    using_writing = "using/writing.md",
    using_deletes = "using/deletes.md",
    using_find = "using/find.md",
    using_joins = "using/joins.md",
    using_pages = "using/pages.md",
    using_transactions = "using/transactions.md",
    using_duplicates = "using/duplicates.md",
    using_versions = "using/versions.md",
    using_json = "using/json.md",
    using_openapi = "using/openapi.md",
    using_access_patterns = "using/access-patterns.md",
    using_projections = "using/projections.md",
    using_grouping = "using/grouping.md",
    using_items = "using/items.md",
    using_soft_deletes = "using/soft-deletes.md",
    using_personal = "using/personal.md",
    using_tenants = "using/tenants.md",
    using_options = "using/options.md",
    using_strings = "using/strings.md",
    using_parts = "using/parts.md",
    using_order = "using/order.md",
    using_vectors = "using/vectors.md",
    using_watch = "using/watch.md",
    using_events = "using/events.md",
    using_history = "using/history.md",
    using_queues = "using/queues.md",
    using_locks = "using/locks.md",
    using_sagas = "using/sagas.md",
    operating_which_call = "operating/which-call.md",
    operating_indexes = "operating/indexes.md",
    operating_validators = "operating/validators.md",
    operating_rolling_deploys = "operating/rolling-deploys.md",
    operating_lock = "operating/lock.md",
    operating_compat = "operating/compat.md",
    operating_migrations = "operating/migrations.md",
    operating_recovery = "operating/recovery.md",
    operating_verify = "operating/verify.md",
    operating_follower = "operating/follower.md",
    operating_tool = "operating/tool.md",
    operating_commands = "operating/commands.md",
    operating_backups = "operating/backups.md",
    operating_topologies = "operating/topologies.md",
    operating_sharding = "operating/sharding.md",
    operating_servers = "operating/servers.md",
    pull = "pull.md",
    pull_decisions = "pull-decisions.md",
    adopting = "adopting.md",
    testing = "testing.md",
    how_flags = "how/flags.md",
    how_crashes = "how/crashes.md",
    how_costs = "how/costs.md",
    how_benchmarks = "how/benchmarks.md",
    reference_attributes = "reference/attributes.md",
    reference_model = "reference/model.md",
    reference_embed = "reference/embed.md",
    reference_refs = "reference/refs.md",
    reference_parent = "reference/parent.md",
    reference_denorm = "reference/denorm.md",
    reference_recent_and_count = "reference/recent-and-count.md",
    reference_index_attribute = "reference/index-attribute.md",
    reference_volatile_and_version = "reference/volatile-and-version.md",
    reference_created_and_updated = "reference/created-and-updated.md",
    reference_soft_delete = "reference/soft-delete.md",
    reference_projection = "reference/projection.md",
    reference_serde = "reference/serde.md",
    reference_rules = "reference/rules.md",
    reference_techniques = "reference/techniques.md",
    reference_errors = "reference/errors.md",
    reference_with_the_driver = "reference/with-the-driver.md",
    reference_calls = "reference/calls.md",
    reference_stored_fields = "reference/stored-fields.md",
    reference_stability = "reference/stability.md",
    reference_glossary = "reference/glossary.md",
}
