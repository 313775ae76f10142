// seed: own
// A policy says who can request something, on which terms and when; the catalog and the request follow it. A weekly window is added by key.
import { api, expect, journey, path, same, seen, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const { items } = await api("admin", "GET", "/entitlements?limit=500");
  const right = items.find((e) => e.requestable && e.grantable);
  step("a policy about requests");
  const page = await open("admin", "/policies/new", { allow: [409, 422] });
  await page.getByLabel("Name", { exact: true }).fill("Who can request the archive");
  await page.getByLabel("Effect", { exact: true }).selectOption("eligible");
  await page.getByLabel("Entitlements").first().fill(right.name);
  await page.getByRole("option", { name: right.name }).first().click();
  await page.getByLabel("Requires a justification").check();
  await page.getByLabel("Training", { exact: true }).fill("Archive 2026");
  step("a window by key");
  await button(page, "Add weekly window").focus();
  await page.keyboard.press("Enter");
  const first = page.getByRole("group", { name: "Window 1" });
  await first.getByLabel("Fri").focus();
  await page.keyboard.press("Space");
  expect(!(await first.getByLabel("Fri").isChecked()), "Friday is still chosen");
  await seen(page, "a policy about requests");

  step("before it is saved: who can request less");
  await button(page, "Preview").click();
  await page.getByText(/people can request more than now, \d+ can request less/).first().waitFor();
  await button(page, "Save").click();
  await page.waitForURL((at) => /\/policies\/[0-9a-f-]{36}/.test(at.pathname));
  const id = path(page).split("/")[2];
  const kept = await api("admin", "GET", `/policies/access-grant/${id}`);
  same(kept.effect, "eligible", "its effect");
  same(kept.constraints.needs_training, "Archive 2026", "the training");
  same(kept.schedule.weekly[0].days.join(" "), "mon tue wed thu", "the days");
  await page.getByText("Mon, Tue, Wed, Thu 08:00–18:00").first().waitFor();
  await page.getByText("Training: Archive 2026").first().waitFor();
  await seen(page, "a policy about requests, read");

  step("in force");
  await button(page, "Activate").click();
  const dialog = page.locator(".dialog");
  await dialog.getByText(/can request less/).first().waitFor();
  await button(dialog, "Activate").click();
  await dialog.waitFor({ state: "detached" });
  same((await api("admin", "GET", `/policies/access-grant/${id}`)).mode, "enforce", "its mode");

  step("who asks is told what is missing");
  const strict = {
    name: "Trained people",
    mode: "enforce",
    effect: "eligible",
    subject: { match: "all", rules: [] },
    resources: { entitlement_ids: [right.id] },
    constraints: { needs_training: "Archive 2026" },
  };
  const plan = await api("admin", "POST", "/policies/access-grant/simulate", strict);
  await api("admin", "POST", `/policies/access-grant?confirm=${plan.plan_hash}`, strict);
  const { items: people } = await api("admin", "GET", "/identities?status=active&kind=human&limit=1");
  const offered = await api("admin", "GET", `/access-requests/catalog?for_identity_id=${people[0].id}&limit=500`);
  const item = offered.items.find((i) => i.id === right.id);
  same(item?.requestable, false, "whether it can be requested");
  same(item?.why_not[0], "the training Archive 2026 is required", "what is missing");

  step("changed: without the training and the window");
  await button(page, "Edit").click();
  await page.getByLabel("Training", { exact: true }).fill("");
  await button(page, "Remove window 1").click();
  await button(page, "Save").click();
  const saved = page.getByText("at all times", { exact: true });
  await dialog.or(saved).first().waitFor();
  if (await dialog.count()) await dialog.getByRole("button", { name: /^Save/ }).click();
  await saved.first().waitFor();
  same((await api("admin", "GET", `/policies/access-grant/${id}`)).schedule, null, "its schedule");
});
