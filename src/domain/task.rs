//! Triggers, tasks and their endings.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The row id of a task in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub i64);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// `owner/name` of a repository, each part as GitHub allows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoName {
    owner: String,
    name: String,
}

impl RepoName {
    pub fn owner(&self) -> &str {
        &self.owner
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for RepoName {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let fits = |part: &str| {
            !part.is_empty()
                && part.len() <= 100
                && part != "."
                && part != ".."
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        match s.split_once('/') {
            Some((owner, name)) if fits(owner) && fits(name) => Ok(RepoName {
                owner: owner.into(),
                name: name.into(),
            }),
            _ => Err(format!("`{}` is not owner/name", s.escape_debug())),
        }
    }
}

impl TryFrom<String> for RepoName {
    type Error = String;

    fn try_from(s: String) -> Result<Self, String> {
        s.parse()
    }
}

impl From<RepoName> for String {
    fn from(r: RepoName) -> String {
        r.to_string()
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// A repository as an installation sees it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RepoRef {
    /// GitHub's numeric id, stable over renames.
    pub id: u64,
    pub name: RepoName,
    pub installation_id: u64,
}

/// An issue of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IssueRef {
    pub repo: RepoRef,
    /// GitHub's numeric issue id, stable over transfers of the number's meaning.
    pub id: u64,
    pub number: u64,
}

/// The person who acted; `id` is what permissions are asked for by GitHub, `login` what people read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    pub id: u64,
    pub login: String,
    /// GitHub's account type says `Bot`, or the login ends in `[bot]`.
    pub is_bot: bool,
}

/// What a comment asks for (rule B4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "command")]
pub enum Command {
    /// Run again; `from_scratch` starts at base, otherwise from the head of mend's branch.
    Retry {
        guidance: Option<String>,
        from_scratch: bool,
    },
    /// Start as the label would; `allow_tests` lifts the protection of tests.
    Fix {
        allow_tests: bool,
        up_to_dollars: Option<f64>,
    },
    Stop,
    Status,
    Help,
    Ci,
}

/// What started a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TriggerKind {
    Label,
    /// `mend fix owner/repo#12`
    CommandLine,
    Comment {
        comment_id: u64,
        command: Command,
    },
    /// A review of mend's pull request, whole, with its comments on lines.
    Review {
        review_id: u64,
        command: Command,
        #[serde(default)]
        threads: Vec<ReviewThread>,
    },
    /// The button that runs a check again.
    CheckRun {
        check_run_id: u64,
        command: Command,
    },
}

impl TriggerKind {
    /// What it asks for; a label asks for a fix in no other words.
    pub fn command(&self) -> Option<&Command> {
        match self {
            TriggerKind::Label | TriggerKind::CommandLine => None,
            TriggerKind::Comment { command, .. }
            | TriggerKind::Review { command, .. }
            | TriggerKind::CheckRun { command, .. } => Some(command),
        }
    }

    /// The comments on lines that want an answer each.
    pub fn threads(&self) -> &[ReviewThread] {
        match self {
            TriggerKind::Review { threads, .. } => threads,
            _ => &[],
        }
    }
}

/// A comment on a line of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewThread {
    /// The comment that is answered.
    pub comment_id: u64,
    pub path: String,
    /// The line of the file as the reviewer saw it; `None` when it is outdated or for a whole file.
    pub line: Option<u64>,
    /// The piece of the diff that the comment stands under.
    pub hunk: String,
    pub text: String,
}

/// Who asked for what, with the report's text frozen at that moment (rule B5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trigger {
    pub issue: IssueRef,
    pub by: Person,
    pub what: TriggerKind,
    /// The pull request on which it was asked; `None` where it was asked on the issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_on: Option<u64>,
    /// When it was asked by GitHub's clock, in seconds since the Unix epoch; `None` where nothing tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<i64>,
    pub title: String,
    pub body: String,
    /// The semantic key: repository id, issue id, and the labelled event or the comment and its edit time.
    pub key: String,
}

/// What a task is about to do, in order; written down before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Token, mirror, worktree, base check.
    Prepare,
    /// The loop of the agent.
    Work,
    /// The final full check and the comparison with base.
    Check,
    Review,
    /// Commit, branch, pull request, status comment.
    Publish,
}

impl Step {
    /// The word in JSON, traces and the store.
    pub fn word(self) -> &'static str {
        match self {
            Step::Prepare => "prepare",
            Step::Work => "work",
            Step::Check => "check",
            Step::Review => "review",
            Step::Publish => "publish",
        }
    }
}

