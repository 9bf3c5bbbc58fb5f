//! Bounds of arrays: the measured maximum with head room, within the rules.

use super::attribute;
use crate::output::number;
use crate::pull::model::Attribute;
use crate::pull::profile::Lengths;

/// More embedded documents need a reason.
pub(crate) const EMBEDDED: u64 = 200;
/// More references need a reason.
const REFERENCES: u64 = 5_000;
/// No bound exceeds this.
pub(crate) const MOST: u64 = 10_000;

/// The elements of an array, as its rules tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Scalars,
    Documents,
    References,
}

/// A bound: its number, the attribute's options, and what to review.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) max: u64,
    /// `max = 20`; `None` if no bound is allowed to be so large.
    pub(crate) option: Option<String>,
    /// The exception from the rule that limits the bound.
    pub(crate) allow: Option<Attribute>,
    pub(crate) evidence: String,
    pub(crate) review: Option<String>,
}

/// The bound of arrays of these lengths, where the arrays above allow `product` of them.
pub(crate) fn bound(lengths: &Lengths, holds: Holds, product: u64) -> Bound {
    let measured = lengths.max.max(1);
    let few = match holds {
        Holds::Documents => EMBEDDED,
        Holds::References => REFERENCES,
        Holds::Scalars => MOST,
    };
    let roomy = rounded(measured + measured.div_ceil(2));
    let mut max = match measured <= few {
        true => roomy.min(few),
        false => roomy.min(MOST),
    };
    if max.saturating_mul(product) > MOST {
        max = (MOST / product.max(1)).clamp(measured, max);
    }
    let evidence = format!(
        "longest {}, 99 % up to {}",
        number(lengths.max),
        number(lengths.p99())
    );
    if measured > MOST {
        let review = format!(
            "up to {} elements in one document: move them into a collection of their own with `#[parent(..)]`",
            number(measured)
        );
        return Bound {
            max: MOST,
            option: None,
            // References are bounded all the same.
            allow: (holds == Holds::References).then(|| allow(holds, measured)),
            evidence,
            review: Some(review),
        };
    }
    let large = max > few;
    let allow = large.then(|| allow(holds, measured));
    let review = large.then(|| {
        format!("up to {} elements in one document: move them into a collection of their own with `#[parent(..)]`", number(measured))
    });
    Bound {
        max,
        option: Some(format!("max = {max}")),
        allow,
        evidence,
        review,
    }
}

/// The exception that a bound over the limit needs.
fn allow(holds: Holds, measured: u64) -> Attribute {
    let rule = match holds {
        Holds::References => "refs_too_many",
        Holds::Documents | Holds::Scalars => "embed_too_many",
    };
    let longest = number(measured);
    let text = format!("#[model(allow({rule}, reason = \"measured: the longest has {longest}\"))]");
    attribute(text, None)
}

impl Bound {
    /// `#[embed(..)]`, or what allows an array without a bound, and the exception that the bound needs.
    pub(crate) fn embed(&self, holds: Holds) -> impl Iterator<Item = Attribute> + use<> {
        let text = match &self.option {
            Some(option) => format!("#[embed({option})]"),
            None => {
                let rule = if holds == Holds::Documents {
                    "embed_unbounded"
                } else {
                    "array_unbounded"
                };
                format!(
                    "#[model(allow({rule}, reason = \"measured: {}\"))]",
                    self.evidence
                )
            }
        };
        let bound = attribute(text, Some(self.evidence.clone()));
        std::iter::once(bound).chain(self.allow.clone())
    }
}

/// The next number with one digit that is 1, 2 or 5.
fn rounded(n: u64) -> u64 {
    let mut unit: u64 = 10;
    loop {
        for digit in [1, 2, 5] {
            if digit * unit >= n {
                return digit * unit;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_have_head_room_and_round_numbers() {
        let rooms: Vec<u64> = [1, 7, 10, 15, 34, 100, 200, 3_000]
            .map(|n: u64| rounded(n + n.div_ceil(2)))
            .into();
        assert_eq!(rooms, [10, 20, 20, 50, 100, 200, 500, 5_000]);
    }
}
