// seed: own
// People: what somebody holds and why, as a picture and as a table; two side by side; how it was; and what an administrator does about them.
import { api, expect, journey, path, same, scene, seen, settled, step, url } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const page = await open("admin", "/people", { allow: [404, 409, 422] });
  const holder = await whoHolds();
  await why(page, holder);
  await compared(page, holder);
  await asItWas(page);
  await leaving(page);
  await imported(page);

  step("who only reads changes nothing");
  const reader = await open("auditor", `/people/${holder.id}`);
  for (const name of ["Actions", "Sync"]) same(await button(reader, name).count(), 0, `buttons "${name}" for an auditor`);
  same(await reader.getByRole("link", { name: "Request access" }).count(), 0, "ways for an auditor to ask for access");
  await seen(reader, "somebody, read only");
});

/** Somebody who holds something. */
async function whoHolds() {
  const grants = (await api("admin", "GET", "/entitlements/grants?limit=50")).items;
  const grant = grants.find((g) => g.identity);
  return { id: grant.identity.id, name: grant.identity.display };
}

async function why(page, holder) {
  step("what somebody holds");
  await page.goto(`${url}/people/${holder.id}`);
  const held = await api("admin", "GET", `/identities/${holder.id}/grants?limit=500`);
  const rows = page.locator("section[aria-label='Access and its basis'] tbody tr");
  await rows.first().waitFor();
  await settled(page);
  same(await rows.count(), Math.min(50, held.total), "the rows of the table");
  const picture = page.locator("svg[role=img]");
  const marks = new Set(await picture.locator(".mark title").evaluateAll((all) => all.map((t) => t.textContent.split(/: | · /)[0])));
  for (const g of held.items.slice(0, 10)) expect(marks.has(g.entitlement.display.split(":")[0]), `the picture lacks ${g.entitlement.display}`);
  expect((await picture.getAttribute("aria-label")).startsWith(holder.name), "the picture does not say whose it is");
  await seen(page, "somebody and what they hold");

  step("why");
  const direct = held.items.find((g) => g.directness === "direct"); // what is inherited is revoked where it comes from
  const opener = page.getByRole("button", { name: `Why ${direct.entitlement.display}`, exact: true }).first();
  await opener.focus();
  await page.keyboard.press("Enter");
  const grant = await page.waitForURL(/why=/).then(() => new URL(page.url()).searchParams.get("why"));
  const told = await api("admin", "GET", `/entitlements/grants/${grant}/explain`);
  const drawer = page.locator(".dialog");
  await drawer.getByText(told.summary, { exact: true }).first().waitFor();
  for (const sentence of told.story) expect((await drawer.innerText()).includes(sentence), `the story lacks: ${sentence}`);
  await seen(page, "why they hold it");
  step("taking it away is looked at first");
  await button(drawer, "Revoke").click();
  const asked = page.locator(".dialog").last();
  await asked.locator(".tried li, .tried .problem-list").first().waitFor();
  expect(await button(asked, "Revoke").isDisabled(), "it can be taken away without a reason");
  await seen(page, "what taking it away would do");
  await button(asked, "Cancel").click();
  await page.keyboard.press("Escape");
  await page.waitForURL((u) => !u.search.includes("why="));
  same((await api("admin", "GET", `/identities/${holder.id}/grants?limit=1`)).total, held.total, "what they hold after a look");
}

async function compared(page, holder) {
  step("two side by side");
  await page.goto(`${url}/people/compare?a=${holder.id}&b=${scene.ids.person}`);
  const told = await api("admin", "GET", `/identities/${holder.id}/compare?with=${scene.ids.person}`);
  await page.getByText(told.summary).waitFor();
  await settled(page);
  const counts = await page.locator(".three h2 .count").allInnerTexts();
  const { first_only, both, second_only } = told.entitlements;
  same(counts.map(Number), [first_only.length, both.length, second_only.length], "how much is in each column");
  await seen(page, "two people");
}

