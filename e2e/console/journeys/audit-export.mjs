// when: long
// seed: own
// The audit log is taken away in each of its three forms, and is exactly what the API says under the same filter; how long it is kept and where it is sent is set.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";

const run = promisify(execFile);
const button = (page, name) => page.getByRole("button", { name, exact: true });
const watch = `Night watch ${Date.now()}`;

/** What a choice of the export's menu saves. */
async function exported(page, choice) {
  await page.getByRole("button", { name: /^Export/ }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: choice }).click()]);
  await page.getByText("Export completed. The export is recorded in the audit log.").first().waitFor();
  return { name: file.suggestedFilename(), at: await file.path(), lines: (await readFile(await file.path(), "utf8")).trim().split(/\r?\n/) };
}

await journey(async ({ open }) => {
  const page = await open("auditor", "/audit");
  step("narrowed to what was done to systems");
  await page.getByLabel("Category").selectOption("connector");
  await page.getByLabel("Outcome").selectOption("success");
  await page.waitForURL(/outcome=success/);
  await settled(page);
  const told = (await api("auditor", "GET", "/audit-events?category=connector&outcome=success&limit=500")).items.reverse();
  expect(told.length > 1 && told.length < 500, `${told.length} entries are no test`);

  const before = await api("auditor", "GET", "/audit-events?action=audit.exported&limit=1");
  step("as a table");
  const csv = await exported(page, "Filtered entries as CSV");
  same(csv.name, "audit.csv", "the file's name");
  const at = csv.lines[0].split(",");
  const rows = csv.lines.slice(1).map((l) => l.split(","));
  same(rows.map((r) => r[0]).join(), told.map((e) => e.seq).join(), "which entries the table has");
  same(rows.map((r) => r.at(-1)).join(), told.map((e) => e.hash).join(), "their hashes");
  same(rows.map((r) => r[at.indexOf("action")]).join(), told.map((e) => e.action).join(), "their actions");

  step("as OCSF");
  const ocsf = await exported(page, "Filtered entries as OCSF");
  same(ocsf.name, "audit-ocsf.ndjson", "the file's name");
  const events = ocsf.lines.map((l) => JSON.parse(l));
  same(events.map((e) => e.metadata.sequence).join(), told.map((e) => e.seq).join(), "which entries there are");
  same(events.map((e) => e.metadata.event_code).join(), told.map((e) => e.action).join(), "their actions");
  same(events.map((e) => e.unmapped.hash).join(), told.map((e) => e.hash).join(), "their hashes");

  step("the whole, which proves itself");
  const whole = await exported(page, /Whole period as verifiable JSON lines/);
  const parts = whole.lines.map((l) => JSON.parse(l));
  const entries = parts.filter((p) => p.seq && p.hash && p.action);
  same(entries.map((e) => e.seq).join(), entries.map((_, i) => i + 1).join(), "the numbers of the entries: none is left out");
  const program = join(dirname(process.env.GRANTWRIGHT_AGENT ?? ""), "grantwright");
  const verified = await run(program, ["audit", "verify", whole.at]);
  expect(verified.stdout.includes(String(entries.length)), `verified: ${verified.stdout} ${verified.stderr}`);
  const log = await api("auditor", "GET", "/audit-events?action=audit.exported&limit=100");
  same(log.total - before.total, 3, "how many exports the log tells of");
  await seen(page, "exported");

  await kept(await open("admin", "/settings/audit", { allow: [422] }));
});

/** How long the log is kept, and where it is sent. */
async function kept(page) {
  step("too short a time is refused at its field");
  const days = page.getByLabel("Retention in days");
  await days.fill("3");
  await button(page, "Save").click();
  await page.locator(".field").filter({ has: days }).locator("[data-wrong]").waitFor();
  same(await days.inputValue(), "3", "what was typed");
  await seen(page, "too short a time");
  const more = (await api("admin", "GET", "/settings/audit/retention")).days + 1;
  await days.fill(String(more));
  await button(page, "Save").click();
  await page.getByText("Saved").first().waitFor();
  same((await api("admin", "GET", "/settings/audit/retention")).days, more, "how many days it is kept");

  const got = [];
  const sink = createServer((q, a) => {
    let body = "";
    q.on("data", (b) => (body += b)).on("end", () => got.push({ key: q.headers["x-key"], body }) && a.writeHead(200).end());
  });
  await new Promise((on) => sink.listen(0, "127.0.0.1", on));
  try {
    await streamed(page, `http://127.0.0.1:${sink.address().port}/audit`, got);
  } finally {
    sink.close();
  }
}

async function streamed(page, address, got) {
  const one = async () => (await api("admin", "GET", "/settings/audit-streams")).items.find((s) => s.name === watch);
  step("an address that may not be called is refused at its field");
  await button(page, "Add a stream").click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Name").fill(watch);
  await dialog.getByLabel("Address").fill("http://192.0.2.1/audit");
  await dialog.getByLabel("Secret header").fill("X-Key");
  await dialog.getByLabel("Header value").fill("hush-4712");
  await button(dialog, "Add").click();
  await dialog.locator(".field").filter({ has: page.getByLabel("Address") }).locator("[data-wrong]").waitFor();
  same(await dialog.getByLabel("Header value").inputValue(), "hush-4712", "the secret that was typed");
  await seen(page, "an address that may not be called");

  step("it is sent from now on, with its secret");
  await dialog.getByLabel("Address").fill(address);
  await button(dialog, "Add").click();
  await dialog.waitFor({ state: "detached" });
  const card = page.getByRole("region", { name: watch });
  await button(card, "Test").click();
  await card.getByText(/Delivered in \d+ ms/).waitFor();
  same(got.at(-1)?.key, "hush-4712", "the header that arrived");
  expect(!(await page.content()).includes("hush-4712"), "the secret stands on the page");
  await seen(page, "a stream that was tried out");

  step("it is changed, disabled and enabled");
  await button(card, "Edit").click();
  await dialog.getByLabel("Format").selectOption("ocsf");
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  same((await one()).format, "ocsf", "the format");
  same((await one()).header_value_set, true, "whether the secret is still there");
  await button(card, "Disable").click();
  await button(card, "Enable").waitFor();
  same((await one()).enabled, false, "whether it is sent");
  await button(card, "Enable").click();
  await button(card, "Disable").waitFor();

  step("it ends");
  await button(card, "Delete").click();
  await seen(page, "before a stream ends");
  await button(dialog, "Delete").click();
  await dialog.waitFor({ state: "detached" });
  await card.waitFor({ state: "detached" });
  same(await one(), undefined, "what is left of it");
}
