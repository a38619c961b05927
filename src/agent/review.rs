//! The reviewer: a second model that reads report, change and checks, once (rule E11). One round of
//! its points goes back to the worker; what stands at the end is for the maintainer. It decides no
//! outcome, and when it fails the work goes on without it.

use super::run::Loop;
use super::{AgentError, told};
use crate::check::pairs;
use crate::domain::{Review, ReviewPoint, Severity, StopReason};
use crate::model::{Message, ModelError, Request};
use crate::text::{bound, clip_words, one_line, sanitise_report, visible};
use crate::workspace::WorkspaceError;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, Instant};

/// The longest that an answer may take, also in a task with much time.
const LONGEST: Duration = Duration::from_secs(300);
/// Bytes of the report, of the change and of an earlier change that the reviewer reads.
const REPORT_BYTES: usize = 32 * 1024;
const DIFF_BYTES: usize = 96 * 1024;
/// Points that are taken, and characters of each.
const MOST: usize = 10;
const POINT_CHARS: usize = 600;

/// How far the review of a task is.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Reviewing {
    asked: u32,
    /// The change that was last reviewed.
    diff: String,
    pub(super) review: Option<Review>,
}

#[derive(Deserialize)]
struct Answer {
    points: Vec<Value>,
}

impl Loop<'_, '_> {
    /// Has the change reviewed where the loop is about to end well. `true`: points went back to
    /// the worker and the loop goes on.
    pub(super) async fn reviewed(&mut self, stop: StopReason) -> Result<bool, AgentError> {
        let Some(reviewer) = self.work.reviewer else {
            return Ok(false);
        };
        let diff = self.work.workspace.diff().map_err(WorkspaceError::from)?;
        let again = self.state.reviewing.asked > 0;
        if stop.is_limit() || diff.is_empty() || self.state.reviewing.asked > 1 {
            return Ok(false);
        }
        if again && diff == self.state.reviewing.diff {
            return Ok(false);
        }
        self.state.reviewing.asked += 1;
        let request = self.review_request(&diff)?;
        self.state.reviewing.diff = diff;
        let mut review = self.state.reviewing.review.take().unwrap_or_default();
        review.model = reviewer.name().to_string();
        let limit = LONGEST.min(Duration::from_secs(self.work.limits.wall_s / 4 + 1));
        let asked = Instant::now();
        let asking = ("reviewer", &request, 0);
        let answer = super::traced::asked(self.work, reviewer, asking, self.budget.cancel());
        let answer = tokio::time::timeout(limit, answer).await;
        self.state.model_ms += asked.elapsed().as_millis() as u64;
        let read = match answer {
            Err(_) => Err(format!("no answer in {} s", limit.as_secs())),
            Ok(Err(ModelError::Cancelled)) => Err("the task was stopped".to_string()),
            Ok(Err(error)) => Err(clip_words(&one_line(&error.to_string()), 240)),
            Ok(Ok(turn)) => {
                self.state.usage.add(&turn.usage);
                read(&turn.text)
            }
        };
        let points = match read {
            Ok(points) => points,
            Err(why) => {
                tracing::warn!(%why, "no review");
                review.failed = Some(why);
                self.state.reviewing.review = Some(review);
                return Ok(false);
            }
        };
        let (mut points, unplaced) = self.placed(points)?;
        let placed = points.len();
        review.unplaced = unplaced.len();
        points.extend(unplaced);
        review.open = points;
        // What names no file of the change is for the maintainer alone.
        let back: Vec<ReviewPoint> = review.open[..placed]
            .iter()
            .filter(|p| p.severity != Severity::Note)
            .cloned()
            .collect();
        // A worker that named a contradicting test is not to be talked out of it.
        let goes_on = !again && !back.is_empty() && self.state.named.is_empty();
        let goes_on = goes_on
            && self
                .budget
                .reached(self.state.turns, &self.state.usage)
                .is_none();
        if goes_on {
            let text = self.points_text(&back)?;
            review.sent_back = back;
            self.say(text);
        }
        self.state.reviewing.review = Some(review);
        Ok(goes_on)
    }

    fn review_request(&self, diff: &str) -> Result<Request, AgentError> {
        let (work, prompts) = (self.work, self.work.prompts);
        let title = sanitise_report(&work.report.title);
        let body = bound(&sanitise_report(&work.report.body), REPORT_BYTES);
        let mark = super::first::mark();
        let guidance: Vec<String> = work.guidance.iter().map(|g| sanitise_report(g)).collect();
        let earlier = work
            .earlier
            .map(|e| bound(&visible(&e.diff), DIFF_BYTES / 4));
        let text = prompts.render(
            "review.md",
            context! {
                open => format!("<report-{mark}>"),
                close => format!("</report-{mark}>"),
                title, body, guidance,
                earlier_diff => earlier.unwrap_or_default(),
                diff => bound(&work.workspace.shown(diff), DIFF_BYTES),
                checks => self.checks_text(),
            },
        )?;
        Ok(Request {
            system: prompts.render("reviewer.md", context! {})?,
            messages: vec![Message::User(text)],
            tools: Vec::new(),
            max_output_tokens: work.max_output_tokens,
        })
    }

