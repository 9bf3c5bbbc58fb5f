//! Reads whose plan the server has killed: an index that it used was dropped, or its collection was renamed, while it ran.

use mongodb::error::{Error, ErrorKind, Result};

use super::refusal::another_may_answer;

/// Runs a read until its first batch, and once more if the server killed its plan: the second plan uses the indexes that are there now.
/// The driver repeats reads only after errors of the network and of elections.
pub(super) async fn run_killed_again<T, A>(read: impl Fn() -> A) -> Result<T>
where
    A: IntoFuture<Output = Result<T>>,
{
    match read().await {
        Err(error) if is_killed(&error) => {
            traced!(retry());
            read().await
        }
        first => first,
    }
}

fn is_killed(error: &Error) -> bool {
    matches!(&*error.kind, ErrorKind::Command(error) if is_killed_code(error.code))
}

/// True if the server has closed the cursor of a read: no `getMore` came for half an hour, an operator killed it, the server was restarted, or
/// it killed the plan.
pub(super) fn is_cursor_gone(error: &Error) -> bool {
    let gone = |code| matches!(code, 43 | 237) || is_killed_code(code);
    matches!(&*error.kind, ErrorKind::Command(error) if gone(error.code))
}

/// True if a read that is sent again may be answered: the network failed, an election was held, or the server killed its plan.
pub(super) fn may_be_sent_again(error: &Error) -> bool {
    match &*error.kind {
        ErrorKind::Io(_) | ErrorKind::ConnectionPoolCleared { .. } => true,
        ErrorKind::Command(error) => {
            another_may_answer(error.code) || error.code == 134 || is_killed_code(error.code)
        }
        _ => false,
    }
}

/// `QueryPlanKilled`, and the two codes that later servers have for plans that they end.
fn is_killed_code(code: i32) -> bool {
    matches!(code, 175 | 510 | 511)
}

/// True if a stream of changes may go on behind its last event: its cursor or its connection is gone, or there is no primary.
pub(crate) fn is_interrupted(error: &crate::error::Error) -> bool {
    let crate::error::Error::Driver(error) = error else {
        return false;
    };
    let no_primary = matches!(&*error.kind, ErrorKind::ServerSelection { .. });
    no_primary
        || error.contains_label("ResumableChangeStreamError")
        || is_cursor_gone(error)
        || may_be_sent_again(error)
}
