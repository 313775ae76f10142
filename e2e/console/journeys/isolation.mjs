// What belongs to one tenant is nowhere to be seen in another, by whatever address.
import { api, expect, go, journey, scene, seen, step } from "../lib/house.mjs";

const mine = ["person", "account", "entitlement", "connector", "role", "policy", "rule", "webhook", "agent", "request", "user"];
const at = {
  person: "/people/", account: "/accounts/", entitlement: "/access/", connector: "/connectors/", role: "/roles/", policy: "/policies/",
  rule: "/settings/approval-rules/", webhook: "/settings/webhooks/", agent: "/settings/agents/", request: "/requests/", user: "/settings/users/",
};

await journey(async ({ open }) => {
  const theirs = await open("stranger", "/people", { allow: [404] });
  for (const kind of mine) {
    step(`${kind} of another tenant`);
    await go(theirs, at[kind] + scene.ids[kind]);
    expect((await theirs.locator("main h1", { hasText: "Not found, or not visible to you" }).count()) === 1, `it shows ${await theirs.locator("main h1").innerText()}`);
    const text = await theirs.locator("main").innerText();
    const name = scene.names[kind];
    if (name) expect(!text.includes(name), `it names ${name}`);
  }
  await go(theirs, `/connectors/${scene.ids.connector}/runs/${scene.ids.heldRun}`);
  expect((await theirs.locator("main h1", { hasText: "Not found" }).count()) === 1, "the run of another tenant is shown");
  await go(theirs, `/connectors/new/${scene.ids.draft}/connection`);
  expect(!(await theirs.locator("main").innerText()).includes("Warehouse"), "the draft of another tenant is shown");
  step("lists and search show their own");
  await go(theirs, "/people");
  expect((await theirs.locator("tbody tr").count()) === 1, "the list of people is not that of one person");

  const ours = await open("admin", "/", { allow: [404] });
  for (const [kind, path] of [["strangerPerson", "/people/"], ["strangerRole", "/roles/"], ["strangerConnector", "/connectors/"], ["strangerWebhook", "/settings/webhooks/"]]) {
    step(`${kind} in ours`);
    await go(ours, path + scene.ids[kind]);
    expect((await ours.locator("main h1", { hasText: "Not found, or not visible to you" }).count()) === 1, `it shows ${await ours.locator("main h1").innerText()}`);
  }
  await seen(ours, "of another tenant");

  step("an operator who acts in a tenant is told so, and it is written down");
  const tenant = (await api("admin", "GET", "/auth/me")).tenant;
  const operator = await open("operator", `/admin/tenants/${tenant.id}`);
  await operator.getByRole("button", { name: /^Act in/ }).click();
  const dialog = operator.getByRole("dialog");
  const reason = dialog.locator("input, textarea").first();
  if (await reason.count()) await reason.fill("ticket 4711");
  await dialog.getByRole("button", { name: /^Act in/ }).click();
  await operator.getByText("as a service operator").waitFor();
  await go(operator, "/people");
  expect((await operator.locator("tbody tr").count()) > 10, "the people of the tenant are not shown");
  await seen(operator, "acting in a tenant");
  await operator.getByRole("button", { name: "Leave this tenant" }).click();
  await operator.waitForURL(/\/admin\/tenants$/);
  const log = await api("admin", "GET", "/audit-events?action=tenant.cross_access&limit=5");
  expect(log.items.some((e) => e.reason === "ticket 4711"), `the audit log says ${JSON.stringify(log.items.map((e) => e.reason))}`);
});
