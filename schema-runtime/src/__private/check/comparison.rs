//! `#[model(check(start < end))]` compares values that this program and the server compare in the same way.

use crate::__private::text::Text;
use crate::schema::comparison::{Comparison, Term};
use crate::schema::lookup::same;
use crate::schema::rows::{FieldRow, Kind};

/// The kind of the values of one side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Whole,
    Numbers,
    Dates,
}

/// Both sides are numbers, or both are dates; sums are those of whole numbers.
#[track_caller]
pub const fn comparison(fields: &'static [FieldRow], comparison: &Comparison, model: &'static str) {
    let left = values(fields, comparison, comparison.left, model);
    let right = values(fields, comparison, comparison.right, model);
    if matches!(left, Values::Dates) != matches!(right, Values::Dates) {
        refused(
            comparison,
            model,
            "",
            "compares a date with a number",
            "compare dates with dates",
        );
    }
}

#[track_caller]
const fn values(
    fields: &'static [FieldRow],
    comparison: &Comparison,
    side: &'static [&'static [Term]],
    model: &'static str,
) -> Values {
    let mut of_all = Values::Whole;
    let mut terms = 0;
    let mut n = 0;
    while n < side.len() {
        let mut m = 0;
        while m < side[n].len() {
            match (of_term(fields, comparison, side[n][m], model), of_all) {
                (Values::Dates, _) => of_all = Values::Dates,
                (Values::Numbers, Values::Whole) => of_all = Values::Numbers,
                _ => {}
            }
            terms += 1;
            m += 1;
        }
        n += 1;
    }
    match of_all {
        Values::Dates if terms > 1 => refused(
            comparison,
            model,
            "",
            "calculates with a date",
            "store the date that is compared: `check(start < end)`",
        ),
        Values::Numbers if side.len() > 1 => refused(
            comparison,
            model,
            "",
            "adds floats, which the server rounds in another way",
            "add whole numbers, or store the sum: `check(total <= limit)`",
        ),
        _ => {}
    }
    of_all
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
        Term::Float(_) => return Values::Numbers,
        Term::Field(name) => name,
    };
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].name, name) {
            return match fields[n].kind {
                Kind::Int => Values::Whole,
                Kind::Double => Values::Numbers,
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
    let mut text = Text::<1024>::new()
        .push_str("`check(")
        .push_str(comparison.text)
        .push_str(")` on `")
        .push_str(model)
        .push_str("` ");
    if !field.is_empty() {
        text = text
            .push_str("compares `")
            .push_str(field)
            .push_str("`, which ");
    }
    let text = text
        .push_str(problem)
        .push_str(" [CHECK_TYPE]\nhelp: ")
        .push_str(help)
        .push_str("\nnote: integers, floats and dates are compared, and have the same order in this program and on the server");
    panic!("{}", text.as_str());
}
