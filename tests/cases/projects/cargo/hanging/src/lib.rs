pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[test]
fn one() {
    assert_eq!(add(1, 1), 2);
}

#[test]
fn two() {
    std::thread::sleep(std::time::Duration::from_secs(10_000));
}
