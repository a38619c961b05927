//! The text format of Prometheus:
//! <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>.

use std::fmt::Write;

/// A page under construction.
#[derive(Debug, Default)]
pub(super) struct Page(String);

impl Page {
    /// Begins a family of samples.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// One sample. Values of labels are fixed words without quotes and breaks.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> = labels.iter().map(|(k, v)| format!("{k}=\"{v}\"")).collect();
        let labels = match labels.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", labels.join(",")),
        };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    pub fn histogram(&mut self, name: &str, labels: &[(&str, &str)], histogram: &Histogram) {
        for (bound, count) in BOUNDS.iter().zip(histogram.cumulative()) {
            let bound = bound.to_string();
            let all: Vec<_> = labels
                .iter()
                .copied()
                .chain([("le", bound.as_str())])
                .collect();
            self.sample(&format!("{name}_bucket"), &all, count as f64);
        }
        let all: Vec<_> = labels.iter().copied().chain([("le", "+Inf")]).collect();
        self.sample(&format!("{name}_bucket"), &all, histogram.count as f64);
        self.sample(&format!("{name}_sum"), labels, histogram.sum);
        self.sample(&format!("{name}_count"), labels, histogram.count as f64);
    }

    pub fn end(self) -> String {
        self.0
    }
}

/// Seconds; from a tool call to a long task.
const BOUNDS: [f64; 11] = [
    0.1, 0.5, 1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 900.0, 2700.0,
];

/// How long things took.
#[derive(Debug, Clone, Default)]
pub(super) struct Histogram {
    buckets: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

impl Histogram {
    pub fn add(&mut self, seconds: f64) {
        self.count += 1;
        self.sum += seconds;
        if let Some(at) = BOUNDS.iter().position(|b| seconds <= *b) {
            self.buckets[at] += 1;
        }
    }

    fn cumulative(&self) -> impl Iterator<Item = u64> {
        self.buckets.iter().scan(0, |all, n| {
            *all += n;
            Some(*all)
        })
    }
}
