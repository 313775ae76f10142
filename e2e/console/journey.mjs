// Walks through the web console in a real Chromium and tells, as JSON, what went wrong:
//
//   node journey.mjs CHROMIUM   with {"url", "email", "password", "search", "shots"} on standard input
//
// -> {"failures": ["..."], "steps": ["..."]}
//
// Over the whole way it watches: no error of a page, nothing that the policy of content forbids, no request to anybody else, no
// answer of 500 or more; and axe looks at each page that is named. shots is a directory for pictures, or empty.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [executablePath] = process.argv.slice(2);
const { url, email, password, search, shots } = JSON.parse(readFileSync(0, "utf8"));
const start = `${url}/people?q=${encodeURIComponent(search)}&status=active`;
const failures = [];
const steps = [];
const fail = (what) => failures.push(what);

const browser = await chromium.launch({
  executablePath,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
});

async function watched(options) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, reducedMotion: "reduce", ...options });
  await context.exposeFunction("violated", (what) => fail(`content policy: ${what}`));
  await context.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (e) => window.violated(`${e.violatedDirective} ${e.blockedURI}`)),
  );
  context.on("request", (r) => r.url().startsWith(`${url}/`) || r.url().startsWith("data:") || fail(`a request to ${r.url()}`));
  context.on("response", (r) => r.status() >= 500 && fail(`${r.url()} answered ${r.status()}`));
  context.on("weberror", (e) => fail(`an error of the page: ${e.error()}`));
  return context;
}

async function seen(page, name) {
  steps.push(name);
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }));
  for (const v of found.violations) fail(`${name}: ${v.id} (${v.nodes.length}): ${v.nodes[0]?.html?.slice(0, 160)}`);
  const text = await page.locator("body").innerText();
  for (const word of ["undefined", "NaN", "[object"]) if (text.includes(word)) fail(`${name} shows ${word}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wide > 0) fail(`${name} is ${wide} px wider than the window`);
  if (shots) await page.screenshot({ path: `${shots}/${name.replaceAll(/[^a-z0-9]+/gi, "-")}.png` });
}

async function enter(page, secret = password) {
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", secret);
  await page.keyboard.press("Enter");
}

async function journey(look, options) {
  const context = await watched(options);
  const page = await context.newPage();
  await page.goto(start);
  await page.waitForSelector("form");
  await seen(page, `${look} sign in`);
  await enter(page, "not the password");
  await page.waitForSelector("[role=alert]");
  await seen(page, `${look} wrong password`);
  await enter(page);
  await page.waitForSelector("tbody tr");
  if (!(page.url() === start)) fail(`after signing in the address is ${page.url()}`);
  await seen(page, `${look} people`);
  await page.reload();
  await page.waitForSelector("tbody tr"); // the session outlives a reload
  if (await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })).then((t) => /eyJ/.test(t)))
    fail("a token lies where scripts can read it");
  await page.locator("body").press("j");
  const first = await page.evaluate(() => document.activeElement?.textContent);
  await page.keyboard.press("Enter");
  await page.waitForSelector("dl");
  if ((await page.locator("h1").innerText()) !== first) fail(`j and Enter opened ${await page.locator("h1").innerText()}, not ${first}`);
  await page.waitForSelector("table, .empty");
  await seen(page, `${look} person`);
  await page.goBack();
  await page.waitForSelector("tbody tr");
  if (!(page.url() === start)) fail("going back forgets what was searched for");
  for (const path of ["", "accounts", "accounts?orphaned=true", "access", "connectors", "people/none", "no/such/page"]) {
    await page.goto(`${url}/${path}`);
    await page.waitForSelector("table, .figure, .empty, .failure");
    await page.waitForLoadState("networkidle");
    await seen(page, `${look} ${path || "dashboard"}`);
  }
  await context.close();
}

async function tabs() {
  steps.push("two tabs");
  const context = await watched({});
  const [a, b] = [await context.newPage(), await context.newPage()];
  await a.goto(`${url}/login?next=//elsewhere.example`);
  await enter(a);
  await a.waitForSelector(".figure");
  if (!a.url().startsWith(`${url}/`)) fail(`next led to ${a.url()}`);
  await b.goto(`${url}/accounts`);
  await Promise.all([a.reload(), b.reload(), a.waitForSelector(".figure"), b.waitForSelector("tbody tr")]); // both refresh at once
  await a.click("text=Sign out");
  await a.waitForSelector("form");
  await b.waitForSelector("form");
  await context.close();
}

try {
  await journey("light", { colorScheme: "light" });
  await journey("dark", { colorScheme: "dark" });
  await journey("narrow", { viewport: { width: 320, height: 700 } });
  await tabs();
} catch (e) {
  fail(`after ${steps.at(-1)}: ${e}`);
} finally {
  await browser.close();
}
console.log(JSON.stringify({ failures, steps }));