/// How the loop of the agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    SuitePassed,
    Finished,
    NoToolCalls,
    /// The report cannot be acted on; the model asks one thing.
    Question,
    /// The report asks something that needs no code.
    Answer,
    TurnLimit,
    TimeLimit,
    TokenLimit,
    MoneyLimit,
    /// A day's budget that many tasks share is used up.
    Budget,
    /// The conversation is longer than the model takes, also after it was shortened.
    ContextLimit,
    CheckTimedOut,
    InvalidCalls,
    RepeatedCall,
    Stopped,
    ModelError,
}

impl StopReason {
    /// The word in JSON and traces.
    pub fn word(self) -> &'static str {
        match self {
            StopReason::SuitePassed => "suite_passed",
            StopReason::Finished => "finished",
            StopReason::NoToolCalls => "no_tool_calls",
            StopReason::Question => "question",
            StopReason::Answer => "answer",
            StopReason::TurnLimit => "turn_limit",
            StopReason::TimeLimit => "time_limit",
            StopReason::TokenLimit => "token_limit",
            StopReason::MoneyLimit => "money_limit",
            StopReason::Budget => "budget",
            StopReason::ContextLimit => "context_limit",
            StopReason::CheckTimedOut => "check_timed_out",
            StopReason::InvalidCalls => "invalid_calls",
            StopReason::RepeatedCall => "repeated_call",
            StopReason::Stopped => "stopped",
            StopReason::ModelError => "model_error",
        }
    }

    /// Whether a limit ended the loop, so that the work is unfinished (rule W13).
    pub fn is_limit(self) -> bool {
        !matches!(
            self,
            StopReason::SuitePassed
                | StopReason::Finished
                | StopReason::NoToolCalls
                | StopReason::Question
                | StopReason::Answer
        )
    }

    /// Whether the loop was ended in the middle of a turn, from outside.
    pub fn is_interruption(self) -> bool {
        matches!(self, StopReason::Stopped | StopReason::TimeLimit)
    }
}

/// The one answer that a task ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Ready,
    Draft,
    NoChange,
    Question,
    Answer,
    NotAllowed,
    Stopped,
    LimitReached,
    DidntStart,
    /// A change is made, and a rule of the house or somebody's commits keep it from the branch.
    NotPublished,
    Crashed,
}

impl Verdict {
    /// The word in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::NoChange => "no change",
            Verdict::NotAllowed => "not allowed",
            Verdict::LimitReached => "limit reached",
            Verdict::DidntStart => "didn't start",
            Verdict::NotPublished => "not published",
            other => other.word(),
        }
    }

    /// The word in JSON, traces and the store.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Ready => "ready",
            Verdict::Draft => "draft",
            Verdict::NoChange => "no_change",
            Verdict::Question => "question",
            Verdict::Answer => "answer",
            Verdict::NotAllowed => "not_allowed",
            Verdict::Stopped => "stopped",
            Verdict::LimitReached => "limit_reached",
            Verdict::DidntStart => "didnt_start",
            Verdict::NotPublished => "not_published",
            Verdict::Crashed => "crashed",
        }
    }
}

/// Why a verdict is what it is; the words for people come from `render`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The check was red and is green.
    Fixed,
    /// Something was fixed; what still fails failed before.
    FixedOthersFailBefore,
    /// The check was green before; a test that the change adds is red without it and green with it.
    Reproduced,
    /// The check stays green where it has to be red.
    CheckIsDeaf,
    /// The change reaches what runs or reports the tests.
    HarnessChanged,
    /// Tests that ran before do not run any more.
    TestsLost,
    /// The change touches tests that stand inside source files.
    TestsInSourceChanged,
    /// Nothing but tests and documents is changed.
    OnlyTestsChanged,
    /// What is fixed is not fixed without the files that the change adds among the tests.
    FixedByTestFiles,
    NoChange,
    /// One answer is needed before anything can be done.
    Question,
    /// The report asked something; the answer needs no change.
    Answer,
    LimitReached,
    Stopped,
    ModelUnreachable,
    Contradiction,
    DoubtedTest,
    CheckDidntStart,
    CheckTimedOut,
    NotChecked,
    NewlyBroken,
    /// All that is red besides old failures passed when it ran again alone.
    FlakyLeft,
    NotFixedYet,
    NotReproduced,
    NoBase,
}
