//! The only module that names the driver's calls. Each file has one kind of them: `find`, `insert`, `update`, `delete`, `aggregate`,
//! `stream`, and what the driver has no call for in `command`, `durable` and `catalog`.
//!
//! The futures of its functions are boxed where they are large: a delete that helps another delete awaits about thirty functions
//! deep, and without optimisation each of them would hold a copy of the largest future below it on the stack.

#[macro_use]
pub(crate) mod fault;

/// Notes something in the span of the present call; nothing without the feature `tracing`.
macro_rules! traced {
    ($($call:tt)*) => {
        #[cfg(feature = "tracing")]
        $crate::driver::notes::$($call)*;
    };
}

mod aggregate;
pub(crate) mod attempts;
pub(crate) mod call;
pub(crate) mod capabilities;
pub(crate) mod catalog;
pub(crate) mod command;
mod concern;
pub(crate) mod connect;
mod cursor;
mod deadline;
mod decode;
mod delete;
mod durable;
mod find;
pub(crate) mod history;
mod insert;
mod killed;
mod new;
#[cfg(feature = "tracing")]
pub(crate) mod notes;
pub(crate) mod options;
mod raw;
mod refusal;
pub(crate) mod rows;
pub(crate) mod search;
mod sharded;
#[cfg(feature = "tracing")]
mod span;
pub(crate) mod stream;
pub(crate) mod time;
pub(crate) mod transaction;
mod unread;
mod update;
mod update_args;
mod walk;

use mongodb::options::{Collation, Hint, ReadPreference, SelectionCriteria};
pub(crate) use mongodb::{ClientSession, Database};

pub(crate) use self::aggregate::{
    aggregate, aggregated, count, group, group_by_index, open_aggregate,
};
pub(crate) use self::command::{deletes, set_strings, statements, statements_as, statements_once};
pub(crate) use self::concern::{Acknowledged, Lasting, acknowledged, configured, durable_concern};
pub(crate) use self::cursor::FindArgs;
pub(crate) use self::decode::{decode_as, decode_error, lend_as};
pub(crate) use self::delete::{delete_many, delete_one};
pub(crate) use self::durable::{
    change_and_read, change_and_read_as, durable_read, durable_read_one, durable_read_where,
    read_by, read_where, unpack,
};
pub(crate) use self::find::{first, open, stream_of};
pub(crate) use self::insert::{insert, insert_unordered};
pub(crate) use self::killed::is_interrupted;
pub(crate) use self::new::store_new;
pub(crate) use self::options::ReadOptions;
pub(crate) use self::raw::open_raw;
pub(crate) use self::refusal::{
    before_duplicate, is_batch_wide, is_duplicate, is_other_type, is_unconvertible,
    outcome_unknown, outgrown, refusal,
};
pub(crate) use self::rows::Rows;
pub(crate) use self::time::server_time;
pub(crate) use self::update::{
    Image, first_changed, replace, save_outcome, update, update_and_read, update_and_return,
};
pub(crate) use self::update_args::UpdateArgs;
pub(crate) use self::walk::Walk;
use crate::schema::index_row::CollationRow;

/// The ways in which the server compares strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Strings {
    /// Byte by byte, whatever collation the collection has: an id or a reference is this one value and no other.
    #[default]
    Exactly,
    /// As the collection's collation says: in a filter that the user has written.
    AsCollection,
    /// As this collation of an index says.
    Collated(&'static CollationRow),
}

impl Strings {
    fn collation(self) -> Option<Collation> {
        match self {
            Strings::Exactly => Some(binary()),
            Strings::AsCollection => None,
            Strings::Collated(row) => {
                let mut collation = Collation::builder().locale(row.locale).build();
                collation.strength = row.strength.and_then(|n| u32::from(n).try_into().ok());
                collation.case_level = row.case_level;
                collation.numeric_ordering = row.numeric_ordering;
                Some(collation)
            }
        }
    }

    /// The index that the call names for its filter.
    fn hint(self) -> Option<Hint> {
        let call = call::current().filter(|_| self == Strings::AsCollection)?;
        call.write.hint.clone().map(Hint::Name)
    }
}

/// The order of bytes.
fn binary() -> Collation {
    Collation::builder().locale("simple").build()
}

/// The choice of the server that answers a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reads {
    /// The primary: something is written, or refused, because of the answer.
    #[default]
    FromPrimary,
    /// Any server that the client's read preference allows: the answer is the user's.
    AsConfigured,
}

impl Reads {
    fn criteria(self) -> Option<SelectionCriteria> {
        (self == Reads::FromPrimary).then(primary)
    }
}

/// The server that answers what is written, or refused, because of the answer.
fn primary() -> SelectionCriteria {
    SelectionCriteria::ReadPreference(ReadPreference::Primary)
}
