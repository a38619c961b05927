// mend's whole way (label, pull request, review, follow-up, stop) on npm's `emulate`, a stateful GitHub that neither
// mend's authors nor its simulator's wrote. The real `mend serve` talks to it through a bridge that adds git's smart
// HTTP: a token may fetch or push when emulate says so, and what was pushed is written into emulate by its Git Data API.
//
// What emulate 0.11.2 cannot do, and what stands in for it here:
//  * git over HTTP: the bridge, with `git http-backend`; every SHA must come out the same on both sides.
//  * the head of a pull request does not follow a push: the branch is looked at instead.
//  * reactions, replies to comments on lines, the list of webhook deliveries, revoking a token: 404. mend goes on
//    without them; the flow ends with a list of what was asked in vain, which may hold nothing else.
//  * the list of an installation's repositories, and a pull request read as an issue: 404. mend does without labels there;
//    a branch that is not there yet is 404 at GitHub too.
//  * GraphQL (ready for review, draft), statuses, the manifest: 404, and not needed here.
//  * delivery ids are times in milliseconds, so that two events of one moment share one: the bridge gives each its own.
//  * a second pull request of the same branch is answered 201, not 422: mend must not ask for one.
// Usage: node emulate_flow.mjs MEND FOLDER   (FOLDER holds node_modules/emulate)
import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, openSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [mend, folder] = process.argv.slice(2);
const { createEmulator } = await import(pathToFileURL(join(folder, "node_modules/emulate/dist/api.js")));

const REPO = "ada/adder";
const PROJECT = {
  "adder/__init__.py": "from .sums import add\n",
  "adder/sums.py": "def add(a, b):\n    return a - b\n",
  "tests/__init__.py": "",
  "tests/test_sums.py":
    "import unittest\n\nfrom adder import add\n\n\nclass SumsTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
};
const TEST = "import unittest\n\nfrom adder import add\n\n\nclass MoreTest(unittest.TestCase):\n    def test_negative(self):\n        self.assertEqual(add(-1, 1), 0)\n";
const call = (name, args) => ({ id: randomUUID(), type: "function", function: { name, arguments: JSON.stringify(args) } });
const TURNS = [
  [call("edit_file", { path: "adder/sums.py", edits: [{ old: "return a - b", new: "return a + b" }], summary: "`add` subtracted; it now adds." })],
  [call("write_file", { path: "tests/test_more.py", content: TEST, summary: "Added a test." }), call("finish", { summary: "Added a test with a negative number." })],
  null, // never answered: the third task is stopped
];

const place = mkdtempSync(join(tmpdir(), "mend-emulate-"));
const bare = join(place, "adder.git");
const git = (...args) => execFileSync("git", ["-C", bare, ...args], { encoding: "utf8", env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" } }).trim();
const missing = new Map();
let hooks = 0;
let mendUrl = "";

const body = (request) => new Promise((done) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => done(Buffer.concat(parts)));
});
const listen = (serve) => new Promise((done) => {
  const server = http.createServer((q, s) => serve(q, s).catch((error) => { s.statusCode = 500; s.end(String(error)); console.error(error); }));
  server.listen(0, "127.0.0.1", () => done(server));
});
const url = (server) => `http://127.0.0.1:${server.address().port}`;

