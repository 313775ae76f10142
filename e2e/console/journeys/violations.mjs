// seed: own
// A violation is found, assigned, marked as a false positive, and reopened by another version; then one of the smallest ways out is taken, and the access is gone.
import { until } from "../lib/desk.mjs";
import { apart, duty, holder, named, violation } from "../lib/duties.mjs";
import { api, expect, go, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const { person, both } = await holder();
  const duties = [await duty(named("Pay salaries"), both[0]), await duty(named("Keep the keys"), both[1])];
  const policy = await apart(named("Salaries and keys"), duties);
  const found = await violation(policy, person);
  const line = (of, whose = person) => of.getByRole("row").filter({ hasText: whose.name }).getByRole("link", { name: policy.name });
  const one = () => api("admin", "GET", `/policies/violations/${found.id}`);

  step("the list, filtered by one click");
  const page = await open("admin", "/violations", { allow: [409, 422] });
  const dialog = page.locator(".dialog");
  await seen(page, "violations");
  await line(page).waitFor();
  await page.getByRole("link", { name: scene.names.separation }).waitFor();
  await page.getByRole("button", { name: /^Critical/ }).click();
  await page.getByRole("link", { name: scene.names.separation }).waitFor({ state: "detached" });
  expect(page.url().includes("severity=critical"), `the address is ${page.url()}`);
  await page.getByRole("button", { name: /^(More filters|Filters)/ }).click();
  await page.locator("label.filter", { hasText: "Policy" }).locator("select").selectOption({ label: scene.names.separation });
  await page.keyboard.press("Escape");
  await page.getByText("No results match these filters").waitFor();
  await button(page, "Clear filters").click();

  step("the violations of one person, who is looked for by name");
  const sheet = page.getByRole("button", { name: /^(More filters|Filters)/ });
  const who = page.getByRole("combobox", { name: "Person", exact: true });
  const only = async ({ id, name }) => {
    await sheet.click();
    await who.fill(name);
    await page.getByRole("option", { name }).first().click();
    await page.waitForURL((url) => url.searchParams.get("identity_id") === id);
  };
  await only({ id: scene.users.owner.identity_id, name: scene.users.owner.name });
  await page.keyboard.press("Escape");
  await page.getByText("No results match these filters").waitFor();
  await button(page, "Clear filters").click();
  await line(page).waitFor();
  await only(person);
  await seen(page, "a person is chosen among the filters");
  await page.keyboard.press("Escape");
  await line(page).waitFor();
  await page.reload();
  await line(page).waitFor();
  await sheet.click();
  await until(async () => (await who.inputValue()) === person.name, "the person of the address has no name");
  await page.getByRole("button", { name: "Clear Person" }).click();
  await page.waitForURL((url) => !url.searchParams.has("identity_id"));
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: scene.names.separation }).waitFor();

  step("opened by keyboard");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 2, name: "Conflict" }).waitFor();
  await go(page, `/violations/${found.id}`);
  await seen(page, "a violation");
  for (const words of ["Pay salaries", "Keep the keys", "Remove any one of these", "Ask the head of the department"])
    expect((await page.locator("main").innerText()).includes(words), `the page does not say ${words}`);

  step("assigned");
  await button(page, "Assign…").click();
  await seen(page, "an assignee is chosen");
  await page.getByLabel("Person", { exact: true }).fill(scene.users.owner.name);
  await page.getByRole("option", { name: scene.users.owner.name }).first().click();
  await button(dialog, "Assign").click();
  await dialog.waitFor({ state: "detached" });
  same((await one()).assignee.id, scene.users.owner.identity_id, "the assignee");
  await page.locator("dd", { hasText: scene.users.owner.name }).waitFor();

  step("marked as a false positive, with a reason");
  await button(page, "False positive…").click();
  await seen(page, "a reason is asked for");
  expect(await button(dialog, "Mark").isDisabled(), "it can be marked without a reason");
  await page.getByLabel("Reason", { exact: true }).fill("The vault is a box of pens.");
  await button(dialog, "Mark").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("The vault is a box of pens.").first().waitFor();
  same((await one()).state, "false_positive", "its state");
  await seen(page, "a false positive");

  step("another version of the policy reopens it");
  await api("admin", "PATCH", `/policies/separation-of-duties/${policy.id}`, { rationale: "The box has keys, too." }, { "Content-Type": "application/merge-patch+json" });
  await until(async () => (await one()).state === "open", "it is not open again");
  await page.getByText(/^Reopened$/).waitFor({ timeout: 30_000 });

  step("one of the smallest ways out, with its consequences in view");
  await button(page, `Revoke ${both[0].name}`).click();
  await dialog.getByText(`${both[0].name} ends.`).waitFor();
  await dialog.getByText("The violation ends.").waitFor();
  await seen(page, "before access is revoked");
  await page.getByRole("radio", { name: both[1].name }).check();
  await dialog.getByText(`${both[1].name} ends.`).waitFor();
  await page.getByLabel("Reason", { exact: true }).fill("Salaries are enough.");
  same((await one()).remediation, null, "what was ordered before it is confirmed");
  await button(dialog, "Revoke").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(/ordered the revocation of/).waitFor();
  await violation(policy, person, "remediated");
  await page.getByText(/The access is gone since/).waitFor({ timeout: 30_000 });
  await seen(page, "a remediated violation");
  const { items: held } = await api("admin", "GET", `/identities/${person.id}/grants?limit=200`);
  expect(!held.some((g) => g.entitlement_id === both[1].id && g.status === "active"), "the access is still there");

  step("a scan of all people");
  await go(page, "/violations?state=remediated");
  await button(page, "Scan now").click();
  await page.getByText(/^Last scan (now|\d+ sec)/).waitFor({ timeout: 60_000 });
  await line(page).waitFor();

  step("a manager sees the violations of reports, and can only read them");
  const theirs = await open("manager", "/violations");
  await theirs.getByRole("link", { name: scene.names.separation }).click();
  await settled(theirs);
  await theirs.getByRole("heading", { level: 2, name: "Conflict" }).waitFor();
  same(await theirs.getByRole("button", { name: /^(Revoke|Assign|False)/ }).count(), 0, "the buttons of a manager");
  await seen(theirs, "a violation, as its manager sees it");
});
