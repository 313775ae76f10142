// when: long
// seed: own
// An account that is other than its template: what the template makes is written, and what the system has may stay.
import { connected, desk, read, until } from "../lib/desk.mjs";
import { api, expect, journey, same, scene, seen, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const template = {
  account: {
    attributes: [
      { target: "email", expression: "identity.email" },
      { target: "display_name", expression: "identity.display_name" },
    ],
  },
  drift: { check: "on_sync", direction: "report" },
};

await journey(async ({ open }) => {
  const person = await api("admin", "GET", `/identities/${scene.ids.report}`);
  const system = await desk([{ id: "1", login: "visitor", mail: "old@made.test", name: "Some Body", enabled: true, locked: false }]);
  const connector = await connected(system, template);
  const account = (await api("admin", "GET", `/accounts?connector_id=${connector}`)).items[0].id;
  await api("admin", "POST", `/accounts/${account}/link`, { identity_id: person.id, reason: "theirs" });
  await api("admin", "PATCH", `/accounts/${account}`, { managed: "managed" }, { "Content-Type": "application/merge-patch+json" });
  await read(connector);

  step("a check for drift");
  const head = await open("admin", `/connectors/${connector}`);
  await head.getByRole("button", { name: "More actions" }).click();
  await head.getByRole("menuitem", { name: "Check for drift" }).click();
  await head.getByText("will be compared").waitFor();
  const drift = () => api("admin", "GET", `/accounts/${account}/drift`);
  await until(async () => (await drift()).attribute_drift?.length === 2, "no drift is found");

  step("the list of those that differ");
  const page = await open("admin", "/accounts?show=drifted", { allow: [409, 422] });
  await page.locator("tbody").getByRole("link", { name: "visitor" }).waitFor();
  await seen(page, "accounts other than their template");
  await page.locator("tbody").getByRole("link", { name: "visitor" }).click();
  await page.getByRole("checkbox", { name: "Select display_name" }).waitFor();
  await seen(page, "an account other than its template");

  step("what the template makes is written");
  await page.getByRole("checkbox", { name: "Select display_name" }).check();
  await seen(page, "one difference chosen");
  await button(page, "Write template values").click();
  await until(() => system.users[0].name === person.display_name, "the name is not written");
  same(system.users[0].mail, "old@made.test", "what was not chosen");
  await page.locator(".account-tasks li").filter({ hasText: "Update account" }).getByText("done", { exact: true }).waitFor();
  await seen(page, "a difference was written");

  step("what the system has may stay");
  await page.getByRole("checkbox", { name: "Select email" }).check();
  await button(page, "Accept").click();
  await page.getByText(/accepted by/).waitFor();
  expect("email" in ((await drift()).accepted ?? {}), "it is not accepted");
  same(system.users[0].mail, "old@made.test", "what may stay");
  await seen(page, "a difference was accepted");

  step("and is written after all");
  await page.getByRole("checkbox", { name: "Select email" }).check();
  expect(await button(page, "Accept").isDisabled(), "what may stay already can be let stay again");
  await button(page, "Write template values").click();
  await until(() => system.users[0].mail === person.email, "the address is not written");

  step("all that are selected at once");
  system.users[0].mail = "again@made.test";
  await read(connector);
  await api("admin", "POST", `/connectors/${connector}/drift/check`, {});
  await until(async () => (await drift()).attribute_drift?.length === 1, "no drift is found again");
  await page.goto(page.url().replace(/\/accounts.*/, "/provisioning"));
  await page.getByRole("link", { name: "Drift" }).click();
  await page.getByRole("row").filter({ hasText: "visitor" }).getByRole("checkbox").check();
  await button(page, "Write template values").click();
  await page.getByText("Template values of 1 account are being written.").waitFor();
  await until(() => system.users[0].mail === person.email, "the address is not written again");

  step("who only reads sees it, and chooses nothing");
  const reader = await open("auditor", `/accounts/${account}`);
  same(await reader.getByRole("checkbox").count(), 0, "boxes of an auditor");
  await seen(reader, "differences, read only");
  system.close();
});