// The bridge: mend's GitHub.
const bridge = await listen(async (request, response) => {
  const data = await body(request);
  const at = new URL(request.url, "http://bridge");
  if (at.pathname === "/hook") {
    hooks += 1;
    const headers = { ...request.headers, "x-github-delivery": randomUUID() };
    delete headers.host;
    const answer = await fetch(`${mendUrl}/webhook`, { method: "POST", headers, body: data });
    response.statusCode = answer.status;
    return response.end();
  }
  const asked = at.pathname.match(/^\/ada\/adder(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/);
  if (asked) return serveGit(asked[1], at, request, data, response);
  const answer = await rest(request.method, request.url, request.headers.authorization, data.length ? data : undefined);
  if (answer.status === 404) {
    const what = `${request.method} ${at.pathname.replace(/\d+/g, "N")}`;
    missing.set(what, (missing.get(what) ?? 0) + 1);
  }
  response.statusCode = answer.status;
  for (const name of ["content-type", "link"]) if (answer.headers.get(name)) response.setHeader(name, answer.headers.get(name));
  response.end(Buffer.from(await answer.arrayBuffer()));
});

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048, privateKeyEncoding: { type: "pkcs1", format: "pem" }, publicKeyEncoding: { type: "spki", format: "pem" },
});
const free = await listen(async () => {});
const port = free.address().port;
await new Promise((done) => free.close(done));
const github = await createEmulator({
  service: "github", port, baseUrl: url(bridge),
  seed: {
    tokens: { ada_token: { login: "ada", scopes: ["repo"] }, rae_token: { login: "rae", scopes: ["repo"] } },
    github: {
      users: [{ login: "nobody" }, { login: "ada" }, { login: "rae" }],
      repos: [{ owner: "ada", name: "adder", private: false, auto_init: true }],
      apps: [{
        app_id: 12345, slug: "mend", name: "mend", private_key: privateKey,
        permissions: { contents: "write", issues: "write", pull_requests: "write", checks: "write", metadata: "read" },
        events: ["issues", "issue_comment", "pull_request", "pull_request_review", "pull_request_review_comment", "check_run"],
        webhook_url: `${url(bridge)}/hook`, webhook_secret: "a secret of the test",
        installations: [{ installation_id: 100, account: "ada", repository_selection: "all" }],
      }],
    },
  },
});
const emulate = `http://127.0.0.1:${port}`;

function rest(method, path, authorization, data) {
  const headers = { "content-type": "application/json", accept: "application/vnd.github+json" };
  if (authorization) headers.authorization = authorization;
  return fetch(emulate + path, { method, headers, body: data });
}
async function as(token, method, path, data) {
  const answer = await rest(method, path, `Bearer ${token}`, data && JSON.stringify(data));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}
const ada = (method, path, data) => as("ada_token", method, `/repos/${REPO}${path}`, data);

async function serveGit(step, at, request, data, response) {
  const push = step === "git-receive-pack" || at.searchParams.get("service") === "git-receive-pack";
  const basic = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /i, ""), "base64").toString();
  const token = basic.split(":")[1];
  // May it? emulate knows: reading the repository, or writing a blob.
  const may = token && (await (push
    ? rest("POST", `/repos/${REPO}/git/blobs`, `Bearer ${token}`, JSON.stringify({ content: "probe", encoding: "utf-8" }))
    : rest("GET", `/repos/${REPO}/git/ref/heads/main`, `Bearer ${token}`))).ok;
  if (!may) {
    response.statusCode = token ? 403 : 401;
    response.setHeader("www-authenticate", "Basic realm=\"GitHub\"");
    return response.end("not permitted\n");
  }
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH, GIT_PROJECT_ROOT: place, GIT_HTTP_EXPORT_ALL: "1", GIT_CONFIG_GLOBAL: "/dev/null",
      PATH_INFO: `/adder.git/${step}`, QUERY_STRING: at.search.slice(1), REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "", HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: request.headers["git-protocol"] ?? "", REMOTE_USER: "mend", REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  backend.stdin.on("error", () => {});
  backend.stdin.end(data);
  const out = await body(backend.stdout);
  const end = out.indexOf("\r\n\r\n");
  for (const line of out.subarray(0, end).toString().split("\r\n")) {
    const [name, ...value] = line.split(": ");
    if (name === "Status") response.statusCode = Number(value[0].split(" ")[0]);
    else response.setHeader(name, value.join(": "));
  }
  if (step === "git-receive-pack") await tell();
  response.end(out.subarray(end + 4));
}

