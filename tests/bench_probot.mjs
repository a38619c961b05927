// probot as a webhook server that keeps nothing: node bench_probot.mjs FOLDER PORT SECRET, FOLDER being where
// `npm install probot@14` was run. For benches/webhook.rs.
import { createServer } from "node:http";
import { generateKeyPairSync } from "node:crypto";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [folder, port, secret] = process.argv.slice(2);
const at = pathToFileURL(join(folder, "node_modules/probot/lib/index.js"));
const { createProbot, createNodeMiddleware } = await import(at.href);
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const probot = createProbot({ overrides: { appId: 1, privateKey, secret, logLevel: "error" } });
let seen = 0;
const app = (bot) => bot.on("issues", () => { seen += 1; });
const middleware = await createNodeMiddleware(app, { probot, webhooksPath: "/webhook" });
createServer((request, response) => {
  middleware(request, response, () => response.writeHead(404).end());
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
