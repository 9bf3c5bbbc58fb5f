//! Values that say they should have another type: dates, numbers and money as text, money and times as numbers.

use super::{Builder, Place};
use crate::cli::Target;
use crate::findings::Level;
use crate::pull::model::{Field, Ty};
use crate::pull::names::words;
use crate::pull::profile::{Kind, Numbers, Values, confidence, percent, share};
use crate::pull::relate::split;

/// Names of fields with sums of money.
pub(super) const MONEY: [&str; 20] = [
    "price", "cost", "amount", "total", "subtotal", "fee", "salary", "balance", "tax", "revenue",
    "discount", "payment", "fare", "charge", "rent", "wage", "deposit", "refund", "premium",
    "budget",
];

impl Builder<'_> {
    /// Strings that are values of another type.
    pub(super) fn note_text(&mut self, here: &Place, values: &Values, ty: &Ty) {
        let text = &values.text;
        if *ty != Ty::String || text.count < 3 || self.links.is_key(here) {
            return;
        }
        let filled = text.count - text.empty;
        let name = split(&here.path).1.to_ascii_lowercase();
        let is_money = MONEY.iter().any(|word| name.contains(word));
        let all_numbers = filled > 0 && share(text.numbers, filled) >= 0.95 && text.zeros == 0;
        let (kind, part, message) = if share(text.dates, text.count) >= 0.75 {
            let message = "of the strings are dates: as text they do not expire, and compare only if they are written alike; store BSON dates, then use `DateTime`";
            ("date_as_string", text.dates, message)
        } else if share(text.money, text.count) >= 0.75 || (all_numbers && is_money) {
            let message = "of the strings are sums of money: as text 10 sorts before 9, and nothing adds them up; store decimals, then use `Decimal128`";
            ("money_as_string", text.money.max(text.numbers), message)
        } else if all_numbers && text.fractions > 0 {
            let message = "of the strings are numbers: as text 10 sorts before 9; store numbers";
            ("number_as_string", text.numbers, message)
        } else if all_numbers {
            let message = "all strings are whole numbers: as text 10 sorts before 9; if they are no codes, store numbers";
            self.note(
                here,
                "number_as_string",
                Level::Note,
                message.to_owned(),
                None,
            );
            return;
        } else {
            return;
        };
        let message = format!("{} {message}", percent(share(part, text.count)));
        let sure = Some(confidence(part, text.count));
        self.note(here, kind, Level::Problem, message, sure);
        let to = match kind {
            "date_as_string" => Target::Date,
            "money_as_string" => Target::Decimal,
            _ => Target::Double,
        };
        self.resolve_by(here, to, text.empty > 0);
    }

    /// Numbers that are values of another type, or of several.
    pub(super) fn note_numbers(
        &mut self,
        here: &Place,
        values: &Values,
        ty: &Ty,
        field: &mut Field,
    ) {
        if !matches!(ty.required(), Ty::I32 | Ty::I64 | Ty::F64) {
            return;
        }
        let numbers = &values.numbers;
        let name = split(&here.path).1.to_ascii_lowercase();
        let doubles = values.kinds.get(&Kind::Double).copied().unwrap_or_default();
        let cents = share(numbers.cents, doubles);
        if *ty == Ty::F64 && MONEY.iter().any(|word| name.contains(word)) && cents >= 0.75 {
            let message = format!(
                "looks like money in a double ({} with at most two digits behind the point): sums are not exact; use `Decimal128` or an integer of cents",
                percent(cents)
            );
            let sure = Some(confidence(numbers.cents, doubles));
            self.note(here, "money_as_float", Level::Problem, message, sure);
        }
        if *ty == Ty::F64 && numbers.inexact > 0 && numbers.whole == doubles {
            let message = "holds integers above 2^53 in doubles, which cannot tell neighbours apart: store longs, then use `i64`";
            self.review(here, "large_integer_in_double", message.to_owned());
        }
        if let Some(unit) = time_unit(here, values) {
            let message = format!(
                "looks like a time ({unit}): BSON dates expire by an index and are shown as dates; store them, then use `DateTime`"
            );
            field.comments.push(format!("looks like a time: {unit}"));
            self.note(here, "time_as_number", Level::Note, message, None);
        }
        if values.kinds.len() > 1 && matches!(ty, Ty::I64 | Ty::F64) {
            let kinds = values.kinds_text();
            field.comments.push(kinds.clone());
            let message = format!("numbers of several types: {kinds}");
            self.note(here, "mixed_widths", Level::Note, message, None);
        }
    }
}

/// The unit of integers that are all times in it; seconds and days only under a name that says so.
fn time_unit(here: &Place, values: &Values) -> Option<&'static str> {
    const TIMES: [&str; 12] = [
        "time",
        "timestamp",
        "ts",
        "date",
        "day",
        "at",
        "on",
        "created",
        "updated",
        "modified",
        "expires",
        "since",
    ];
    let Numbers {
        millis,
        seconds,
        days,
        ..
    } = values.numbers;
    let all = values.kinds.values().sum::<u64>();
    let speaks = || {
        let words = words(split(&here.path).1);
        words.iter().any(|word| TIMES.contains(&word.as_str()))
    };
    match all {
        0..3 => None,
        all if millis == all => Some("milliseconds since 1970"),
        all if days == all && (all >= 10 || speaks()) => Some("year, month and day as one number"),
        all if seconds == all && speaks() => Some("seconds since 1970"),
        _ => None,
    }
}
