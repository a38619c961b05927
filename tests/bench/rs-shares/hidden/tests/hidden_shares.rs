use tabulon::number::shares;

#[test]
fn thirds_and_sevenths() {
    assert_eq!(shares(&[1.0, 1.0, 1.0]), [34, 33, 33]);
    assert_eq!(shares(&[1.0; 7]), [15, 15, 14, 14, 14, 14, 14]);
    assert_eq!(shares(&[1.0, 1.0, 4.0]), [17, 17, 66]);
    assert_eq!(shares(&[2.0, 1.0]), [67, 33]);
}

#[test]
fn too_much_when_rounded() {
    assert_eq!(shares(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]), [17, 17, 17, 17, 16, 16]);
    assert_eq!(shares(&[995.0, 5.0]), [100, 0]);
    assert_eq!(shares(&[5.0, 995.0]), [1, 99]);
}

#[test]
fn the_most_cut_off_first() {
    assert_eq!(shares(&[101.0, 102.0, 797.0]), [10, 10, 80]);
    assert_eq!(shares(&[104.0, 108.0, 788.0]), [10, 11, 79]);
    assert_eq!(shares(&[797.0, 102.0, 101.0]), [80, 10, 10]);
}

#[test]
fn whole_ones_stay() {
    assert_eq!(shares(&[1200.0, 900.0, 900.0]), [40, 30, 30]);
    assert_eq!(shares(&[29.0, 71.0]), [29, 71]);
    assert_eq!(shares(&[57.0, 43.0]), [57, 43]);
    assert_eq!(shares(&[0.0, 3.0]), [0, 100]);
    assert_eq!(shares(&[0.0, 0.0]), [0, 0]);
    assert_eq!(shares(&[]), [0; 0]);
    assert_eq!(shares(&[5.0]), [100]);
}

#[test]
fn always_a_hundred() {
    for a in 1..40_u32 {
        for b in 1..40_u32 {
            let numbers = [f64::from(a), f64::from(b), 7.0, 1.0];
            let found = shares(&numbers);
            assert_eq!(found.iter().sum::<u32>(), 100, "{numbers:?}");
            let total: f64 = numbers.iter().sum();
            for (n, share) in numbers.iter().zip(found) {
                assert!((n / total * 100.0 - f64::from(share)).abs() < 1.0, "{numbers:?}");
            }
        }
    }
}
