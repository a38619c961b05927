//! The statistics against scipy's, on the same numbers (`tests/tools/lab_stats.py` writes them).

use mend::lab::{bootstrap, mcnemar, wilcoxon};
use serde_json::Value;

fn cases() -> Vec<Value> {
    let text = include_str!("../../cases/lab/stats.json");
    let file: Value = serde_json::from_str(text).unwrap();
    file["cases"].as_array().unwrap().clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_f64().unwrap())
        .collect()
}

#[test]
fn p_values_are_those_of_scipy() {
    let mut seen = 0;
    for case in cases() {
        let p = || case["p"].as_f64().unwrap();
        let (got, want, tolerance) = match case["test"].as_str().unwrap() {
            "mcnemar" => {
                let count = |k: &str| case[k].as_u64().unwrap() as u32;
                (mcnemar(count("b"), count("c")), p(), 1e-9)
            }
            "wilcoxon" => (wilcoxon(&numbers(&case["d"])), p(), 1e-6),
            _ => continue,
        };
        assert!(
            (got - want).abs() <= tolerance,
            "{got} is not {want} in {case}"
        );
        seen += 1;
    }
    assert_eq!(seen, 17);
}

#[test]
fn the_interval_is_that_of_scipy_but_for_the_resampling() {
    for case in cases().iter().filter(|c| c["test"] == "bootstrap") {
        let number = |k: &str| case[k].as_f64().unwrap();
        let got = bootstrap(&numbers(&case["d"]));
        assert!((got.mean - number("mean")).abs() < 1e-9);
        let width = number("high") - number("low");
        for (got, want) in [(got.low, number("low")), (got.high, number("high"))] {
            assert!((got - want).abs() < 0.05 * width, "{got} is not {want}");
        }
        assert_eq!(
            got,
            bootstrap(&numbers(&case["d"])),
            "the same numbers, the same interval"
        );
    }
}
