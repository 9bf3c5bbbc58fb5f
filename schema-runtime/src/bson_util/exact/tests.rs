//! The order, the arithmetic and the row of decimals.

use bson::Decimal128;

use super::Exact;

fn exact(text: &str) -> Exact {
    text.parse::<Decimal128>().expect("a decimal").into()
}

#[test]
fn numbers_have_their_order_whatever_their_exponent() {
    let ascending = [
        "-Infinity",
        "-9.999999999999999999999999999999999E+6144",
        "-10",
        "-9.5",
        "-1E-6176",
        "0",
        "1E-6176",
        "0.1",
        "0.1000000000000000000000000000000001",
        "1E+1",
        "10.01",
        "1E+6144",
        "Infinity",
    ];
    for (n, a) in ascending.iter().enumerate() {
        for (m, b) in ascending.iter().enumerate() {
            assert_eq!(exact(a).partial_cmp(&exact(b)), Some(n.cmp(&m)), "{a} {b}");
        }
    }
    for (a, b) in [("1E+3", "1000.00"), ("-0", "0E+10"), ("0.10", "1E-1")] {
        assert_eq!(exact(a), exact(b));
    }
    assert_eq!(exact("NaN").partial_cmp(&exact("NaN")), None);
}

#[test]
fn results_are_rounded_half_to_even() {
    let nines = "9999999999999999999999999999999999";
    for (a, b, sum) in [
        (nines, "0.5", "1E+34"),
        (nines, "0.4", nines),
        (
            "9999999999999999999999999999999998",
            "0.5",
            "9999999999999999999999999999999998",
        ),
        ("1E+40", "-1E-40", "1E+40"),
        ("1E+33", "-1E-1", "999999999999999999999999999999999.9"),
        ("9.9E+6144", "9.9E+6144", "Infinity"),
    ] {
        assert_eq!(exact(a) + exact(b), exact(sum), "{a} {b}");
    }
    for (a, b, product) in [
        ("19.99", "3", "59.97"),
        (nines, nines, "9.999999999999999999999999999999998E+67"),
        ("1E-6176", "0.5", "0"),
        ("3E-6176", "0.5", "2E-6176"),
        ("-1E+4000", "1E+4000", "-Infinity"),
    ] {
        assert_eq!(exact(a) * exact(b), exact(product), "{a} {b}");
    }
    assert!((exact("Infinity") * exact("0")).is_nan());
    assert!((exact("Infinity") + exact("-Infinity")).is_nan());
}

#[test]
#[cfg(feature = "driver")]
fn neighbours_stand_beside_each_other() {
    for text in [
        "0",
        "-1",
        "1E-6176",
        "1E-6143",
        "9.999999999999999999999999999999999E-6143",
        "0.3",
        "-1E+34",
    ] {
        let number = exact(text);
        let place = number.place();
        assert_eq!(Exact::at_place(place), number, "{text}");
        let (below, above) = (Exact::at_place(place - 1), Exact::at_place(place + 1));
        assert!(below < number && number < above, "{text}");
        assert_eq!((below.place(), above.place()), (place - 1, place + 1));
    }
    assert_eq!(Exact::at_place(Exact::MAX.place() + 1), Exact::INFINITY);
    let place = Exact::INFINITY.place();
    assert_eq!(Exact::at_place(place - 1), Exact::MAX);
}

#[test]
fn decimals_keep_their_bytes() {
    for text in [
        "0",
        "-1.50",
        "1E-6176",
        "9.999999999999999999999999999999999E+6144",
        "NaN",
        "-Infinity",
    ] {
        let number: Decimal128 = text.parse().expect("a decimal");
        assert_eq!(
            Decimal128::from(Exact::from(number)).bytes(),
            number.bytes(),
            "{text}"
        );
    }
    assert_eq!(Exact::shortest(0.1), exact("0.1"));
    assert_eq!(
        Exact::of_float(0.1, 34),
        exact("0.1000000000000000055511151231257827")
    );
}