// What the bare repository holds and emulate does not, written there object by object.
const told = new Set();
async function tell() {
  for (const line of git("for-each-ref", "--format=%(refname) %(objectname)").split("\n")) {
    const [ref, sha] = line.split(" ");
    for (const commit of git("rev-list", "--reverse", "--topo-order", sha).split("\n")) await tellCommit(commit);
    const known = await rest("GET", `/repos/${REPO}/git/ref/${ref.slice(5)}`, "Bearer ada_token");
    if (!known.ok) await ada("POST", "/git/refs", { ref, sha });
    else if ((await known.json()).object.sha !== sha) await ada("PATCH", `/git/${ref}`, { sha, force: true });
  }
}
async function tellCommit(commit) {
  if (told.has(commit)) return;
  const tree = [];
  for (const entry of git("ls-tree", "-r", "-z", commit).split("\0").filter(Boolean)) {
    const [meta, path] = entry.split("\t");
    const [mode, type, sha] = meta.split(" ");
    if (!told.has(sha)) {
      const content = execFileSync("git", ["-C", bare, "cat-file", "blob", sha]).toString("base64");
      same(await ada("POST", "/git/blobs", { content, encoding: "base64" }), sha);
    }
    tree.push({ path, mode, type, sha });
  }
  same(await ada("POST", "/git/trees", { tree }), git("rev-parse", `${commit}^{tree}`));
  const [an, ae, ad, cn, ce, cd, parents = ""] = git("show", "-s", "--format=%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%P", commit).split("\n");
  const raw = execFileSync("git", ["-C", bare, "cat-file", "commit", commit]).toString();
  same(await ada("POST", "/git/commits", {
    message: raw.slice(raw.indexOf("\n\n") + 2), tree: git("rev-parse", `${commit}^{tree}`), parents: parents.split(" ").filter(Boolean),
    author: { name: an, email: ae, date: ad }, committer: { name: cn, email: ce, date: cd },
  }), commit);
}
function same(object, sha) {
  if (object.sha !== sha) throw new Error(`emulate has ${object.sha} for ${sha}`);
  told.add(sha);
}

// The model.
let asked = 0;
const model = await listen(async (request, response) => {
  await body(request);
  const calls = TURNS[asked++];
  if (!calls) return; // silence
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({
    choices: [{ index: 0, finish_reason: "tool_calls", message: { role: "assistant", content: "", tool_calls: calls } }],
    usage: { prompt_tokens: 1000, completion_tokens: 50 },
  }));
});

async function until(what, look) {
  const end = Date.now() + 90_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}
function check(fact, what) {
  if (!fact) throw new Error(what);
}
const comments = async (number, part) => (await ada("GET", `/issues/${number}/comments`)).filter((c) => c.body.includes(part));
const branch = async () => (await ada("GET", "/git/ref/heads/mend/issue-1")).object.sha;

