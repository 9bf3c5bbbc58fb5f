//! Rules on sums: the requirements of a number on the fields of the children that it depends on.

use super::children::nearest;
use crate::__private::text::Text;
use crate::schema::lookup::{HIDDEN, HasField, MISSING};
use crate::schema::rows::Kind;
use crate::schema::value::{Cardinality, Value};

/// A field of the children that a number of their parent depends on.
#[derive(Debug, Clone, Copy)]
pub struct Summed {
    /// `Cart::total`.
    pub owner: &'static str,
    /// `Line`.
    pub child: &'static str,
    /// `price`.
    pub field: &'static str,
    /// The option that names it: `field = price`.
    pub option: &'static str,
    /// True if it is added; false if it is compared with a constant.
    pub is_added: bool,
    /// The kind of values that it has to hold.
    pub kind: Kind,
}

/// The field that has the bound of a number is an integer.
#[track_caller]
pub const fn count_max_type(fits: bool, owner: &'static str, field: &'static str) {
    if fits {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`max = ")
        .push_str(field)
        .push_str("` on `")
        .push_str(owner)
        .push_str("` names a field that holds no integer [COUNT_MAX]\nhelp: `")
        .push_str(field)
        .push_str(": i64`, or `Option<i64>` where some have no bound");
    panic!("{}", text.as_str());
}

/// The field in slot `N` can be added up, or compared: `fields` are the names of all.
#[track_caller]
pub const fn summed<M: HasField<N>, const N: usize>(
    number: Summed,
    is_model: bool,
    fields: &[&'static str],
) where
    M::Type: Value,
{
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(number.option)
        .push_str("` on `")
        .push_str(number.owner)
        .push_str("` ");
    // Skip a type that is no model: another check reports it.
    if N == MISSING && is_model {
        let mut text = text
            .push_str("names no field of `")
            .push_str(number.child)
            .push_str("` [SUM_FIELD]\nhelp: ");
        text = match nearest(fields, number.field) {
            Some(meant) => text
                .push_str("did you mean `")
                .push_str(meant)
                .push_str("`?"),
            None => text
                .push_str("name a field of `")
                .push_str(number.child)
                .push_str("`"),
        };
        panic!("{}", text.as_str());
    }
    if N == HIDDEN {
        let text = text
            .push_str("names a field of `")
            .push_str(number.child)
            .push_str("` that is less visible than its model [SUM_FIELD]\nhelp: give the field the visibility of its model\nnote: its type may be private to the module of the model, so that nothing is known of it here");
        panic!("{}", text.as_str());
    }
    if M::DERIVED || M::VERSION || M::UPDATED || M::ORIGIN_1.is_some() {
        let text = text
            .push_str("names a field of `")
            .push_str(number.child)
            .push_str("` that the program does not write by itself [SUM_FIELD]\nhelp: name a plain field of `")
            .push_str(number.child)
            .push_str("`\nnote: the number follows the writes of a child: a copy, a list, a number or a version changes without one");
        panic!("{}", text.as_str());
    }
    let is_one = matches!(<M::Type as Value>::CARD, Cardinality::One);
    let fits = is_one && !M::WITH && <M::Type as Value>::KIND as u8 == number.kind as u8;
    if N != MISSING && !fits {
        let text = text.push_str("names a field of `").push_str(number.child);
        let text = if number.is_added {
            text.push_str("` that holds no integer [SUM_FIELD]\nhelp: `i32` or `i64`; money in its smallest unit: cents\nnote: a sum of floats depends on the order in which they are added")
        } else {
            text.push_str("` that is not stored as the constant is [SUM_FIELD]\nhelp: compare an integer with an integer, text and the variants of an enum with text, a `bool` with `true` or `false`\nnote: a value of another type is never equal, so the number would stay 0")
        };
        panic!("{}", text.as_str());
    }
}
