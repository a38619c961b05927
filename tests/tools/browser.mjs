// Drives Debian's Chromium over a pipe (no library): takes pictures of the pages, asks axe-core about them, walks them by
// keyboard, sees a run go on without reloading. Usage: browser.mjs JSON AXE FOLDER
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [told, axeFile, shots] = process.argv.slice(2);
const { link, runs, repo } = JSON.parse(told);
const base = new URL(link).origin;
const axe = readFileSync(axeFile, "utf8");
mkdirSync(shots, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), "mend-browser-"));
const chromium = spawn("chromium", [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
  "--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

let last = 0;
const open = new Map();
const heard = [];
let rest = "";
chromium.stdio[4].on("data", (bytes) => {
  rest += bytes;
  for (let at; (at = rest.indexOf("\0")) >= 0; rest = rest.slice(at + 1)) {
    const message = JSON.parse(rest.slice(0, at));
    if (message.id) {
      const { resolve, reject } = open.get(message.id);
      open.delete(message.id);
      message.error ? reject(new Error(JSON.stringify(message.error))) : resolve(message.result);
    } else {
      heard.push(message);
    }
  }
});
const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
  const id = ++last;
  open.set(id, { resolve, reject });
  chromium.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
});
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const problems = [];
const fail = (what) => { problems.push(what); console.error(`FAILED: ${what}`); };

