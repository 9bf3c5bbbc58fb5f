//! `#[model(check(start < end))]` compares values that this program and the server compare in the same way.

use crate::__private::text::{refuse, say};
use crate::schema::comparison::{Comparison, Term};
use crate::schema::lookup::same;
use crate::schema::rows::{FieldRow, Kind};

/// The kind of a term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Whole,
    /// A constant with a point: a float, or a decimal where one is compared.
    Fraction,
    Floats,
    Decimals,
    Dates,
}

/// The kinds of the terms of one side.
struct Side {
    terms: usize,
    is_sum: bool,
    has: [bool; 5],
}

impl Side {
    const fn has(&self, values: Values) -> bool {
        self.has[values as usize]
    }
}

/// Both sides are numbers, or both are dates; sums are those of whole numbers and decimals.
#[track_caller]
pub const fn comparison(fields: &'static [FieldRow], comparison: &Comparison, model: &'static str) {
    let left = side(fields, comparison, comparison.left, model);
    let right = side(fields, comparison, comparison.right, model);
    let has_decimals = left.has(Values::Decimals) || right.has(Values::Decimals);
    let has_floats = left.has(Values::Floats) || right.has(Values::Floats);
    if calculates_with_date(&left) || calculates_with_date(&right) {
        refused(
            comparison,
            model,
            "",
            "calculates with a date",
            "store the date that is compared: `check(start < end)`",
        );
    }
    if left.has(Values::Dates) != right.has(Values::Dates) {
        refused(
            comparison,
            model,
            "",
            "compares a date with a number",
            "compare dates with dates",
        );
    }
    if has_decimals && has_floats {
        refused(
            comparison,
            model,
            "",
            "compares a decimal with a float, which the server rounds",
            "make the float a `Decimal128`, or both integers of the smallest unit",
        );
    }
    if !has_decimals && (adds_fractions(&left) || adds_fractions(&right)) {
        refused(
            comparison,
            model,
            "",
            "adds floats, which the server rounds in another way",
            "add whole numbers or decimals, or store the sum: `check(total <= limit)`",
        );
    }
}

const fn calculates_with_date(side: &Side) -> bool {
    side.has(Values::Dates) && side.terms > 1
}

const fn adds_fractions(side: &Side) -> bool {
    side.is_sum && (side.has(Values::Floats) || side.has(Values::Fraction))
}

#[track_caller]
const fn side(
    fields: &'static [FieldRow],
    comparison: &Comparison,
    products: &'static [&'static [Term]],
    model: &'static str,
) -> Side {
    let mut side = Side {
        terms: 0,
        is_sum: products.len() > 1,
        has: [false; 5],
    };
    let mut n = 0;
    while n < products.len() {
        let mut m = 0;
        while m < products[n].len() {
            side.has[of_term(fields, comparison, products[n][m], model) as usize] = true;
            side.terms += 1;
            m += 1;
        }
        n += 1;
    }
    side
}

#[track_caller]
const fn of_term(
    fields: &'static [FieldRow],
    comparison: &Comparison,
    term: Term,
    model: &'static str,
) -> Values {
    let name = match term {
        Term::Int(_) => return Values::Whole,
        Term::Float(_) => return Values::Fraction,
        Term::Field(name) => name,
    };
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].name, name) {
            return match fields[n].kind {
                Kind::Int => Values::Whole,
                Kind::Double => Values::Floats,
                Kind::Decimal => Values::Decimals,
                Kind::Date => Values::Dates,
                _ => refused(
                    comparison,
                    model,
                    name,
                    "is neither a number nor a date",
                    "a rule about one value: `#[check(one_of(\"new\", \"paid\"))]` on its field",
                ),
            };
        }
        n += 1;
    }
    Values::Whole
}

#[track_caller]
const fn refused(
    comparison: &Comparison,
    model: &'static str,
    field: &str,
    problem: &str,
    help: &str,
) -> ! {
    let mut text = say!("`check({text})` on `{model}` "; text = comparison.text, model);
    if !field.is_empty() {
        text = say!(text => "compares `{field}`, which "; field);
    }
    refuse!(
        text => "{problem} [CHECK_TYPE]\n\
         help: {help}\n\
         note: integers, floats, decimals and dates are compared, and have the same order in this program and on the server";
        problem, help
    );
}