async function flow() {
  await ada("POST", "/labels", { name: "mend", color: "0052cc" });
  await ada("POST", "/issues", { title: "add subtracts", body: "`add(2, 3)` gives -1; it should give 5." });
  await ada("POST", "/issues/1/labels", { labels: ["mend"] });
  const pull = await until("a pull request", async () => (await ada("GET", "/pulls?state=open"))[0]);
  check(pull.head.ref === "mend/issue-1" && pull.base.ref === "main", `branches: ${pull.head.ref} → ${pull.base.ref}`);
  check(pull.body.includes("Closes #1") && pull.body.includes("**passed**: 1 passed"), `body: ${pull.body}`);
  check(!pull.draft, "it is no draft");
  await until("the status comment's end", async () => (await comments(1, `Opened #${pull.number}`)).length === 1);
  const first = await branch();
  check(first === git("rev-parse", "mend/issue-1"), "the branch differs");
  console.log(`label → pull request #${pull.number}`);

  await ada("POST", `/pulls/${pull.number}/reviews`, {
    event: "REQUEST_CHANGES", body: "Please add a test with a negative number.",
    comments: [{ path: "adder/sums.py", position: 1, body: "And for zero?" }],
  });
  await until("a second commit", async () => (await branch()) !== first);
  check(git("rev-parse", "mend/issue-1~1") === first, "it is not on top of the first");
  await until("the follow-up's end", async () => (await comments(pull.number, "mend:task:2")).some((c) => !c.body.includes("Working on it")));
  check((await ada("GET", "/pulls?state=all")).length === 1, "a second pull request");
  console.log("review → follow-up on the same branch");

  const second = await branch();
  await ada("POST", `/issues/${pull.number}/comments`, { body: "/mend retry and say more" });
  await until("the third question", async () => asked === 3);
  await ada("POST", `/issues/${pull.number}/comments`, { body: "/mend stop" });
  const start = Date.now();
  await until("the stop", async () => (await comments(pull.number, "mend:task:3")).some((c) => /stopped/i.test(c.body)));
  check(Date.now() - start < 20_000, "the stop took long");
  check((await branch()) === second, "a stopped task pushed");
  check((await ada("GET", "/pulls?state=all")).length === 1, "a second pull request");
  const all = [...(await comments(1, "<!-- mend:")), ...(await comments(pull.number, "<!-- mend:"))].map((c) => c.body.split("\n")[0]);
  check(new Set(all).size === all.length, `said twice: ${all}`);
  console.log("stop → stopped, nothing pushed");
}

const spare = await listen(async () => {});
mendUrl = url(spare);
await new Promise((done) => spare.close(done));
const config = join(place, "config.toml");
writeFileSync(config, `[server]
listen = "${new URL(mendUrl).host}"
state_dir = "${join(place, "state")}"
[github]
app_id = 12345
webhook_secret = "a secret of the test"
base_url = "${url(bridge)}"
web_url = "${url(bridge)}"
private_key = '''${privateKey}'''
[model]
wire = "chat"
model = "scripted"
base_url = "${url(model)}"
stream = false
`);
chmodSync(config, 0o600);
let server;
let failed = null;
try {
  const work = join(place, "work");
  for (const [path, text] of Object.entries(PROJECT)) {
    mkdirSync(join(work, path, ".."), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  const plain = { env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_NAME: "ada", GIT_AUTHOR_EMAIL: "ada@example.org", GIT_COMMITTER_NAME: "ada", GIT_COMMITTER_EMAIL: "ada@example.org", TZ: "UTC" } };
  execFileSync("git", ["init", "-q", "-b", "main", work], plain);
  execFileSync("git", ["-C", work, "add", "-A"], plain);
  execFileSync("git", ["-C", work, "commit", "-q", "-m", "Initial commit"], plain);
  execFileSync("git", ["clone", "-q", "--bare", work, bare], plain);
  await tell();
  server = spawn(mend, ["serve", "--config", config], { stdio: ["ignore", "ignore", openSync(join(place, "log"), "w")] });
  await until("mend listens", () => fetch(`${mendUrl}/webhook`).then(() => true, () => false));
  await flow();
  const known = [/reactions$/, /\/replies$/, /^GET \/app\/hook\/deliveries$/, /^DELETE \/installation\/token$/,
    /^GET \/installation\/repositories$/, /\/git\/ref\/heads\/mend\/issue-N$/, /^GET \/repos\/ada\/adder\/issues\/N$/];
  const other = [...missing.keys()].filter((what) => !known.some((k) => k.test(what)));
  check(other.length === 0, `asked in vain: ${other}`);
  console.log(`${hooks} webhooks; 404 by emulate: ${[...missing].map(([what, n]) => `${what} ×${n}`).join(", ")}`);
} catch (error) {
  failed = error;
  console.error(error);
  try { console.error(readFileSync(join(place, "log"), "utf8").slice(-6000)); } catch {}
}
server?.kill("SIGKILL");
await github.close();
rmSync(place, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
