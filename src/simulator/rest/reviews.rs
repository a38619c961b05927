//! Comments on lines of pull requests.

use super::super::answer::{Answer, Call, Refusal};
use super::super::caller::Level;
use super::super::shapes;
use super::super::state::{LineComment, Pull, Reaction, World};
use serde_json::Value;

fn entitled(world: &World, call: &Call, level: Level) -> Result<u64, Refusal> {
    world.entitled(call, &[("pull_requests", level)])
}

fn shown(
    world: &World,
    call: &Call,
    repo: u64,
    wanted: impl Fn(u64) -> bool,
) -> Result<Answer, Refusal> {
    let number = call.number("number")?;
    let (of, issue) = world.issue(repo, number)?;
    let pull: &Pull = issue.pull.as_ref().ok_or_else(Refusal::not_found)?;
    let reviews = pull.reviews.iter().filter(|r| wanted(r.id));
    let all: Vec<Value> = reviews
        .flat_map(|r| r.comments.iter().map(move |c| (r.id, c)))
        .map(|(review, c)| shapes::line_comment(world, of, number, review, c))
        .collect();
    Ok(call.page(all))
}

pub(super) fn of_review(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = entitled(world, call, Level::Read)?;
    let review = call.number("review")?;
    shown(world, call, repo, |id| id == review)
}

pub(super) fn list(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = entitled(world, call, Level::Read)?;
    shown(world, call, repo, |_| true)
}

/// The reviews of a pull request.
pub(super) fn all(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = entitled(world, call, Level::Read)?;
    let (of, issue) = world.issue(repo, call.number("number")?)?;
    let pull: &Pull = issue.pull.as_ref().ok_or_else(Refusal::not_found)?;
    let all = pull.reviews.iter().map(|review| {
        let mut json = shapes::review(world, review);
        // Webhooks write it in lower case, the API does not.
        json["state"] = review.state.to_uppercase().into();
        let base = format!(
            "{}/repos/{}/pulls/{}",
            world.base,
            of.full_name(),
            issue.number
        );
        json["html_url"] = format!("{base}#pullrequestreview-{}", review.id).into();
        json["pull_request_url"] = base.clone().into();
        json["commit_id"] = pull.head_sha.clone().into();
        json["author_association"] = world.association(of, &review.author).into();
        json["_links"] = serde_json::json!({
            "html": { "href": json["html_url"] },
            "pull_request": { "href": base }
        });
        json
    });
    Ok(call.page(all.collect()))
}

pub(super) fn reply(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = entitled(world, call, Level::Write)?;
    let (number, to) = (call.number("number")?, call.number("comment")?);
    let author = world.acting(&call.caller)?;
    let id = world.reply_to_line(repo, number, to, &author, call.needed("body")?)?;
    let (number, review, comment) = world.line_comment(repo, id)?;
    let of = world.repo(repo)?;
    let shape = shapes::line_comment(world, of, number, review, comment);
    Ok(Answer::created(shape))
}

pub(super) fn react(world: &mut World, call: &Call) -> Result<Answer, Refusal> {
    let repo = entitled(world, call, Level::Write)?;
    let id = call.number("comment")?;
    let (number, ..) = world.line_comment(repo, id)?;
    let reaction = Reaction {
        id: world.fresh(),
        author: world.acting(&call.caller)?,
        content: call.needed("content")?.to_string(),
        created_at: world.now(),
    };
    let reviews = world.pull_mut(repo, number)?.reviews.iter_mut();
    let found: Option<&mut LineComment> =
        reviews.flat_map(|r| &mut r.comments).find(|c| c.id == id);
    if let Some(comment) = found {
        comment.reactions.push(reaction.clone());
    }
    Ok(Answer::created(shapes::reaction(world, &reaction)))
}
