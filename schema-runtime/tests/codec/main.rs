//! The generated codec means what serde means: the same bytes, the same values, the same refusals.

mod compare;
mod corpus;
mod errors;
mod exchange;
mod hostile;
mod large;
mod lent;
mod mutate;
mod same;
mod types;
