//! Rules on sums: the requirements of a number on the fields of the children that it depends on.

use super::children::nearest;
use super::copy::Step;
use crate::__private::text::{Text, refuse, say};
use crate::schema::lookup::{HIDDEN, HasField, MISSING, same};
use crate::schema::rows::{FieldRow, Fixed, Kind, Shape};
use crate::schema::value::{Cardinality, Value};

/// A field of the children that a number of their parent depends on.
#[derive(Debug, Clone, Copy)]
pub struct Summed {
    /// `Cart::total`.
    pub owner: &'static str,
    /// The type that has the field: the child `Line`, or an embedded document.
    pub holder: &'static str,
    /// `price`.
    pub field: &'static str,
    /// The option that names the field: `field = price`, `field = money.amount`.
    pub option: &'static str,
    /// The use that is made of its value.
    pub usage: FieldUsage,
}

/// The use that a parent makes of a field of its children.
#[derive(Debug, Clone, Copy)]
pub enum FieldUsage {
    /// The value is added up.
    Added,
    /// The least or the greatest value is kept.
    Ordered,
    /// The value is compared with a constant of this kind.
    Compared(Kind),
    /// The value says to which period a child belongs: true if the server's clock sets it.
    Dated(bool),
    /// The value is an embedded document that has the field which is used.
    Leading(Step),
}

impl FieldUsage {
    /// True if a value of this kind fits the use.
    const fn fits(self, kind: Kind) -> bool {
        match self {
            FieldUsage::Added => matches!(kind, Kind::Int | Kind::Decimal),
            FieldUsage::Ordered => matches!(
                kind,
                Kind::Int | Kind::Double | Kind::Decimal | Kind::Date | Kind::String
            ),
            FieldUsage::Compared(constant) => kind as u8 == constant as u8,
            FieldUsage::Dated(_) => matches!(kind, Kind::Date),
            FieldUsage::Leading(step) => {
                step.nested && matches!(kind, Kind::Document) && step.is_known()
            }
        }
    }
}

/// The field that has the bound of a number is an integer.
#[track_caller]
pub const fn count_max_type(fits: bool, owner: &'static str, field: &'static str) {
    if fits {
        return;
    }
    refuse!(
        "`max = {field}` on `{owner}` names a field that holds no integer [COUNT_MAX]\n\
         help: `{field}: i64`, or `Option<i64>` where some have no bound";
        field, owner
    );
}

/// True if the server's clock sets the field with this Rust name.
#[must_use]
pub const fn is_stamped(fields: &[FieldRow], name: &str) -> bool {
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].rust, name) {
            return matches!(
                fields[n].fixed,
                Some(Fixed::Created | Fixed::Updated | Fixed::Deleted)
            );
        }
        n += 1;
    }
    false
}

/// The name of an embedded document.
#[must_use]
pub const fn type_name(shape: Option<&Shape>) -> &'static str {
    match shape {
        Some(shape) => shape.name,
        None => "",
    }
}

