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

    /// A migration needs an index that its model does not declare.
    #[error(
        "the migration `{name}` needs an index of `{model}` on `{}`, which the model does not declare",
        fields.join("`, `")
    )]
    NoIndex {
        /// The migration.
        name: String,
        /// The model.
        model: &'static str,
        /// The stored paths of the keys in its `needs`.
        fields: Vec<String>,
    },

    /// Migrations that come after each other.
    #[error("migrations come after each other in a ring: {}", steps.join(" after "))]
    Ring {
        /// The migrations of the ring, each after the next one; the first of them is also the last.
        steps: Vec<String>,
    },
}
