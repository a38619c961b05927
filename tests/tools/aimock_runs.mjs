// Whole runs of `mend fix` against npm's @copilotkit/aimock, a model endpoint that somebody else wrote: the same
// scripted conversation in all three wire formats, streamed and plain. aimock serves a turn only to the request that
// holds exactly the turns before it, so a lost or repeated turn finds no answer.
// Usage: node aimock_runs.mjs MEND AIMOCK_FOLDER
import { execFile } from "node:child_process";
import { mkdtempSync, mkdirSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

process.env.AIMOCK_STRICT_TURN_INDEX = "1";
const [mend, folder] = process.argv.slice(2);
const { LLMock } = await import(pathToFileURL(join(folder, "node_modules/@copilotkit/aimock/dist/index.js")));

const PROJECT = {
  "adder/__init__.py": "from .sums import add\n",
  "adder/sums.py": "def add(a, b):\n    return a - b\n",
  "tests/__init__.py": "",
  "tests/test_sums.py":
    "import unittest\n\nfrom adder import add\n\n\nclass SumsTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
};
const call = (name, args) => ({ name, arguments: JSON.stringify(args) });
const TURNS = [
  // Two calls of one turn, the second of which fails: both must be answered.
  { content: "I look at the source.", toolCalls: [call("read_file", { path: "adder/sums.py" }), call("read_file", { path: "adder/none.py" })] },
  { toolCalls: [call("delete_everything", { sure: true })] },
  { toolCalls: [call("edit_file", { path: "adder/sums.py", edits: [{ old: "return a - b", new: "return a + b" }], summary: "`add` adds." })] },
];

// Where a turn stands in aimock's count: it sees each item of the Responses format as a message of its own.
function place_of(n, wire) {
  if (wire !== "responses") return n;
  return TURNS.slice(0, n).reduce((sum, t) => sum + (t.content ? 1 : 0) + t.toolCalls.length, 0);
}

function run(args, env) {
  return new Promise((done) => {
    execFile(mend, args, { env: { ...process.env, ...env }, timeout: 120_000 }, (error, stdout, stderr) =>
      done({ code: error ? error.code : 0, stdout, stderr }));
  });
}

async function one(wire, stream, trouble) {
  const mock = new LLMock({ port: 0, auth: { apiKeys: ["key-for-tests"] } });
  TURNS.forEach((turn, n) => mock.on({ turnIndex: place_of(n, wire) }, turn));
  if (trouble) mock.prependFixture({ match: { turnIndex: place_of(1, wire), sequenceIndex: 0 }, response: trouble });
  await mock.start();
  const place = mkdtempSync(join(tmpdir(), "mend-aimock-"));
  try {
    const project = join(place, "project");
    for (const [path, text] of Object.entries(PROJECT)) {
      mkdirSync(join(project, path, ".."), { recursive: true });
      writeFileSync(join(project, path), text);
    }
    writeFileSync(join(place, "report.md"), "add subtracts\n\n`add(2, 3)` gives -1.\n");
    const args = ["fix", project, "--report", join(place, "report.md"), "--json", "--wire", wire, "--model", "gpt-4o", "--model-url", mock.url];
    const ran = await run(stream ? args : [...args, "--no-stream"], { MEND_MODEL_API_KEY: "key-for-tests", MEND_CONFIG: "" });
    const problems = [];
    let result = {};
    try { result = JSON.parse(ran.stdout); } catch { problems.push(`no document: ${ran.stderr}`); }
    if (ran.code !== 0) problems.push(`exit ${ran.code}`);
    if (result.verdict !== "ready") problems.push(`verdict ${result.verdict}: ${result.error}`);
    if (result.turns !== TURNS.length) problems.push(`${result.turns} turns`);
    const asked = mock.getRequests().length;
    const expected = TURNS.length + (trouble ? 1 : 0);
    if (asked !== expected) problems.push(`${asked} requests instead of ${expected}`);
    const bad = mock.getRequests().filter((r) => ![200, trouble?.status ?? 200].includes(r.response.status));
    if (bad.length) problems.push(`refused: ${bad.map((r) => r.response.status)}`);
    return problems;
  } finally {
    await mock.stop();
    rmSync(place, { recursive: true, force: true });
  }
}

let failed = 0;
const limited = { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 1 };
const overloaded = { error: { message: "Overloaded", type: "overloaded_error" }, status: 529 };
for (const wire of ["anthropic", "chat", "responses"]) {
  for (const stream of [true, false]) {
    for (const [name, trouble] of [["three turns", null], ["a 429 between", limited], ["a 529 between", overloaded]]) {
      const problems = await one(wire, stream, trouble);
      failed += problems.length > 0;
      console.log(`${problems.length ? "FAIL" : "ok  "} ${wire} ${stream ? "streamed" : "plain"}: ${name} ${problems.join("; ")}`);
    }
  }
}
console.log(`${failed} failed`);
process.exit(failed ? 1 : 0);
