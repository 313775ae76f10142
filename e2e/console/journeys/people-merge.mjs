// when: long
// seed: own
// Two records of one person become one: what cannot be is refused before, what would move is told first, and then it has moved.
import { api, expect, journey, same, scene, seen, settled, step, url } from "../lib/house.mjs";

const stamp = Date.now();
const button = (at, name) => at.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const page = await open("admin", "/people", { allow: [404, 409, 422] });
  const kept = await somebody("Klara");
  const gone = await somebody("Clara");
  const report = await somebody("Rosa", { manager_external_id: gone.external_id });
  const { role, owned } = await hangs(kept, gone);

  step("a record is not merged with itself");
  await page.goto(`${url}/people/${kept.id}`);
  await settled(page);
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: "Merge another record into this one" }).click();
  const dialog = page.locator(".dialog");
  const pick = async (name) => {
    await dialog.getByRole("combobox", { name: "Record to archive" }).fill(name);
    await page.getByRole("option", { name: new RegExp(name) }).first().click();
  };
  await pick(kept.display_name);
  const field = dialog.locator(".field", { has: page.getByRole("combobox") });
  await field.locator("[data-wrong]").waitFor();
  await dialog.getByLabel("Reason").fill("The same birthday and number.");
  expect(await button(dialog, "Merge").isDisabled(), "a record can be merged with itself");
  await seen(page, "a merge that cannot be");

  step("what would move is told first");
  await pick(gone.display_name);
  await dialog.getByText("1 report", { exact: false }).waitFor();
  await field.locator("[data-wrong]").waitFor({ state: "detached" });
  same(await dialog.getByLabel("Reason").inputValue(), "The same birthday and number.", "the reason after a refusal");
  await seen(page, "what a merge would do");
  same((await api("admin", "GET", `/identities/${gone.id}`)).status, "active", "the other record after a look");

  step("they are merged");
  await button(dialog, "Merge").click();
  await dialog.waitFor({ state: "detached" });
  const then = await api("admin", "GET", `/identities/${gone.id}`);
  same([then.status, then.merged_into_id], ["archived", kept.id], "the record that went");
  same((await api("admin", "GET", `/identities/${report.id}`)).manager_id, kept.id, "whom the report reports to");
  same((await api("admin", "GET", `/entitlements/${owned}`)).owner_ids, [kept.id], "who owns what they owned");
  const roles = (await api("admin", "GET", `/identities/${kept.id}/roles`)).items;
  same(roles.map((r) => r.role_id), [role], "the roles of the record that stays");
  await page.getByRole("region", { name: "Roles" }).getByRole("link").first().waitFor();
  await seen(page, "the record that stays");

  step("the other one leads here");
  await page.goto(`${url}/people/${gone.id}`);
  await page.getByText("This record was merged into").waitFor();
  await seen(page, "the record that went");
  await page.locator(".note").getByRole("link", { name: kept.display_name }).click();
  await page.getByRole("heading", { level: 1, name: kept.display_name }).waitFor();
  await page.getByRole("link", { name: "History" }).click();
  await page.locator(".timeline li").filter({ hasText: /merged/i }).first().waitFor();
  await seen(page, "the history of the record that stays");
});

/** Somebody new, known by hand. */
function somebody(first, more = {}) {
  const id = `${first.toLowerCase()}-${stamp}`;
  return api("admin", "POST", "/identities", { external_id: id, display_name: `${first} ${stamp}`, email: `${id}@example.test`, ...more });
}

/** Both have one role by hand, and the one that goes owns something. */
async function hangs(kept, gone) {
  const role = scene.ids.role;
  for (const who of [kept, gone]) await api("admin", "POST", `/entitlements/roles/${role}/members`, { identity_id: who.id, reason: "Writes." });
  const owned = scene.ids.entitlementFree;
  await api("admin", "POST", `/entitlements/${owned}/owners`, { owner_ids: [gone.id] });
  return { role, owned };
}
