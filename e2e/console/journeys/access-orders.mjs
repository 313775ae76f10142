// when: long
// seed: own
// Access of a system of its own: several changed where one is refused, several taken away, one taken out of use, and groups in a circle.
import { connected, desk, until } from "../lib/desk.mjs";
import { api, expect, journey, same, scene, seen, step, url } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const users = ["1", "2", "3"].map((id) => ({ id, login: `guest-${id}`, mail: `guest-${id}@made.test`, name: `Guest ${id}`, enabled: true, locked: false }));
const groups = [
  { id: "g1", name: "Readers", description: "Reads the shelves", members: ["1", "2"], nested: ["g2"] },
  { id: "g2", name: "Stackers", members: ["3"], nested: ["g1"] },
];

await journey(async ({ open }) => {
  const system = await desk(users, groups);
  const connector = await connected(system);
  const list = (await api("admin", "GET", `/entitlements?connector_id=${connector}`)).items;
  const id = (name) => list.find((e) => e.name === name).id;
  const [guest] = (await api("admin", "GET", `/accounts?connector_id=${connector}&q=guest-1`)).items;
  await api("admin", "POST", `/accounts/${guest.id}/link`, { identity_id: scene.ids.report, reason: "theirs" });
  const page = await open("admin", `/access?connector_id=${connector}`, { allow: [409, 422] });
  const dialog = page.locator(".dialog");
  const row = (name) => page.locator("tbody tr", { hasText: name });

  step("two are to be offered, and one that nobody has described is refused");
  for (const name of ["Readers", "Stackers"]) await row(name).locator("td.select input").check();
  await button(page, "Edit").click();
  await dialog.getByLabel("Field", { exact: true }).selectOption("requestable");
  await dialog.getByLabel("New value").selectOption("true");
  await dialog.getByText("1 will change, 0 already have this value, 1 are rejected.").waitFor();
  await dialog.getByText(/has no business description/).waitFor();
  await seen(page, "a change of several, one refused");
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  const offered = async (name) => (await api("admin", "GET", `/entitlements/${id(name)}`)).requestable;
  same([await offered("Readers"), await offered("Stackers")], [true, false], "what can be asked for");

  step("groups in a circle are told as such");
  await page.goto(`${url}/access/${id("Readers")}/nesting`);
  await page.getByText(/Circular nesting/).waitFor();
  await seen(page, "groups in a circle");

  step("several are taken away, with a look first");
  await page.goto(`${url}/access/${id("Readers")}`);
  for (const name of ["guest-1", "guest-3"]) await row(name).first().locator("td.select input").check();
  await button(page, "Revoke").click();
  await dialog.getByText("1 will be revoked, 1 cannot be revoked.").waitFor();
  expect(await button(dialog, "Revoke").isDisabled(), "they can be taken away without a reason");
  same(groups[0].members, ["1", "2"], "who is in the group after a look");
  await seen(page, "taking several away");
  await dialog.getByLabel("Reason").fill("The season is over.");
  await button(dialog, "Revoke").click();
  await dialog.waitFor({ state: "detached" });
  await until(() => !groups[0].members.includes("1"), "the system goes on having the member");
  same([groups[0].members, groups[1].members], [["2"], ["3"]], "who is in the groups");

  step("one is taken out of use, and what to ask for instead is said");
  await page.goto(`${url}/access/${id("Readers")}`);
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: "Retire" }).click();
  await dialog.getByText(/accounts? holds? it/).waitFor();
  await dialog.getByLabel("Replacement").fill(scene.names.entitlement);
  const other = page.getByRole("option").first();
  await other.waitFor();
  const replacement = (await other.innerText()).split("\n")[0].trim();
  await other.click();
  await dialog.getByText(/accounts? holds? it/).waitFor();
  await seen(page, "out of use, and what to ask for instead");
  await button(dialog, "Retire").click();
  await dialog.waitFor({ state: "detached" });
  const retired = await api("admin", "GET", `/entitlements/${id("Readers")}`);
  same(retired.lifecycle, "retired", "its use");
  const instead = await api("admin", "GET", `/entitlements/${retired.replacement_id}`);
  expect(replacement.startsWith(`${instead.display_name || instead.name} · `), `what replaces it is shown as ${replacement}`);
  await page.getByText("retired", { exact: true }).waitFor();
  await page.getByText("Replacement:").waitFor();
  same(groups[0].members, ["2"], "who goes on holding it");

  step("the form names what replaces it");
  await button(page, "Edit").click();
  const field = dialog.getByRole("combobox", { name: "Replacement" });
  await field.waitFor();
  await until(async () => (await field.inputValue()) === replacement, "the form shows an id instead of a name");
  await seen(page, "editing what is out of use");
  await button(dialog, "Cancel").click();
  system.close();
});
