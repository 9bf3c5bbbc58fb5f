//! The actor of the changes that a task makes.

use std::future::Future;
use std::sync::Arc;

use crate::outcome::recorded;

tokio::task_local! {
    static ACTOR: Arc<str>;
}

/// Runs a future whose writes are made by this actor: the entries of histories name it. In a service that is the place where the request
/// is known, as the body of a handler or a layer around it. A future inside of another one has its own actor. What a task spawns has none.
///
/// ```
/// use mongo_model::history::acting_as;
/// # async fn rename() {}
/// # async fn handle(user: &str) {
/// acting_as(user, rename()).await;
/// # }
/// ```
pub async fn acting_as<T>(actor: impl Into<String>, future: impl Future<Output = T>) -> T {
    ACTOR.scope(Arc::from(actor.into()), future).await
}

/// The actor of the present call: the one that its handle names, else that of the task.
pub(super) fn present() -> Option<String> {
    let actor = recorded::actor().or_else(|| ACTOR.try_with(Arc::clone).ok());
    actor.map(|actor| actor.to_string())
}
