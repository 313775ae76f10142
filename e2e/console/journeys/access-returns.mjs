// when: long
// seed: own
// Several are taken away where a policy gives it to one and a role's rule to another: both stay unless it is said until when they are kept away, and the page says so before and after.
import { connected, desk, until } from "../lib/desk.mjs";
import { api, expect, journey, same, scene, seen, settled, step, url } from "../lib/house.mjs";

const users = ["1", "2", "3"].map((id) => ({ id, login: `guest-${id}`, mail: `guest-${id}@made.test`, name: `Guest ${id}`, enabled: true, locked: false }));
const groups = [{ id: "g1", name: "Readers", description: "Reads the shelves", members: ["1", "2", "3"] }];
const only = (id) => ({ match: "all", rules: [{ field: "id", op: "eq", value: id }] });
const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

await journey(async ({ open }) => {
  const system = await desk(users, groups);
  const connector = await connected(system);
  const [readers] = (await api("admin", "GET", `/entitlements?connector_id=${connector}`)).items;
  const { items: people } = await api("admin", "GET", "/identities?status=active&limit=3&sort=display_name");
  const accounts = (await api("admin", "GET", `/accounts?connector_id=${connector}&sort=username`)).items;
  for (const [i, a] of accounts.entries()) await api("admin", "POST", `/accounts/${a.id}/link`, { identity_id: people[i].id, reason: "theirs" });
  const [byPolicy, byRole, byNobody] = people;
  const grants = async (who) => (await api("admin", "GET", `/entitlements/${readers.id}/grants?limit=100`)).items.find((g) => g.identity?.id === who.id);

  step("a policy and a role's rule give it, each to one");
  await api("admin", "POST", "/policies/access-grant", {
    name: "Readers of the house", mode: "enforce", birthright: true, subject: only(byPolicy.id), resources: { entitlement_ids: [readers.id] },
  });
  await api("admin", "POST", "/entitlements/roles", { name: "Reading room", description: "Reads.", lifecycle: "active", entitlement_ids: [readers.id], membership_rule: only(byRole.id) });
  for (const who of [byPolicy, byRole]) await until(async () => (await grants(who))?.reasons?.length > 0, `${who.display_name} holds it without a reason`);

  const page = await open("admin", `/access/${readers.id}`, { allow: [409, 422] });
  const dialog = page.locator(".dialog");
  const button = (words) => dialog.getByRole("button", { name: words, exact: true });
  const choose = async () => {
    await page.goto(`${url}/access/${readers.id}`);
    await settled(page);
    for (const who of people) {
      const box = page.locator("tbody tr", { hasText: who.display_name }).first().locator("td.select input");
      if (await box.count()) await box.check();
    }
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await settled(page);
  };

  step("before: what rules would give again is told by the rule's name, in plain words");
  await choose();
  await dialog.getByText("1 will be revoked, 2 cannot be revoked.").waitFor();
  const told = await dialog.locator(".tried").innerText();
  expect(told.includes("Policies would grant 2 grants again at the next evaluation."), `it says ${told}`);
  expect(told.includes(`${byPolicy.display_name}: Policy: Readers of the house`), `it does not name the policy: ${told}`);
  expect(told.includes(`${byRole.display_name}: Role: Reading room`), `it does not name the role: ${told}`);
  expect(!/exclude_until|scope all/.test(told), `it speaks of the service's own members: ${told}`);
  await seen(page, "several of which rules give two again");

  step("after: one goes, two stay, and the page says so");
  await dialog.getByLabel("Reason").fill("The season is over.");
  await button("Revoke").click();
  await page.getByText("1 grant is being revoked. 2 grants remain: a policy would grant the access again.").waitFor();
  await until(() => !groups[0].members.includes("3"), "the system goes on having the member");
  same(groups[0].members, ["1", "2"], "who is in the group");
  await settled(page);
  same([(await grants(byPolicy)).status, (await grants(byRole)).status], ["active", "active"], "what rules give");

  step("a day that has passed is refused at its field");
  await choose();
  await dialog.getByText("0 will be revoked, 2 cannot be revoked.").waitFor();
  await dialog.getByLabel("Reason").fill("The season is over.");
  expect(await button("Revoke").isDisabled(), "nothing can be taken away, and the button can be pressed");
  await dialog.getByLabel("Block until").fill(day(-2));
  await dialog.locator(".field", { has: page.getByLabel("Block until") }).getByText("Choose a future date.").waitFor();
  expect(await button("Revoke").isDisabled(), "they can be kept away until a day that has passed");
  await seen(page, "kept away until a day that has passed");

  step("with a day, both go, and what the day means is said");
  await dialog.getByLabel("Block until").fill(day(30));
  await dialog.getByText("2 will be revoked, 0 cannot be revoked.").waitFor();
  await dialog.getByText(`Until ${day(30)} no person and no policy can grant the access again. Afterwards policies apply as usual.`).waitFor();
  await seen(page, "several kept away until a day");
  await button("Revoke").click();
  await page.getByText(`2 grants are being revoked and blocked until ${day(30)}.`).waitFor();
  await until(() => groups[0].members.length === 0, "the system goes on having the members");

  step("and no rule gives it again at its next look");
  for (const who of [byPolicy, byRole]) await api("admin", "POST", `/identities/${who.id}/birthrights/evaluate`, { dry_run: false });
  await page.goto(`${url}/access/${readers.id}`);
  await settled(page);
  same(groups[0].members, [], "who is in the group after the rules were looked at");
  for (const who of [byPolicy, byRole]) {
    const now = await grants(who);
    expect(!now || !["active", "pending"].includes(now.status), `${who.display_name} has it again: ${now?.status}`);
  }
  await seen(page, "after several were kept away");
  system.close();
});
