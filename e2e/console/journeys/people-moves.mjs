// when: long
// seed: own
// People on their way: on leave and back, on notice and not after all, gone at once with what they answered for, back again, and archived.
import { api, expect, journey, same, seen, settled, step, url } from "../lib/house.mjs";

const stamp = Date.now();
const button = (at, name) => at.getByRole("button", { name, exact: true });
const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const person = (id) => api("admin", "GET", `/identities/${id}`);

await journey(async ({ open }) => {
  const page = await open("admin", "/people", { allow: [404, 409, 422] });
  await onLeave(page);
  await onNotice(page);
  const gone = await atOnce(page);
  await back(page, gone);
  await archived(page);
});

/** Somebody new, known by hand. */
function somebody(first, more = {}) {
  const id = `${first.toLowerCase()}-${stamp}`;
  return api("admin", "POST", "/identities", { external_id: id, first_name: first, last_name: "Mover", email: `${id}@example.test`, ...more });
}

/** Chooses something of the actions on a person's page, and gives the dialog that asks. */
async function choose(page, id, words) {
  if (!page.url().endsWith(`/people/${id}`)) await page.goto(`${url}/people/${id}`);
  await settled(page);
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: words, exact: true }).click();
  const dialog = page.locator(".dialog");
  await dialog.locator(".tried .diff, .tried .problem-list, .tried p").first().waitFor();
  return dialog;
}

/** Presses the verb of a dialog, and waits until it has been done. */
async function press(dialog, verb) {
  await button(dialog, verb).click();
  await dialog.waitFor({ state: "detached" });
}

async function onLeave(page) {
  step("a leave that ends before it begins is refused at its day");
  const lea = await somebody("Lea");
  const dialog = await choose(page, lea.id, "Start leave");
  await dialog.getByLabel("Reason").fill("A sabbatical.");
  await dialog.getByLabel("First day").fill(day(20));
  await dialog.getByLabel("Last day").fill(day(10));
  const last = dialog.locator(".field", { has: page.getByLabel("Last day") });
  await last.locator("[data-wrong]").waitFor();
  expect(await button(dialog, "Save").isDisabled(), "a leave that ends before it begins can be sent");
  await seen(page, "a leave that cannot be");

  step("a leave to come");
  await dialog.getByLabel("Last day").fill(day(40));
  await dialog.locator(".diff .came").filter({ hasText: day(40) }).waitFor();
  same(await dialog.getByLabel("Reason").inputValue(), "A sabbatical.", "the reason after a refusal");
  await seen(page, "what a leave would do");
  await press(dialog, "Save");
  const then = await person(lea.id);
  same([then.status, then.leave_from, then.leave_to], ["active", day(20), day(40)], "a leave to come");
  await page.getByText(`from ${day(20)} to ${day(40)}`).waitFor();

  step("it is taken back");
  await press(await choose(page, lea.id, "End leave"), "End leave");
  same([(await person(lea.id)).status, (await person(lea.id)).leave_from ?? null], ["active", null], "a leave taken back");

  step("a leave from today");
  const now = await choose(page, lea.id, "Start leave");
  await now.getByLabel("Reason").fill("Ill.");
  await press(now, "Save");
  same((await person(lea.id)).status, "on_leave", "their state on leave");
  await page.locator("main .head").getByText("on leave").waitFor();
  await seen(page, "somebody on leave");

  step("and back before its end");
  const ending = await choose(page, lea.id, "End leave");
  await seen(page, "what the end of a leave would do");
  await press(ending, "End leave");
  same((await person(lea.id)).status, "active", "their state after the leave");
}

async function onNotice(page) {
  step("a last day to come puts somebody on notice");
  const nora = await somebody("Nora");
  const dialog = await choose(page, nora.id, "Offboard");
  await dialog.getByLabel("Last day").fill(day(30));
  await dialog.getByLabel("Reason").fill("Another house.");
  await dialog.locator(".diff .came").filter({ hasText: "leaving" }).waitFor();
  await seen(page, "what a notice would do");
  await press(dialog, "Offboard");
  const then = await person(nora.id);
  same([then.status, then.last_working_at?.slice(0, 10)], ["notice", day(30)], "somebody on notice");
  await page.locator("main .head").getByText("leaving").waitFor();

  step("it is withdrawn");
  const back = await choose(page, nora.id, "Withdraw notice");
  await back.getByRole("heading", { name: "Withdraw notice" }).waitFor();
  await seen(page, "what the withdrawal of a notice would do");
  await press(back, "Withdraw notice");
  const now = await person(nora.id);
  same([now.status, now.last_working_at ?? null], ["active", null], "after the withdrawal");
}

