//! Percentiles.

/// The value in the middle.
pub(crate) fn median(values: Vec<f64>) -> f64 {
    at(values, 0.5)
}

/// The value that a tenth of all stay below.
pub(crate) fn p10(values: Vec<f64>) -> f64 {
    at(values, 0.1)
}

/// The value that this part of all stay below.
pub(crate) fn at(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    let place = last * part;
    let value = |place: f64| values.get(place as usize).copied().unwrap_or(f64::NAN);
    let (low, high) = (value(place.floor()), value(place.ceil()));
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::{median, p10};

    #[test]
    fn between_two_values_lies_what_is_between_them() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(p10((0..=10).map(f64::from).rev().collect()), 1.0);
        assert_eq!(p10(vec![7.0]), 7.0);
        assert!(median(Vec::new()).is_nan());
    }
}
