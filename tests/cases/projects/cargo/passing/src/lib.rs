pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[test]
fn one() {
    assert_eq!(add(1, 1), 2);
}

#[test]
fn two() {
    assert_eq!(add(1, 2), 3);
}