const { targetId } = await send("Target.createTarget", { url: "about:blank" });
const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
const page = (method, params) => send(method, params, sessionId);
await page("Page.enable");
await page("Runtime.enable");
await page("Log.enable");
await page("Network.enable");
const evaluate = async (expression) => {
  const { result, exceptionDetails } = await page("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
};
const loaded = async () => {
  const start = Date.now();
  while (await evaluate("document.readyState").catch(() => "") !== "complete") {
    if (Date.now() - start > 20000) throw new Error("the page does not load");
    await pause(30);
  }
};
const go = async (address) => {
  await page("Page.navigate", { url: address.startsWith("/") ? base + address : address });
  await pause(60);
  await loaded();
};
const look = async ({ phone = false, dark = false } = {}) => {
  await page("Emulation.setDeviceMetricsOverride", { width: phone ? 390 : 1280, height: phone ? 844 : 900, deviceScaleFactor: 1, mobile: phone });
  await page("Emulation.setEmulatedMedia", { features: [
    { name: "prefers-color-scheme", value: dark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: "reduce" }] });
};
const shot = async (name) => {
  const { data } = await page("Page.captureScreenshot", { format: "png", captureBeyondViewport: true,
    clip: await evaluate("({ x: 0, y: 0, width: document.documentElement.clientWidth, height: Math.min(document.documentElement.scrollHeight, 3000), scale: 1 })") });
  writeFileSync(join(shots, `${name}.png`), Buffer.from(data, "base64"));
};
// axe runs in a world of its own, as an extension does: the page's policy lets no script in.
const accessible = async (name) => {
  const { frameTree } = await page("Page.getFrameTree");
  const { executionContextId } = await page("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "axe" });
  const inside = async (expression) => (await page("Runtime.evaluate", { expression, contextId: executionContextId, awaitPromise: true, returnByValue: true })).result.value;
  await inside(`${axe}; 0`);
  const found = JSON.parse(await inside(`axe.run(document, { resultTypes: ["violations"] }).then((r) => JSON.stringify(r.violations.map((v) => ({ id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 4).map((n) => n.target.join(" ") + ": " + n.failureSummary) }))))`));
  const grave = found.filter((v) => ["serious", "critical"].includes(v.impact));
  console.log(`axe: ${name}: ${found.length} findings, ${grave.length} of them serious or critical`);
  for (const one of grave) fail(`axe: ${name}: ${one.id} (${one.impact}): ${one.nodes.join(" | ")}`);
  for (const one of found.filter((v) => !grave.includes(v))) console.log(`  ${one.impact}: ${one.id}: ${one.nodes[0]}`);
};
const narrow = async (name) => {
  const wide = await evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  if (wide > 0) fail(`${name}: ${wide} pixels wider than the window`);
};

try {
  await look();
  await go(link);
  if (await evaluate("location.pathname") !== "/") fail(`the link leads to ${await evaluate("location.href")}`);
  const pages = { overview: "/", repository: `/repos/${repo}`, search: "/search?q=totals", "no-such-run": "/runs/9999" };
  for (const [name, id] of Object.entries(runs)) pages[`run-${name}`] = `/runs/${id}`;
  pages.span = `/runs/${runs.finished}/spans/4`;
  for (const [name, path] of Object.entries(pages)) {
    for (const [kind, how] of Object.entries({ "": {}, "-dark": { dark: true }, "-phone": { phone: true } })) {
      await look(how);
      await go(path);
      await shot(name + kind);
      await narrow(name + kind);
      await accessible(name + kind);
    }
  }

  // A run goes on: turns appear without loading the page anew, and what was opened stays open.
  await look();
  await go(`/runs/${runs.running}`);
  await evaluate("document.body.dataset.same = 'yes'; document.querySelector('#way details').open = true");
  const before = await evaluate("document.querySelectorAll('#way > li').length");
  const start = Date.now();
  let now = before;
  while (now < before + 2 && Date.now() - start < 15000) {
    await pause(50);
    now = await evaluate("document.querySelectorAll('#way > li').length");
  }
  if (now < before + 2) fail(`the run went on, and its page stood still at ${now} items`);
  if (await evaluate("document.body.dataset.same") !== "yes") fail("the page was loaded anew");
  if (!await evaluate("document.querySelector('#way details').open")) fail("what was opened closed by itself");
  await shot("run-running-later");

  // A long text is fetched when it is opened.
  await go(`/runs/${runs.finished}`);
  await evaluate("document.querySelector('#checks details').open = true");
  await pause(500);
  if (!await evaluate("document.querySelector('#checks details pre').textContent.includes('test session starts')")) fail("the output was not fetched");
  if (await evaluate("getComputedStyle(document.querySelector('#checks .f1')).color === getComputedStyle(document.body).color")) fail("the output has no colours");
  await shot("run-finished-output");

  // By keyboard alone: the skip link first, everything reachable with a visible focus, search by Enter.
  await go("/");
  const key = async (name, code) => {
    const text = name === "Enter" ? "\r" : undefined;
    await page("Input.dispatchKeyEvent", { type: "keyDown", key: name, code: name, windowsVirtualKeyCode: code, text });
    await page("Input.dispatchKeyEvent", { type: "keyUp", key: name, code: name, windowsVirtualKeyCode: code });
  };
  await key("Tab", 9);
  if (await evaluate("document.activeElement.className") !== "skip") fail("the first stop is not the skip link");
  await key("Enter", 13);
  await pause(100);
  if (await evaluate("document.activeElement.id") !== "main") fail("the skip link does not lead to the content");
  const seen = new Set();
  await go(`/runs/${runs.contradiction}`);
  for (let n = 0; n < 60; n++) {
    await key("Tab", 9);
    const at = JSON.parse(await evaluate(`(() => { const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
      return JSON.stringify({ what: e.localName + (e.id ? "#" + e.id : "") + " " + e.textContent.trim().slice(0, 30), outline: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2, seen: r.width > 0 && r.height > 0 }); })()`));
    seen.add(at.what);
    if (!at.what.startsWith("body") && (!at.outline || !at.seen)) fail(`no visible focus on ${at.what}`);
  }
  for (const wanted of ["input#q", "summary"]) {
    if (![...seen].some((s) => s.startsWith(wanted))) fail(`${wanted} cannot be reached by keyboard: ${[...seen].join(", ")}`);
  }
  await evaluate("document.getElementById('q').focus()");
  await page("Input.insertText", { text: "#52" });
  await key("Enter", 13);
  await pause(300);
  await loaded();
  if (await evaluate("location.pathname + location.search") !== "/search?q=%2352") fail("Enter does not search");

  // A stop by hand, through the form.
  await go(`/runs/${runs.running}`);
  await evaluate("document.querySelector('form.act button').focus()");
  await key("Enter", 13);
  await pause(400);
  await loaded();
  if (!(await evaluate("document.querySelector('#now .badge').textContent")).includes("stopping")) fail("the stop is not shown");
  await shot("run-stopping");

  const requests = heard.filter((m) => m.method === "Network.requestWillBeSent").map((m) => m.params.request.url);
  const foreign = requests.filter((u) => !u.startsWith(base + "/") && !u.startsWith("data:") && u !== "about:blank");
  if (foreign.length) fail(`requests to elsewhere: ${foreign.join(", ")}`);
  const logged = heard.filter((m) => m.method === "Log.entryAdded" && m.params.entry.level === "error").map((m) => `${m.params.entry.text} ${m.params.entry.url ?? ""}`)
    .filter((t) => !t.includes("404"));
  const thrown = heard.filter((m) => m.method === "Runtime.exceptionThrown").map((m) => m.params.exceptionDetails.exception?.description ?? m.params.exceptionDetails.text);
  for (const line of [...logged, ...thrown]) fail(`the browser says: ${line}`);
} catch (error) {
  fail(error.stack);
}
chromium.kill();
await pause(300);
rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
console.log(problems.length ? `${problems.length} problems` : "the pages hold in a real browser");
process.exit(problems.length ? 1 : 0);