async function atOnce(page) {
  const heir = await somebody("Hugo");
  const gone = await somebody("Uma", { backup_owner_id: heir.id });
  const machine = (name, more) =>
    api("admin", "POST", "/identities", { external_id: `${name}-${stamp}`, kind: "non_human", display_name: `${name} ${stamp}`, sponsor_id: gone.id, ...more });
  const kept = await machine("Printer", { backup_owner_id: heir.id });
  const retired = await somebody("Rolf");
  const left = await machine("Scanner", { backup_owner_id: retired.id });
  await api("admin", "POST", `/identities/${retired.id}/deactivate`, { reason: "Retired." });
  const report = await somebody("Rita", { manager_external_id: gone.external_id });
  const owned = (await api("admin", "GET", "/entitlements?q=Translators")).items[0];
  await api("admin", "POST", `/entitlements/${owned.id}/owners`, { owner_ids: [gone.id] });
  const role = await api("admin", "POST", "/entitlements/roles", { name: `Doormen ${stamp}`, owner_ids: [gone.id] });

  step("what somebody answers for");
  await page.goto(`${url}/people/${gone.id}`);
  await button(page, "Ownership").click();
  const drawer = page.locator(".dialog");
  for (const name of [kept.display_name, left.display_name, report.display_name, owned.display_name || owned.name, role.name])
    await drawer.getByRole("link", { name }).waitFor();
  await seen(page, "what somebody answers for");
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });

  step("somebody is let go at once");
  const dialog = await choose(page, gone.id, "Offboard");
  await dialog.getByLabel("Last day").fill(day(30));
  await dialog.getByRole("checkbox", { name: /Immediate termination/ }).check();
  await dialog.locator(".diff .came").filter({ hasText: "has left" }).waitFor();
  same(await dialog.getByLabel("Last day").count(), 0, "last days of somebody who goes at once");
  expect(await button(dialog, "End access now").isDisabled(), "somebody can be let go at once without a reason");
  await dialog.getByLabel("Reason").fill("Found at the safe.");
  await seen(page, "what letting go at once would do");
  await press(dialog, "End access now");
  const then = await person(gone.id);
  same([then.status, then.urgent], ["deactivated", true], "somebody who was let go at once");
  await page.locator("main .head").getByText("immediate termination").waitFor();
  await seen(page, "somebody who was let go at once");

  step("what they answered for has gone to who stands in, and the rest is told");
  same((await person(kept.id)).sponsor_id, heir.id, "who answers for the machine with a backup");
  same((await api("admin", "GET", `/entitlements/${owned.id}`)).owner_ids, [heir.id], "who owns what they owned");
  same((await api("admin", "GET", `/entitlements/roles/${role.id}`)).owner_ids, [heir.id], "who owns the role that they owned");
  await button(page, "Ownership").click();
  await drawer.getByRole("link", { name: left.display_name }).waitFor();
  await settled(page); // what was known before is shown until it has been read again
  same(await drawer.getByRole("link", { name: kept.display_name }).count(), 0, "the machine that went to its backup");
  const told = (await api("admin", "GET", `/identities/${gone.id}/handover`)).items;
  same(await drawer.getByRole("link").count(), told.length, "how much is left");
  await seen(page, "what is left of somebody who has gone");
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  return gone;
}

async function back(page, gone) {
  step("somebody comes back");
  const dialog = await choose(page, gone.id, "Activate");
  await dialog.getByLabel("Reason").fill("It was somebody else.");
  await seen(page, "what coming back would do");
  await press(dialog, "Activate");
  const now = await person(gone.id);
  same([now.status, now.urgent ?? false], ["active", false], "somebody who is back");
  await page.locator(".person-left").waitFor({ state: "detached" });
}

async function archived(page) {
  step("a record is archived");
  const made = await somebody("Axel");
  await page.goto(`${url}/people/${made.id}`);
  await settled(page);
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: "Archive", exact: true }).click();
  const dialog = page.locator(".dialog");
  await dialog.waitFor();
  await seen(page, "before a record is archived");
  await press(dialog, "Archive");
  same((await person(made.id)).status, "archived", "the state of the record");
  await page.locator("main .head").getByText("archived").waitFor();
  await seen(page, "an archived record");
  same(await page.getByRole("link", { name: "Request access" }).count(), 0, "access asked for an archived record");
}
