use tabulon::number::{median, parse, shares};

#[test]
fn cells() {
    assert_eq!(parse("1,234.5"), Some(1234.5));
    assert_eq!(parse(" -3 "), Some(-3.0));
    assert_eq!(parse("1'000"), Some(1000.0));
    for text in ["", "nan", "inf", "1e5", "12 kg"] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn whole_shares() {
    assert_eq!(shares(&[1200.0, 900.0, 900.0]), [40, 30, 30]);
    assert_eq!(shares(&[0.0, 0.0]), [0, 0]);
    assert_eq!(shares(&[5.0]), [100]);
}

#[test]
fn shares_of_thirds() {
    assert_eq!(shares(&[1.0, 1.0, 1.0]), [34, 33, 33]);
    assert_eq!(shares(&[2.0, 1.0]), [67, 33]);
}

#[test]
fn medians() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!(median(&[]), None);
}
