// The audit log: narrowed, one entry whole with what it changed, the chain checked, and what is filtered taken away as a file.
import { readFile } from "node:fs/promises";
import { api, expect, focused, journey, listsFit, path, same, scene, seen, settled, step } from "../lib/house.mjs";

const log = ".audit-log";

await journey(async ({ open }) => {
  step("something that changes a field");
  const person = (await api("admin", "GET", `/identities/${scene.ids.report}`)).id;
  await api("admin", "PATCH", `/identities/${person}`, { cost_center: `audit-${Date.now()}` }, { "Content-Type": "application/merge-patch+json" });

  const page = await open("auditor", "/audit");
  await page.waitForSelector(log);
  await seen(page, "the log");
  step("one row of filters, and the heads of the columns are seen");
  for (const width of [1280, 1920]) await listsFit(page, "the audit log", width);
  const head = page.locator(`${log} thead th`).first();
  expect((await head.boundingBox()).height > 10, "the heads of the columns are hidden");

  step("narrowed to a category");
  await page.getByLabel("Category").selectOption("identity");
  await page.waitForURL(/category=identity/);
  await settled(page);
  const shown = await page.locator(`${log} .audit-action`).allInnerTexts();
  const told = await api("auditor", "GET", "/audit-events?category=identity&limit=100");
  const rows = page.getByRole("table", { name: "Entries, newest first" });
  same(await rows.getAttribute("aria-rowcount"), String(told.total + 1), "how many entries there are");
  same(shown, told.items.slice(0, shown.length).map((e) => e.action), "which actions are shown");
  expect(shown.length >= Math.min(told.total, 40), `${shown.length} entries are drawn`);
  await page.reload();
  await page.waitForSelector(log);
  await settled(page);
  same(await page.locator(`${log} .audit-action`).allInnerTexts(), shown, "the entries after a reload");

  step("one entry");
  const changed = told.items.find((e) => e.changes?.some((c) => c.field === "cost_center"));
  expect(changed, "no entry tells of the changed field");
  await page.locator(log).getByRole("link", { name: changed.action, exact: true }).first().click();
  await page.waitForURL(/event=\d+/);
  const drawer = page.locator(".dialog");
  await drawer.getByText("Raw entry").waitFor();
  await page.goto(`${page.url().replace(/event=\d+/, `event=${changed.id}`)}`);
  await drawer.getByText("Raw entry").waitFor();
  const field = changed.changes.find((c) => c.field === "cost_center");
  await drawer.locator(".diff .came").filter({ hasText: field.after }).waitFor();
  expect(await drawer.locator("pre").innerText().then((t) => JSON.parse(t).hash === changed.hash), "the entry is not shown as it was written");
  await seen(page, "an entry, whole");

  step("the same request");
  await drawer.getByRole("button", { name: "Same request" }).click();
  await page.waitForURL(/request=/);
  await page.waitForSelector(log);
  await settled(page);
  const same_ = await api("auditor", "GET", `/audit-events?request_id=${changed.context.request_id}`);
  same(await page.locator(`${log} .audit-action`).count(), same_.total, "the entries of the request");
  await page.getByRole("button", { name: /^Remove filter: of the request/ }).click();
  await page.waitForURL((u) => !u.search.includes("request="));

  step("the chain");
  await page.getByRole("button", { name: "Verify integrity" }).click();
  await page.getByText("The log is intact.").waitFor();
  const verdict = await api("auditor", "GET", "/audit-events/verify");
  expect(verdict.ok, "the service says that the log is not whole");
  await seen(page, "the chain, checked");
  step("a break is said plainly");
  await page.route("**/audit-events/verify**", (r) =>
    r.fulfill({ json: { ...verdict, ok: false, first_break: { seq: 7, kind: "edited", detail: "entry 7 is not what was hashed" } } }),
  );
  await page.getByRole("button", { name: "Verify integrity" }).click();
  await page.getByText("The log was altered.").waitFor();
  await seen(page, "a chain that does not hold");
  await page.unroute("**/audit-events/verify**");

  step("keys and checkpoints");
  await page.getByRole("button", { name: "Checkpoints and keys" }).click();
  await page.getByRole("button", { name: "Download as PEM" }).first().waitFor();
  const [key] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download as PEM" }).first().click()]);
  expect((await readFile(await key.path(), "utf8")).startsWith("-----BEGIN PUBLIC KEY-----"), "the key is no PEM");
  await seen(page, "checkpoints");
  await page.keyboard.press("Escape");
  await focused(page, "button", "after the drawer");

  step("the export");
  await page.goto(new URL("/audit?category=identity", page.url()).href);
  await page.waitForSelector(log);
  await settled(page);
  const before = (await api("auditor", "GET", "/audit-events?category=identity&limit=1")).total;
  await page.getByRole("button", { name: "Export" }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Filtered entries as CSV" }).click()]);
  const lines = (await readFile(await file.path(), "utf8")).trim().split(/\r?\n/);
  expect(lines.length - 1 >= before && lines.slice(1).every((l) => l.includes("identity")), `the file has ${lines.length - 1} lines for ${before} entries`);
  expect(path(page).includes("category=identity"), "the export changes what is shown");
});