async function asItWas(page) {
  const keeper = `Keeper of the seals ${Date.now()}`;
  const id = scene.ids.report;
  step("a field is changed, and pinned");
  const before = await api("admin", "GET", `/identities/${id}`);
  const then = new Date().toISOString();
  await new Promise((r) => setTimeout(r, 1100));
  await page.goto(`${url}/people/${id}`);
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: "Edit person" }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Title", { exact: true }).fill(keeper);
  await seen(page, "editing a record");
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  const now = await api("admin", "GET", `/identities/${id}`);
  same([now.title, now.attribute_sources.title.pinned], [keeper, true], "what the service keeps");
  step("how they were");
  await page.goto(`${url}/people/${id}?as_of=${encodeURIComponent(then)}`);
  await page.getByText(/^Access on /).waitFor();
  await settled(page);
  const lead = await page.locator("main .head").innerText();
  expect(lead.includes(before.title) && !lead.includes(keeper), `then they were: ${lead}`);
  same(await button(page, "Actions").count(), 0, "buttons to act on the past");
  await seen(page, "how somebody was");
  step("before they were known");
  await page.goto(`${url}/people/${id}?as_of=2001-01-01`);
  await page.getByText("Not recorded at that time").waitFor();
  await page.getByText("Earlier data is not known.").waitFor();
  await seen(page, "before they were known");

  step("what is pinned is given back to its source");
  await page.goto(`${url}/people/${id}?show=record`);
  await button(page, "Unpin Title").click();
  await button(page, "Unpin Title").waitFor({ state: "detached" });
  same((await api("admin", "GET", `/identities/${id}`)).title, before.title, "the title, as the source says it");
  await seen(page, "a record and its sources");
  step("what has happened");
  await page.goto(`${url}/people/${id}/history`);
  await page.locator(".timeline li").first().waitFor();
  await seen(page, "what has happened");
}

async function leaving(page) {
  step("somebody leaves");
  const made = await api("admin", "POST", "/identities", { external_id: `leaver-${Date.now()}`, display_name: "Leo Leaver", email: `leaver-${Date.now()}@example.test` });
  await page.goto(`${url}/people/${made.id}`);
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: "Offboard" }).click();
  const dialog = page.locator(".dialog");
  await dialog.locator(".diff .came").filter({ hasText: "has left" }).waitFor();
  expect(await button(dialog, "Offboard").isDisabled(), "somebody can be let go without a reason");
  same((await api("admin", "GET", `/identities/${made.id}`)).status, "active", "their state after a look");
  await dialog.getByLabel("Reason").fill("The contract has ended.");
  await seen(page, "what leaving would do");
  await button(dialog, "Offboard").click();
  await dialog.waitFor({ state: "detached" });
  same((await api("admin", "GET", `/identities/${made.id}`)).status, "deactivated", "their state");
  await page.locator(".person-left").waitFor();
  await seen(page, "somebody who has left");
}

async function imported(page) {
  step("an import is looked at first");
  await page.goto(`${url}/people/import`);
  await page.getByText("Paste lines instead").click();
  const id = `import-${Date.now()}`;
  await page.getByLabel("Lines", { exact: true }).fill(`external_id,display_name,email\n${id},Ida Import,${id}@example.test\n${id}-2,No Address,not an address\n`);
  await button(page, "Preview import").click();
  await page.getByText("2 rows: 1 new, 0 changed, 0 unchanged, 1 failed.").waitFor();
  const found = async () => (await api("admin", "GET", `/identities?external_id=${id}`)).total;
  same(await found(), 0, "who is there after a look");
  await seen(page, "what an import would do");
  await button(page, "Import 1 person").click();
  await page.getByRole("heading", { name: "Result of the import" }).waitFor();
  same(await found(), 1, "who is there after the import");
  await seen(page, "an import, done");
  expect(path(page) === "/people/import", "the import leads away");
}