/// The field in slot `N` can be added up, compared, or leads to such a field: `fields` are the names of all. `is_known` is true if the type
/// that has the field is a model, or an embedded document.
#[track_caller]
pub const fn summed<M: HasField<N>, const N: usize>(
    number: Summed,
    is_known: bool,
    fields: &[&'static str],
) where
    M::Type: Value,
{
    let text = say!("`{option}` on `{owner}` "; option = number.option, owner = number.owner);
    // Skip a type that has no fields: another check reports it.
    if N == MISSING && is_known {
        let mut text = say!(
            text => "names no field of `{holder}` [SUM_FIELD]\n\
             help: ";
            holder = number.holder
        );
        text = match nearest(fields, number.field) {
            Some(meant) => say!(text => "did you mean `{meant}`?"; meant),
            None => say!(text => "name a field of `{holder}`"; holder = number.holder),
        };
        panic!("{}", text.as_str());
    }
    if N == HIDDEN {
        refuse!(
            text => "names a field of `{holder}` that is less visible than its model [SUM_FIELD]\n\
             help: give the field the visibility of its model\n\
             note: its type may be private to the module of the model, so that nothing is known of it here";
            holder = number.holder
        );
    }
    if M::DERIVED || M::VERSION || M::UPDATED || M::ORIGIN_1.is_some() {
        refuse!(
            text => "names a field of `{holder}` that the program does not write by itself [SUM_FIELD]\n\
             help: name a plain field of `{holder}`\n\
             note: the number follows the writes of a child: a copy, a list, a number or a version changes without one";
            holder = number.holder
        );
    }
    if matches!(number.usage, FieldUsage::Dated(true)) {
        refuse!(
            text => "names a field of `{holder}` that the server's clock sets [SUM_FIELD]\n\
             help: name a date that the program writes: `DateTime::now()` in a field of its own\n\
             note: the period of a new child is flagged in the insert itself, before the server has set the time";
            holder = number.holder
        );
    }
    let is_one = matches!(<M::Type as Value>::CARD, Cardinality::One);
    let fits = is_one && !M::WITH && number.usage.fits(<M::Type as Value>::KIND);
    if N != MISSING && !fits {
        if let FieldUsage::Leading(step) = number.usage {
            leads_nowhere(text, number, step, <M::Type as Value>::KIND);
        }
        let text = say!(text => "names a field of `{holder}"; holder = number.holder);
        let text = match number.usage {
            FieldUsage::Leading(_) => text,
            FieldUsage::Added => say!(
                text => "` that holds no integer or decimal [SUM_FIELD]\n\
                 help: `i32`, `i64` or `Decimal128`\n\
                 note: a sum of floats depends on the order in which they are added"
            ),
            FieldUsage::Ordered => say!(
                text => "` whose values have no least and greatest one [SUM_FIELD]\n\
                 help: a number, a `Decimal128`, a `DateTime`, or text\n\
                 note: the value is compared by the server, as it is stored"
            ),
            FieldUsage::Dated(_) => say!(
                text => "` that holds no date [SUM_FIELD]\n\
                 help: `bson::DateTime`, or an `Option` of it: a child without a date is in no period\n\
                 note: the server finds the period of a date, in the zone that the model names"
            ),
            FieldUsage::Compared(_) => say!(
                text => "` that is not stored as the constant is [SUM_FIELD]\n\
                 help: compare an integer with an integer, text and the variants of an enum with text, a `bool` with `true` or `false`\n\
                 note: a value of another type is never equal, so the number would stay 0"
            ),
        };
        panic!("{}", text.as_str());
    }
}

#[track_caller]
const fn leads_nowhere(text: Text<1024>, number: Summed, step: Step, kind: Kind) -> ! {
    let text = say!(
        text => "leads through `{holder}::{field}";
        holder = number.holder, field = number.field
    );
    let text = match kind {
        Kind::Array | Kind::Map => say!(
            text => "{container}\n\
             help: store the value in a field of its own beside it\n\
             note: a child has one value: there is none among several elements";
            container = if matches!(kind, Kind::Map) {
                "`, which is a map [SUM_FIELD]"
            } else {
                "`, which is an array [SUM_FIELD]"
            }
        ),
        _ if step.nested => say!(
            text => "`, which is stored in a form that its type does not show [SUM_FIELD]\n\
             help: remove its `opaque` or `#[serde(with = ..)]`, or store the value in a field of its own\n\
             note: the server reads the value by its path in the stored document"
        ),
        _ => say!(
            text => "`, which is no embedded document that has fields of its own [SUM_FIELD]\n\
             help: a struct with `#[derive(MongoEmbed)]` and without type parameters has them\n\
             note: the server reads the value by its path in the stored document"
        ),
    };
    panic!("{}", text.as_str());
}

/// A sum or an average of the fields in slots `N` of `M` and `TIMES` of `F` is one of integers, or of decimals if one of them is.
#[track_caller]
pub const fn sum_type<M: HasField<N>, const N: usize, F: HasField<TIMES>, const TIMES: usize>(
    is_integer: bool,
    is_decimal: bool,
    owner: &'static str,
    ty: &'static str,
    child: &'static str,
    verb: &'static str,
) where
    M::Type: Value,
    F::Type: Value,
{
    let kinds = [<M::Type as Value>::KIND, <F::Type as Value>::KIND];
    let has_decimal = matches!(kinds, [Kind::Decimal, _] | [_, Kind::Decimal]);
    // Skip a field that is missing, hidden or no number: another check reports it.
    let can_be_added = FieldUsage::Added.fits(kinds[0]) && FieldUsage::Added.fits(kinds[1]);
    let is_known = N != HIDDEN && N != MISSING && TIMES != HIDDEN && TIMES != MISSING;
    let right = if has_decimal { is_decimal } else { is_integer };
    if right || !(can_be_added && is_known) {
        return;
    }
    let text = say!(
        "`{owner}` {verb} `{child}` documents in `{ty}` [COUNT_TYPE]\n\
         help: ";
        owner, verb, child, ty
    );
    let text = text.push_str(match (verb.as_bytes(), has_decimal) {
        (b"averages", true) => "`mongo_model::DecimalAverage`\nnote: a field that is averaged is a decimal, and so is their average",
        (b"averages", false) => "`mongo_model::Average`\nnote: it is stored as a sum and a number, which each write of a child changes by a difference; `.value()` is the quotient",
        (_, true) => "`bson::Decimal128`\nnote: a field that is added is a decimal, and so is their sum",
        (_, false) => "`i64`\nnote: children are many: their sum is added up on the server, with the sign and the 64 bits that it adds with",
    });
    panic!("{}", text.as_str());
}

/// An extreme has the type of the field in slot `N` of the children, and is absent where there is none.
#[track_caller]
pub const fn extreme_type<M: HasField<N>, const N: usize>(
    right: bool,
    owner: &'static str,
    ty: &'static str,
    child: &'static str,
    field: &'static str,
    verb: &'static str,
) where
    M::Type: Value,
{
    // Skip a field that is missing, hidden or without an order: another check reports it.
    let is_ordered = FieldUsage::Ordered.fits(<M::Type as Value>::KIND);
    if right || N == HIDDEN || N == MISSING || !is_ordered {
        return;
    }
    refuse!(
        "`{owner}` {verb} `{child}` documents in `{ty}` [COUNT_TYPE]\n\
         help: give it an `Option<..>` of the type of `{child}::{field}`\n\
         note: it is the value of one of them, and none where no document has a value";
        owner, verb, child, ty, field
    );
}
