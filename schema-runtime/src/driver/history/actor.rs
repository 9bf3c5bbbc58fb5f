//! The actor of the changes that a task makes.

use std::future::Future;
use std::sync::Arc;

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

/// The actor of the present task.
pub(super) fn present() -> Option<String> {
    ACTOR.try_with(|actor| actor.to_string()).ok()
}
