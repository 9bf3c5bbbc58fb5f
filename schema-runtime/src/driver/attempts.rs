//! The pause before a write is tried again.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

/// The number of attempts that follow each other without a pause.
const AT_ONCE: usize = 4;
/// The longest pause, in milliseconds.
const LONGEST: u64 = 32;

/// A random number from 0 up to, but not including, this one.
pub(crate) fn random_below(end: u64) -> u64 {
    RandomState::new().build_hasher().finish() % end
}

/// Waits before the document that another writer changed first is read again for the next attempt. `attempt` counts from 0.
///
/// A read and the write after it can move in step with another writer, so that the other writer is first every time. A
/// random pause, longer from attempt to attempt, breaks the step.
pub(crate) async fn pause(attempt: usize) {
    if let Some(longest) = longest(attempt) {
        tokio::time::sleep(Duration::from_micros(random_below(longest * 1_000))).await;
    }
}

/// Waits before a transaction that met another one runs again. `attempt` counts from 0.
///
/// If many transactions change one document, each commit ends all others. Without pauses they all run again at once, so the number of
/// attempts grows with the square of the number of transactions. The pauses are the same as in the driver's own transactions.
pub(crate) async fn pause_transaction(attempt: u32) {
    let pause = random_below(longest_of_transaction(attempt));
    tokio::time::sleep(Duration::from_micros(pause)).await;
}

/// The longest pause before this attempt of a transaction, in microseconds.
fn longest_of_transaction(attempt: u32) -> u64 {
    let factor = 1.5_f64.powf(f64::from(attempt));
    (5_000.0 * factor).min(500_000.0) as u64
}

/// The longest pause before this attempt, in milliseconds; `None` for one that follows at once.
fn longest(attempt: usize) -> Option<u64> {
    let paused = attempt.checked_sub(AT_ONCE)?;
    Some(LONGEST.min(1 << paused.min(LONGEST as usize)))
}

#[cfg(test)]
mod tests {
    use super::{longest, longest_of_transaction, random_below};

    #[test]
    fn pauses_grow_to_a_limit() {
        let pauses: Vec<_> = (0..12).map(longest).collect();
        let expected = [1, 2, 4, 8, 16, 32, 32, 32].map(Some);
        assert_eq!(pauses[..4], [None; 4]);
        assert_eq!(pauses[4..], expected);
        assert_eq!(longest(1_000_000), Some(32));
    }

    #[test]
    fn pauses_of_transactions_grow_to_a_limit() {
        let pauses = [0, 1, 2, 11, 12, u32::MAX].map(longest_of_transaction);
        assert_eq!(pauses, [5_000, 7_500, 11_250, 432_487, 500_000, 500_000]);
    }

    #[test]
    fn random_numbers_differ_and_stay_below_their_end() {
        let numbers: Vec<u64> = (0..1_000).map(|_| random_below(100)).collect();
        assert!(numbers.iter().all(|number| *number < 100));
        assert!(numbers.iter().any(|number| *number < 20));
        assert!(numbers.iter().any(|number| *number >= 80));
    }
}
