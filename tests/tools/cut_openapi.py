#!/usr/bin/env python3
"""Cuts GitHub's OpenAPI description down to the operations that mend and its simulator use.

    npm install @octokit/openapi
    tests/tools/cut_openapi.py node_modules/@octokit/openapi/generated/api.github.com.json

writes tests/cases/github/openapi.json.gz: the operations below with their parameters, bodies and answers, every schema
that they name, no prose and no examples.
"""
import gzip
import json
import sys

REPO = "/repos/{owner}/{repo}"
OPERATIONS = {
    "/app": "get",
    "/app-manifests/{code}/conversions": "post",
    "/app/hook/config": "get patch",
    "/app/hook/deliveries": "get",
    "/app/hook/deliveries/{delivery_id}": "get",
    "/app/hook/deliveries/{delivery_id}/attempts": "post",
    "/app/installations": "get",
    "/app/installations/{installation_id}": "get",
    "/app/installations/{installation_id}/access_tokens": "post",
    "/installation/repositories": "get",
    "/installation/token": "delete",
    "/rate_limit": "get",
    "/user": "get",
    "/users/{username}": "get",
    REPO: "get",
    f"{REPO}/actions/runs": "get",
    f"{REPO}/actions/runs/{{run_id}}/approve": "post",
    f"{REPO}/branches": "get",
    f"{REPO}/branches/{{branch}}": "get",
    f"{REPO}/check-runs": "post",
    f"{REPO}/check-runs/{{check_run_id}}": "get patch",
    f"{REPO}/check-runs/{{check_run_id}}/annotations": "get",
    f"{REPO}/collaborators/{{username}}/permission": "get",
    f"{REPO}/commits": "get",
    f"{REPO}/commits/{{ref}}": "get",
    f"{REPO}/commits/{{ref}}/check-runs": "get",
    f"{REPO}/commits/{{ref}}/check-suites": "get",
    f"{REPO}/commits/{{ref}}/status": "get",
    f"{REPO}/commits/{{commit_sha}}/pulls": "get",
    f"{REPO}/compare/{{basehead}}": "get",
    f"{REPO}/contents/{{path}}": "get put",
    f"{REPO}/git/blobs": "post",
    f"{REPO}/git/commits": "post",
    f"{REPO}/git/commits/{{commit_sha}}": "get",
    f"{REPO}/git/matching-refs/{{ref}}": "get",
    f"{REPO}/git/ref/{{ref}}": "get",
    f"{REPO}/git/refs": "post",
    f"{REPO}/git/refs/{{ref}}": "patch delete",
    f"{REPO}/git/trees": "post",
    f"{REPO}/git/trees/{{tree_sha}}": "get",
    f"{REPO}/installation": "get",
    f"{REPO}/issues": "get post",
    f"{REPO}/issues/comments": "get",
    f"{REPO}/issues/comments/{{comment_id}}": "get patch delete",
    f"{REPO}/issues/comments/{{comment_id}}/reactions": "get post",
    f"{REPO}/issues/comments/{{comment_id}}/reactions/{{reaction_id}}": "delete",
    f"{REPO}/issues/events/{{event_id}}": "get",
    f"{REPO}/issues/{{issue_number}}": "get patch",
    f"{REPO}/issues/{{issue_number}}/assignees": "post delete",
    f"{REPO}/issues/{{issue_number}}/comments": "get post",
    f"{REPO}/issues/{{issue_number}}/events": "get",
    f"{REPO}/issues/{{issue_number}}/labels": "get post put",
    f"{REPO}/issues/{{issue_number}}/labels/{{name}}": "delete",
    f"{REPO}/issues/{{issue_number}}/reactions": "get post",
    f"{REPO}/issues/{{issue_number}}/reactions/{{reaction_id}}": "delete",
    f"{REPO}/issues/{{issue_number}}/timeline": "get",
    f"{REPO}/labels": "get post",
    f"{REPO}/labels/{{name}}": "get",
    f"{REPO}/pulls": "get post",
    f"{REPO}/pulls/{{pull_number}}": "get patch",
    f"{REPO}/pulls/{{pull_number}}/comments": "get post",
    f"{REPO}/pulls/{{pull_number}}/comments/{{comment_id}}/replies": "post",
    f"{REPO}/pulls/{{pull_number}}/commits": "get",
    f"{REPO}/pulls/{{pull_number}}/files": "get",
    f"{REPO}/pulls/{{pull_number}}/requested_reviewers": "post delete",
    f"{REPO}/pulls/{{pull_number}}/reviews": "get post",
    f"{REPO}/pulls/{{pull_number}}/reviews/{{review_id}}": "get",
    f"{REPO}/pulls/{{pull_number}}/reviews/{{review_id}}/comments": "get",
    f"{REPO}/pulls/comments/{{comment_id}}": "get patch delete",
    f"{REPO}/pulls/comments/{{comment_id}}/reactions": "get post",
    f"{REPO}/rules/branches/{{branch}}": "get",
    f"{REPO}/statuses/{{sha}}": "post",
    # The recorded exchanges of @octokit/fixtures use these besides.
    "/markdown": "post",
    "/orgs/{org}": "get",
    "/repos/{owner}/{repo}/commits/{ref}/statuses": "get",
}
PROSE = {"description", "example", "examples", "summary", "externalDocs", "title", "tags", "operationId", "deprecated"}


def lean(value, names=False):
    """Without prose. `names`: the keys of this object are the data's own, not the description's."""
    if isinstance(value, dict):
        own = {"properties", "schemas", "parameters", "responses", "paths", "content"}
        return {
            k: lean(v, not names and k in own)
            for k, v in value.items()
            if names or not (k in PROSE or k.startswith("x-"))
        }
    return [lean(v) for v in value] if isinstance(value, list) else value


def refs(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from refs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from refs(inner)


def main():
    whole = json.load(open(sys.argv[1]))
    paths = {}
    for path, methods in OPERATIONS.items():
        of_path = paths[path] = {}
        for method in methods.split():
            operation = lean(whole["paths"][path][method])
            kept = {}
            for part in ("parameters", "requestBody", "responses"):
                if part in operation:
                    kept[part] = operation[part]
            for answer in kept["responses"].values():
                if isinstance(answer, dict):
                    answer.pop("headers", None)
            of_path[method] = kept
    # Written out here, and wrong: an account that is a person and an enterprise at once. One
    # installation alone is described right.
    listed = paths["/app/installations"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    listed["items"] = {"$ref": "#/components/schemas/installation"}
    components, waiting = {}, list(refs(paths))
    while waiting:
        kind, name = waiting.pop().removeprefix("#/components/").split("/")
        if name in components.setdefault(kind, {}):
            continue
        component = components[kind][name] = lean(whole["components"][kind][name])
        component.pop("headers", None)
        waiting.extend(refs(component))
    cut = {"openapi": whole["openapi"], "info": {"version": whole["info"]["version"]}, "paths": paths,
           "components": components}
    text = json.dumps(cut, separators=(",", ":"), sort_keys=True).encode()
    with open("tests/cases/github/openapi.json.gz", "wb") as out:
        out.write(gzip.compress(text, mtime=0))
    print(f"{sum(len(p) for p in paths.values())} operations, {len(text)} bytes")


main()
