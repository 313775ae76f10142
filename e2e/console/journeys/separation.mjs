// seed: own
// Duties and a matrix policy are written on the screen, simulated, and enforced with the impact in view; what is wrong stands at its field; a duty in use cannot be deleted.
import { holder, named } from "../lib/duties.mjs";
import { api, expect, focused, go, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const { person, both } = await holder();
  const page = await open("admin", "/separation-of-duties", { allow: [409, 422] });
  const dialog = page.locator(".dialog");
  const pick = async (label, words, within = page) => {
    await within.getByLabel(label, { exact: true }).fill(words);
    await page.getByRole("option", { name: new RegExp(`^${words}`) }).first().click();
  };

  step("the policies, and the duties beside them");
  await page.getByRole("link", { name: scene.names.separation }).waitFor();
  await seen(page, "policies that keep duties apart");
  await button(page, "Blind").click();
  await page.getByRole("link", { name: scene.names.separation }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: scene.names.separationBlind }).waitFor();
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Duties" }).click();
  await page.getByRole("link", { name: scene.names.duty }).waitFor();
  await seen(page, "duties");

  step("a duty: an entitlement, and one by its ID in a system");
  const names = ["Print cheques", "Keep the keys", "Close the books"].map(named);
  await page.getByRole("link", { name: "New duty" }).click();
  await page.getByLabel("Name", { exact: true }).fill(names[0]);
  await button(page, "Save").click();
  await page.getByText("The group has no members.").first().waitFor();
  await seen(page, "a duty without members is refused at its group");
  await pick("Entitlement", both[0].name);
  await page.getByRole("list", { name: "Members of group 1" }).getByText(both[0].name).waitFor();
  await page.getByLabel("Kind of member", { exact: true }).selectOption("external");
  await pick("System", "Staff directory");
  await page.getByLabel("External ID", { exact: true }).fill("cn=Cheques");
  await button(page, "Add").click();
  await button(page, "Save").click();
  await page.getByRole("heading", { level: 1, name: names[0] }).waitFor();
  await page.getByText("not read yet").waitFor();
  await seen(page, "a duty");
  const duties = [(await api("admin", "GET", `/policies/duties?q=${encodeURIComponent(names[0])}`)).items[0]];
  same(duties[0].member_count, 2, "the members");
  const member = (e) => [{ members: [{ kind: "entitlement", entitlement_id: e.id }] }];
  duties.push(await api("admin", "POST", "/policies/duties", { name: names[1], all_of: member(both[1]) }));
  const { items: all } = await api("admin", "GET", "/entitlements?limit=500");
  duties.push(await api("admin", "POST", "/policies/duties", { name: names[2], all_of: member(all.find((e) => e.name === "Archive")) }));

  step("a matrix policy, with a grid of boxes and a picture");
  const title = named("Cheques and keys");
  await go(page, "/separation-of-duties/new");
  await page.getByLabel("Name", { exact: true }).fill(title);
  await page.getByLabel("Severity", { exact: true }).selectOption("critical");
  await page.getByLabel("Conflict", { exact: true }).selectOption("matrix");
  await pick("Duties of side 1", names[0]);
  await pick("Duties of side 2", names[1]);
  await button(page, "Add side").click();
  await pick("Duties of side 3", names[2]);
  await button(page, "Save").click();
  await page.getByText("A policy of the kind matrix needs conflicts between its sides.").first().waitFor();
  await seen(page, "a matrix without conflicts is refused at its grid");
  await page.getByRole("checkbox", { name: `${names[0]} conflicts with ${names[1]}` }).check();
  await page.getByRole("img", { name: new RegExp(`${names[0]} and ${names[1]}`) }).waitFor();
  await page.getByRole("checkbox", { name: "Only in the same environment" }).uncheck();
  await button(page, "Preview").click();
  await page.getByRole("term").filter({ hasText: "New violations" }).waitFor();
  await page.getByRole("row").filter({ hasText: person.name }).first().waitFor();
  await seen(page, "a matrix policy, with its impact before it is saved");
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 1000 });
    await seen(page, `a matrix policy at ${width}`);
  }
  await page.setViewportSize({ width: 1360, height: 860 });
  await button(page, "Save").click();
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  const policy = (await api("admin", "GET", `/policies/separation-of-duties?q=${encodeURIComponent(title)}`)).items[0];
  same([policy.mode, policy.matrix], ["draft", { conflicts: [[0, 1]] }], "what was saved");
  await seen(page, "a policy that is a draft");

  step("simulated, and enforced with the impact in view");
  await button(page, "Simulate").click();
  await page.getByRole("row").filter({ hasText: person.name }).first().waitFor();
  await seen(page, "a simulation");
  const result = page.getByRole("region", { name: "Violations in the result" });
  const change = result.locator("label.filter", { hasText: "Change" }).locator("select");
  await change.selectOption({ label: "unchanged" });
  await result.getByText("No violation matches the filters.").waitFor();
  await change.selectOption({ label: "new" });
  await result.getByRole("row").filter({ hasText: person.name }).getByText("+ new").first().waitFor();
  const [lines] = await Promise.all([page.waitForEvent("download"), button(result, "Download as NDJSON").click()]);
  same(lines.suggestedFilename(), "simulation.ndjson", "the name of the file");
  const [simulation] = (await api("admin", "GET", `/policies/separation-of-duties/simulations?policy_id=${policy.id}`)).items;
  same([simulation.state, simulation.done], ["completed", simulation.total], "the stored simulation");
  await button(page, "Start shadow mode").click();
  await page.getByText("0 requests of the last 30 days would have been refused.").waitFor();
  await seen(page, "a policy in shadow mode");
  await button(page, "Enforce").click();
  await dialog.getByRole("term").filter({ hasText: "New violations" }).waitFor();
  await seen(page, "before a policy is enforced");
  same((await api("admin", "GET", `/policies/separation-of-duties/${policy.id}`)).mode, "shadow", "its mode before that is confirmed");
  await button(dialog, "Enforce").click();
  await dialog.waitFor({ state: "detached" });
  same((await api("admin", "GET", `/policies/separation-of-duties/${policy.id}`)).mode, "enforce", "its mode");
  await page.getByRole("link", { name: /^[1-9]\d* open violations?$/ }).click();
  await page.getByRole("link", { name: title }).first().waitFor();

  step("a contradiction stands at the duty");
  await go(page, "/separation-of-duties/new");
  await page.getByLabel("Name", { exact: true }).fill(named("Keys need cheques"));
  await page.getByLabel("Conflict", { exact: true }).selectOption("companion");
  await pick("Duties of side 1", names[1]);
  await pick("Duties of side 2", names[0]);
  await button(page, "Preview").click();
  await page.getByRole("group", { name: "Side 1" }).getByText(/contradicts this one: together they forbid everybody to perform/).waitFor();
  await seen(page, "a contradiction");

  step("a change of a duty tells its impact on all policies before it is saved");
  await go(page, `/separation-of-duties/duties/${duties[1].id}?show=edit`);
  await button(page, `Remove ${both[1].name} · Staff directory`).or(button(page, `Remove ${both[1].name}`)).click();
  await pick("Entitlement", "Archive");
  await button(page, "Preview").click();
  await page.getByRole("term").filter({ hasText: "Ended violations" }).waitFor();
  await page.getByText(/^− [1-9]/).first().waitFor();
  await seen(page, "the impact of a changed duty");
  await button(page, "Cancel").click();

  step("a duty that a policy names cannot be deleted");
  await settled(page);
  const discard = button(page, "Discard changes");
  if (await discard.isVisible().catch(() => false)) await discard.click();
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText(/1 policy names this duty/).waitFor();
  await seen(page, "a duty in use");
  await button(dialog, "Close").last().click();
  await dialog.waitFor({ state: "detached" });

  step("a blind policy says which side nobody can perform, and is edited like any other");
  await go(page, `/separation-of-duties/${scene.ids.separationBlind}`);
  await page.getByText(/The policy is blind: no one can perform Maintain vendors/).waitFor();
  await seen(page, "a blind policy");
  await button(page, "Edit").click();
  await page.getByLabel("Description", { exact: true }).fill("Waits for the vendors to be read.");
  await button(page, "Save").click();
  await page.getByText("Waits for the vendors to be read.").first().waitFor();
  await button(page, "Edit").waitFor();
  await focused(page, "body, main *, h1", "after saving");

  step("an auditor reads all of it");
  const reads = await open("auditor", `/separation-of-duties/${policy.id}`);
  await reads.getByText("Conflicts with").waitFor();
  same(await reads.getByRole("button", { name: /^(Edit|Enforce|More|Simulate)$/ }).count(), 0, "the buttons of an auditor");
  expect(await reads.getByRole("row").filter({ hasText: names[0] }).first().isVisible(), "the table does not say the picture");
});