    fn checks_text(&self) -> String {
        let Some(runs) = &self.state.check else {
            return "not run with this change".to_string();
        };
        let mut text = String::new();
        for pair in pairs(self.work.base.runs(), runs) {
            let base = pair.base.as_ref().map_or("not run".to_string(), told::line);
            let after = pair
                .after
                .as_ref()
                .map_or("not run".to_string(), told::line);
            text.push_str(&format!(
                "`{}`\n  on the untouched code: {base}\n  with the change: {after}\n",
                pair.command
            ));
        }
        let compared = told::comparison(&pairs(self.work.base.runs(), runs));
        text.push_str(&compared.replace(" by your change", ""));
        text.trim_end().to_string()
    }

    /// The points that name a file of the change, where a line that the file does not have is left
    /// out, and the others, which have no line.
    fn placed(
        &self,
        points: Vec<ReviewPoint>,
    ) -> Result<(Vec<ReviewPoint>, Vec<ReviewPoint>), AgentError> {
        let changed = self
            .work
            .workspace
            .changed()
            .map_err(WorkspaceError::from)?;
        let (mut kept, mut others) = (Vec::new(), Vec::new());
        for mut point in points {
            let Some(change) = changed.iter().find(|c| c.path == point.path) else {
                point.line = None;
                others.push(point);
                continue;
            };
            let after = change.after.as_deref().unwrap_or_default();
            let lines = String::from_utf8_lossy(after).lines().count() as u64;
            point.line = point.line.filter(|line| (1..=lines).contains(line));
            kept.push(point);
        }
        kept.sort_by_key(|p| p.severity);
        others.sort_by_key(|p| p.severity);
        Ok((kept, others))
    }

    fn points_text(&self, points: &[ReviewPoint]) -> Result<String, AgentError> {
        let prompts = self.work.prompts;
        let protected = context! { tests_protected => self.work.tests_protected };
        let limits = prompts.render("limits.md", protected)?;
        let points: Vec<String> = points
            .iter()
            .map(|p| {
                let line = p.line.map(|l| format!(":{l}")).unwrap_or_default();
                let severity = match p.severity {
                    Severity::MustFix => "must fix",
                    Severity::ShouldFix => "should fix",
                    Severity::Note => "note",
                };
                format!("`{}{line}` ({severity}): {}", p.path, p.text)
            })
            .collect();
        Ok(prompts.render("points.md", context! { points, limits })?)
    }
}

/// The points of an answer, whatever stands around the object.
fn read(text: &str) -> Result<Vec<ReviewPoint>, String> {
    let wrong = || "its answer is not the JSON that was asked for".to_string();
    let object = crate::text::json_object(text).ok_or_else(wrong)?;
    let answer: Answer = serde_json::from_str(object).map_err(|_| wrong())?;
    let mut points: Vec<ReviewPoint> = answer.points.iter().filter_map(point).collect();
    // Points that cannot be read are no clean review.
    if points.is_empty() && !answer.points.is_empty() {
        return Err(wrong());
    }
    points.truncate(MOST);
    Ok(points)
}

fn point(value: &Value) -> Option<ReviewPoint> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::trim);
    let said = text("text").filter(|t| !t.is_empty())?;
    let line = value.get("line");
    let path = text("path").unwrap_or_default();
    Some(ReviewPoint {
        path: path.trim_start_matches("./").to_string(),
        line: line.and_then(|l| l.as_u64().or_else(|| l.as_str()?.parse().ok())),
        severity: match text("severity").unwrap_or_default().to_lowercase().as_str() {
            "must_fix" | "must" | "critical" | "high" | "blocker" | "error" => Severity::MustFix,
            "should_fix" | "should" | "major" | "medium" | "warning" => Severity::ShouldFix,
            _ => Severity::Note,
        },
        text: clip_words(&one_line(&visible(said)), POINT_CHARS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_whatever_stands_around_it() {
        let text = "Here:\n```json\n{\"points\": [{\"path\": \"./a.py\", \"line\": \"3\", \"severity\": \"high\", \"text\": \" wrong\\nfor 0 \"}, {\"path\": \"b.py\"}, {\"path\": \"c.py\", \"text\": \"x\"}]}\n```";
        let points = read(text).unwrap();
        assert_eq!(points.len(), 2, "what says nothing is no point");
        let elsewhere = read("{\"points\": [{\"text\": \"x\"}]}").unwrap();
        assert_eq!(elsewhere[0].path, "", "a point without a place is one");
        assert_eq!(
            points[0],
            ReviewPoint {
                path: "a.py".into(),
                line: Some(3),
                severity: Severity::MustFix,
                text: "wrong for 0".into()
            }
        );
        assert_eq!(points[1].severity, Severity::Note);
        assert!(read("{\"points\": []}").unwrap().is_empty());
        for wrong in [
            "",
            "looks good",
            "{}",
            "{\"points\": 3}",
            "}{",
            "{\"points\": [{\"issue\": \"x\"}]}",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
