//! The reasons why migrations have no order.

/// The reason why the [migrations](crate::migrations) of a program have no order. Nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderError {
    /// Two migrations of the program have one name.
    #[error("two migrations have the name `{name}`")]
    Twice {
        /// The name.
        name: String,
    },

    /// A migration comes after one that is not linked into the program.
    #[error("the migration `{name}` comes after `{after}`, which is no migration of this program")]
    Unknown {
        /// The migration.
        name: String,
        /// The name in its `after`.
        after: String,
    },

    /// Migrations that come after each other.
    #[error("migrations come after each other in a ring: {}", steps.join(" after "))]
    Ring {
        /// The migrations of the ring, each after the next one; the first of them is also the last.
        steps: Vec<String>,
    },
}
