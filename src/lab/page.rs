//! A comparison as one HTML page, with plots, that loads nothing else.

use super::compare::{Advice, Compared, Measure, PerTask, short};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = "
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#59636e;--line:#d1d9e0;--ground:#fff;--old:#8250df;--new:#0969da}
@media(prefers-color-scheme:dark){:root{--ink:#f0f6fc;--dim:#9198a1;--line:#3d444d;--ground:#0d1117;--old:#ab7df8;--new:#4493f8}}
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--ground)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.dim{color:var(--dim)}.advice{font-size:1.2rem}
svg{width:100%;height:auto}svg text{fill:var(--ink);font:12px system-ui,sans-serif}.old{fill:var(--old)}.new{fill:var(--new)}
svg line{stroke:var(--line)}svg line.way{stroke:var(--dim);stroke-width:2}
";

/// Writes the page.
pub fn page(compared: &Compared, names: [&str; 2]) -> String {
    let word = match compared.advice {
        Advice::Keep => "Keep",
        Advice::Revert => "Revert",
        Advice::NotEnough => "Not enough evidence",
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (word) ": " (names[0]) " and " (names[1]) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (names[0]) " and " (names[1]) }
                p class="advice" { strong { (compared.sentence) } }
                (totals(compared))
                @for measure in Measure::ALL { (plot(compared, measure)) }
                (table(compared))
                @if !compared.unpaired.is_empty() {
                    p class="dim" { "In one of the runs only: " (compared.unpaired.join(", ")) }
                }
            }
        }
    }
    .into_string()
}

fn totals(compared: &Compared) -> Markup {
    let [both, lost, won, neither] = compared.solved;
    html! {
        table {
            thead { tr { th { "" } th class="n" { "before" } th class="n" { "after" } th class="n" { "difference (95 %)" } th class="n" { "p" } } }
            tbody {
                tr {
                    td { "solved of " (compared.pairs) }
                    td class="n" { (both + lost) } td class="n" { (both + won) }
                    td class="n" { "before alone " (lost) ", after alone " (won) ", neither " (neither) }
                    td class="n" { (format!("{:.3}", compared.solved_p)) }
                }
                @for t in &compared.totals {
                    tr {
                        td { (t.measure.word()) ", mean (median)" }
                        td class="n" { (short(t.mean[0])) " (" (short(t.median[0])) ")" }
                        td class="n" { (short(t.mean[1])) " (" (short(t.median[1])) ")" }
                        td class="n" { (short(t.difference.mean)) " [" (short(t.difference.low)) ", " (short(t.difference.high)) "]" }
                        td class="n" { (format!("{:.3}", t.p)) }
                    }
                }
            }
        }
        p class="dim" { "Solved: exact McNemar test over pairs of runs. Amounts: means over the repeats of a task, Wilcoxon's signed-rank test over the tasks, exact up to 200; interval by bootstrap." }
    }
}

/// A line per task, from before to after.
fn plot(compared: &Compared, measure: Measure) -> Markup {
    const LEFT: f64 = 230.0;
    const WIDTH: f64 = 900.0;
    let most = compared
        .tasks
        .iter()
        .flat_map(|t| t.amount(measure))
        .fold(1.0f64, f64::max);
    let x = |amount: f64| LEFT + (WIDTH - LEFT - 60.0) * amount / most;
    let height = 30 + 20 * compared.tasks.len();
    html! {
        h2 { (measure.word()) }
        svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img"
            aria-label=(format!("{} of each task, before and after", measure.word())) {
            @for (i, task) in compared.tasks.iter().enumerate() {
                @let y = 20 + 20 * i;
                @let [old, new] = task.amount(measure);
                text x="0" y=(y + 4) { (task.task) }
                line x1=(LEFT) x2=(WIDTH - 60.0) y1=(y) y2=(y) {}
                line class="way" x1=(x(old)) x2=(x(new)) y1=(y) y2=(y) {}
                circle class="old" cx=(x(old)) cy=(y) r="5" { title { (task.task) " before: " (short(old)) } }
                circle class="new" cx=(x(new)) cy=(y) r="4" { title { (task.task) " after: " (short(new)) } }
                text x=(WIDTH - 52.0) y=(y + 4) { (short(new)) }
            }
        }
        p class="dim" { "Violet: before. Blue: after; its number stands at the right." }
    }
}

fn table(compared: &Compared) -> Markup {
    let stops = |task: &PerTask, i: usize| {
        let mut words = task.stops[i].clone();
        words.sort_unstable();
        words.dedup();
        words.join(", ").replace('_', " ")
    };
    html! {
        h2 { "Tasks" }
        table {
            thead { tr { th { "task" } th { "tags" } th class="n" { "solved" } th class="n" { "turns" } th class="n" { "tokens" } th class="n" { "seconds" } th { "ended" } } }
            tbody {
                @for t in &compared.tasks {
                    tr {
                        td { (t.task) } td class="dim" { (t.tags.join(", ")) }
                        td class="n" { (t.solved[0]) " → " (t.solved[1]) " of " (t.repeats) }
                        @for m in Measure::ALL { td class="n" { (short(t.amount(m)[0])) " → " (short(t.amount(m)[1])) } }
                        td { (stops(t, 0)) " → " (stops(t, 1)) }
                    }
                }
            }
        }
    }
}
