// when: long
// seed: own
// Owners of several accounts at once: accepted without one, where one is refused and tried again; found by one field and by the rules.
import { connected, desk, until } from "../lib/desk.mjs";
import { api, expect, focused, journey, same, scene, seen, step, url } from "../lib/house.mjs";

const made = (id, login, mail) => ({ id, login, mail, name: login, enabled: true, locked: false });
const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const report = await api("admin", "GET", `/identities/${scene.ids.report}`);
  const owned = made("4", report.email, "elsewhere@made.test"); // only its login is theirs
  const system = await desk([made("1", "kiosk-north", "north@made.test"), made("2", "kiosk-south", "south@made.test"), made("3", "kiosk-west", "west@made.test"), owned]);
  const connector = await connected(system);
  const list = await api("admin", "GET", `/accounts?connector_id=${connector}&limit=50`);
  const of = (login) => list.items.find((a) => a.username === login);
  if (of(report.email).identity_id) await api("admin", "POST", `/accounts/${of(report.email).id}/unlink`, { reason: "for the journey" });
  const page = await open("admin", `/accounts?connector_id=${connector}`, { allow: [409, 412, 422] });
  const dialog = page.locator(".dialog");

  step("several are accepted, and one was changed in the meantime");
  for (const login of ["kiosk-north", "kiosk-south"]) await page.locator("tbody tr", { hasText: login }).locator("td.select input").check();
  await api("admin", "PATCH", `/accounts/${of("kiosk-south").id}`, { purpose: "for visitors" }, { "Content-Type": "application/merge-patch+json" });
  await button(page, "Accept as unowned").click();
  expect(await button(dialog, "Accept").isDisabled(), "they can be accepted without a reason");
  await dialog.getByLabel("Reason").fill("terminals for everybody");
  await button(dialog, "Accept").click();
  await dialog.getByText("1 accepted, 1 rejected.").waitFor();
  await dialog.getByRole("list", { name: "Not accepted" }).getByText("kiosk-south").waitFor();
  same(await dialog.getByRole("list", { name: "Not accepted" }).getByRole("listitem").count(), 1, "accounts that could not be");
  same(await dialog.getByLabel("Reason").inputValue(), "terminals for everybody", "the reason, after the refusal");
  await seen(page, "one of several refused");
  const state = async (login) => (await api("admin", "GET", `/accounts/${of(login).id}`)).correlation.state;
  same([await state("kiosk-north"), await state("kiosk-south")], ["ignored", "uncorrelated"], "what is accepted");
  await button(dialog, "Retry the rest").click();
  await dialog.waitFor({ state: "detached" });
  same(await state("kiosk-south"), "ignored", "what was refused, tried again");
  same(await page.getByRole("toolbar", { name: "Selection" }).count(), 0, "toolbars of what was selected");
  await seen(page, "several accepted");

  step("owners are named by one field, with a look first");
  await button(page, "Find owners").click();
  await page.getByRole("menuitem", { name: "Match by one field" }).click();
  await dialog.getByLabel("System").selectOption(connector);
  await dialog.getByLabel("Field").selectOption("email");
  await dialog.getByText(/0 will be assigned, 0 are unchanged, 2 cannot be assigned/).waitFor();
  await dialog.getByLabel("Field").selectOption("username");
  await dialog.getByText("kiosk-west").waitFor();
  await seen(page, "naming owners by one field");
  const would = await api("admin", "POST", "/accounts/bulk-link", { filter: { connector_id: connector }, identity_field: "username", dry_run: true, reason: "look" });
  await dialog.getByText(`${would.counts.linked} will be assigned`).waitFor();
  await dialog.getByLabel("Reason").fill("they are called so");
  await button(dialog, "Assign owners").click();
  await dialog.getByRole("heading", { name: "Result" }).waitFor();
  await dialog.getByText("kiosk-west").waitFor();
  await focused(page, ".dialog *, .dialog", "in what came of it");
  await seen(page, "owners were named");
  same((await api("admin", "GET", `/accounts/${of("kiosk-west").id}`)).identity_id ?? null, null, "who owns what nobody was found for");
  await button(dialog, "Close").last().click();
  await dialog.waitFor({ state: "detached" });

  step("owners of those that were selected are named by a field");
  await page.goto(`${url}/accounts?connector_id=${connector}`);
  await page.locator("tbody tr", { hasText: report.email }).locator("td.select input").check();
  await button(page, "Assign owners").click();
  await dialog.getByLabel("Match by").selectOption("username");
  await dialog.getByText(/1 will be assigned|1 are unchanged/).waitFor();
  await dialog.getByLabel("Reason").fill("their own address");
  await seen(page, "naming owners of several");
  await button(dialog, "Assign owners").click();
  await dialog.waitFor({ state: "detached" });
  same((await api("admin", "GET", `/accounts/${of(report.email).id}`)).identity_id, report.id, "whose it is");

  step("what the rules of the system would do is foreseen by these, not by others");
  await api("admin", "POST", `/accounts/${of(report.email).id}/reset-correlation`, {});
  await api("admin", "PUT", `/connectors/${connector}/correlation`, { rules: [], auto_link: 0.9, propose: 0.5 });
  const rules = await api("admin", "POST", "/accounts/correlation/preview", { connector_id: connector, rules: [] });
  await page.goto(`${url}/accounts`);
  await button(page, "Find owners").click();
  await page.getByRole("menuitem", { name: "Run correlation rules" }).click();
  const asked = page.waitForRequest((r) => r.url().endsWith("/accounts/correlation/preview"));
  await dialog.getByLabel("System").selectOption(connector);
  same((await asked).postDataJSON().rules, [], "the rules that are foreseen with");
  await dialog.getByText(`${rules.counts.unchanged} stay unchanged`).waitFor();
  await seen(page, "finding owners by the rules");
  await button(dialog, "Run in this system").click();
  await dialog.waitFor({ state: "detached" });
  await until(async () => (await state("kiosk-north")) === "ignored", "the rules touch what a person decided");
  system.close();
});
