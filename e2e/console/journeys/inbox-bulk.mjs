// seed: own
// Two hundred decisions at once: in one call, without being told to slow down, undone together, and each that is refused with its reason.
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";

const waiting = async () => (await api("second", "GET", "/decision-tasks?kind=request_approval&limit=1")).total;

/** Asks for access of many people, decided by whoever is an administrator and has not asked. */
async function asked() {
  const names = ["Editors", "Translators"];
  const { items } = await api("admin", "GET", "/entitlements?limit=500");
  const things = names.map((n) => items.find((e) => (e.display_name || e.name) === n));
  await api("admin", "POST", "/approval-rules", {
    name: "Translators",
    applies_to: { entitlement_ids: [things[1].id] },
    branches: [{ outcome: { kind: "chain", stages: [{ name: "The service", groups: [{ approvers: [{ kind: "app_role", app_role: "admin" }], mode: "any" }] }] } }],
  });
  const people = (await api("admin", "GET", "/identities?status=active&limit=500")).items;
  let created = 0;
  for (const thing of things) {
    const all = people.map((p) => ({
      requested_for_identity_id: p.id,
      requested_resources: [{ entitlement_id: thing.id }],
      justification: "For the new site",
    }));
    for (let i = 0; i < all.length; i += 100) created += (await api("admin", "POST", "/access-requests/bulk", { requests: all.slice(i, i + 100) })).created;
  }
  for (let tries = 0; tries < 200 && (await waiting()) < created; tries++) await new Promise((r) => setTimeout(r, 100));
  return created;
}

await journey(async ({ open }) => {
  const created = await asked();
  expect(created > 150, `only ${created} requests were made`);
  const before = await waiting();
  const page = await open("second", "/inbox?kind=request_approval", { allow: [409] });
  const calls = { decide: 0, undo: 0, slow: 0, rows: 0 };
  page.on("request", (r) => {
    if (/bulk-decide$/.test(r.url())) calls.decide++;
    if (/\/undo$/.test(r.url())) calls.undo++;
    if (/decision-tasks\/[0-9a-f-]{36}$/.test(r.url())) calls.rows++;
  });
  page.on("response", (r) => r.status() === 429 && calls.slow++);
  await page.locator(".inbox-row").first().waitFor();
  same(calls.rows, 0, "requests for single rows while the list is read");

  step("all of them are selected, those that were not read too");
  await page.locator(".inbox-row").first().focus().catch(() => {});
  await page.keyboard.press("Control+a");
  await page.getByRole("button", { name: /^Select all / }).click();
  await page.getByText(`${before} selected`).waitFor();
  await seen(page, "hundreds selected");

  step("they are approved at once");
  await page.keyboard.press("a");
  const dialog = page.locator(".dialog");
  await dialog.waitFor();
  await dialog.getByRole("button", { name: /^Approve \(/ }).click();
  await page.getByText(new RegExp(`^Approve: ${before} decisions`)).waitFor({ timeout: 30_000 });
  await page.getByText("No results match these filters").waitFor();
  same([calls.decide, calls.slow], [1, 0], "calls that decide, and answers that ask to wait");
  same(await waiting(), 0, "what still waits");

  step("and undone");
  await page.keyboard.press("z");
  await page.getByText(new RegExp(`^${before} decisions undone`)).waitFor({ timeout: 60_000 });
  same([calls.undo, calls.slow], [before, 0], "calls that undo, and answers that ask to wait");
  same(await waiting(), before, "what waits again");
  await page.locator(".inbox-row").first().waitFor();
  await settled(page);

  step("what is refused stays, with its reason");
  await page.locator(".inbox-row input").first().click();
  await page.locator(".inbox-row input").nth(1).click();
  await page.locator(".inbox-row input").nth(2).click();
  const taken = (await page.locator(".inbox-row").nth(1).getAttribute("id")).slice("task-".length);
  const { version } = await api("second", "GET", `/decision-tasks/${taken}`);
  await api("second", "POST", `/decision-tasks/${taken}/decide`, { action: "reject", comment: "Not this one", defer_seconds: 600 }, { "If-Match": `"${version}"` });
  await page.keyboard.press("a");
  await page.getByText("One decision failed").waitFor();
  await page.getByText(/has decided this already/).first().waitFor();
  await page.getByText(/^Approve: 2 decisions/).waitFor();
  await seen(page, "one of many was refused");
});
