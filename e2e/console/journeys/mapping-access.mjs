// Fields of groups and memberships are mapped: in the wizard with a preview of real records, and later on the connector's page.
import { api, expect, go, journey, same, seen, step } from "../lib/house.mjs";
import { until } from "../lib/desk.mjs";
import { source } from "../lib/source.mjs";

const said = {
  "/users": [1, 2].map((n) => ({ id: `u${n}`, login: `lend${n}`, mail: `lend${n}@desk.test` })),
  "/groups": [
    { id: "g1", name: "loans", label: "Loan desk", area: "books", tier: 2, joinSecret: "CANARY-join" },
    { id: "g2", name: "vault", label: "Vault", area: "money", tier: 3, joinSecret: "CANARY-join" },
  ],
  "/members": [1, 2].map((n) => ({ id: `m${n}`, who: `u${n}`, what: "g1", validUntil: "2090-01-31", ticket: `T-${n}` })),
};
const system = await source((path) => ({ body: said[path] ?? [] }));
const stream = (name, object, fields) => ({ name, object, request: { path: `/${name}` }, record_selector: "$[*]", key_path: "id", ...(fields ? { fields } : {}) });
const member = { account_external_id: "who", entitlement_external_id: "what" };

await journey(async ({ open }) => {
  const { id } = await api("admin", "POST", "/connectors", {
    name: "Lending rights",
    business_id: `lending-rights-${Date.now()}`,
    type: "rest",
    mode: "hosted",
    purpose: "target",
    environment: "test",
    draft: true,
    connection: {
      base_url: system.url,
      auth_method: "none",
      streams: [
        stream("users", "account", { username: "login", email: "mail" }),
        { ...stream("groups", "entitlement"), entitlement_kind: "group" },
        stream("members", "grant", member),
      ],
    },
  });
  await api("admin", "POST", `/connectors/${id}/test`);
  await api("admin", "POST", `/connectors/${id}/discover`);
  await wizard(await open("admin", `/connectors/new/${id}/mapping?object=entitlement`, { allow: [422] }), id);
  await mappingPage(await open("admin", `/connectors/${id}/mapping`), id);
  await api("admin", "DELETE", `/connectors/${id}`);
});
system.close();

/** The result on the record that is shown, for one field of the source. */
function result(page, field, want) {
  const shown = ([field, want]) => document.querySelector(`[aria-label='Result of ${field}']`)?.textContent === want;
  return page.waitForFunction(shown, [field, want]);
}

async function wizard(page, id) {
  const button = (name) => page.getByRole("button", { name });
  step("proposals for entitlements, on a real record");
  await page.getByText("Result on record 1 of 2").waitFor();
  await result(page, "name", "loans");
  await result(page, "label", "Loan desk");
  expect(!(await page.content()).includes("CANARY"), "a secret of the system is shown");
  await page.getByRole("row").filter({ hasText: "tier" }).getByText("Not mapped").waitFor();
  await seen(page, "fields of entitlements");
  step("one is overridden, with a transform");
  await page.getByLabel("Target field of area").fill("resource_name");
  await page.getByLabel("Transform of area, in Python").fill("value.title()");
  await result(page, "area", "Books");
  step("one fills an attribute of one's own, one is ignored");
  await page.getByLabel("Target field of tier").fill("attributes.level");
  await result(page, "tier", "2");
  await page.getByLabel("Ignore label").click();
  await button("Next record").click();
  await result(page, "area", "Money");
  step("grants");
  await page.getByRole("navigation", { name: "Kinds of record" }).getByRole("link", { name: /^Grants/ }).click();
  await result(page, "validUntil", "2090-02-01T00:00:00Z");
  await page.getByLabel("Target field of ticket").fill("immutable");
  await page.getByRole("row").filter({ hasText: "ticket" }).getByRole("alert").waitFor();
  await seen(page, "a value that does not fit");
  await page.getByLabel("Target field of ticket").fill("attributes.request");
  await result(page, "ticket", "T-1");
  await seen(page, "fields of grants");
  step("what is decided is kept");
  await page.getByRole("navigation", { name: "Kinds of record" }).getByRole("link", { name: /^Accounts/ }).click();
  await page.getByLabel("Target field of login").waitFor();
  if (await button("Ignore open fields").isEnabled()) await button("Ignore open fields").click();
  await button("Continue").click();
  await page.waitForURL(/\/sync$/);
  const kept = await decisions(id);
  same(kept["entitlement area"], "resource_name value.title()", "what area fills");
  same(kept["entitlement tier"], "attributes.level", "what tier fills");
  same(kept["entitlement label"], "ignore", "what is done with label");
  same(kept["entitlement joinSecret"], "ignore", "what is done with a secret");
  same(kept["grant ticket"], "attributes.request", "what ticket fills");
  same(kept["grant who"], undefined, "a mapping of a field that nobody mapped");
  step("the first sync applies it");
  await button("Run the first sync").click();
  await page.getByText("is connected").waitFor();
  const groups = (await api("admin", "GET", `/entitlements?connector_id=${id}`)).items;
  const loans = groups.find((e) => e.name === "loans");
  same(loans?.resource?.display_name, "Books", "the resource of the group");
  await page.context().close();
}

async function mappingPage(page, id) {
  const dialog = page.locator(".dialog");
  step("the same on the connector's page");
  await page.getByRole("group", { name: "Kinds of record" }).getByRole("button", { name: /^Entitlements/ }).click();
  same(await page.getByRole("row").filter({ hasText: "accounts" }).count(), 0, "rows of other kinds");
  await seen(page, "mappings of entitlements");
  step("a mapping is changed, and previewed");
  await page.getByRole("button", { name: "Edit the mapping of area" }).click();
  await dialog.getByLabel("Transform").fill("value.upper()");
  await dialog.getByRole("cell", { name: "BOOKS", exact: true }).waitFor();
  await seen(page, "a mapping of an entitlement is changed");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  step("another is taken away");
  await page.getByRole("button", { name: "Edit the mapping of tier" }).click();
  await dialog.locator("select").first().selectOption("none");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  step("a field of grants that has no mapping yet");
  await page.getByRole("button", { name: "Map a field" }).click();
  await dialog.getByLabel("Records").selectOption("grant");
  await dialog.getByLabel("Source field").selectOption("who");
  await dialog.getByLabel("Map to").selectOption("assigned_by");
  await dialog.getByRole("cell", { name: "u1", exact: true }).first().waitFor();
  await seen(page, "a field of grants is mapped");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const kept = await decisions(id);
  same(kept["entitlement area"], "resource_name value.upper()", "what area fills");
  same(kept["entitlement tier"], undefined, "the mapping that was taken away");
  same(kept["grant who"], "assigned_by", "what was mapped");
  same(kept["entitlement label"], "ignore", "what nobody touched");
  step("the next run applies it");
  const { run_id } = await api("admin", "POST", `/connectors/${id}/sync`, {});
  const state = async () => (await api("admin", "GET", `/connectors/${id}/sync-runs/${run_id}`)).status;
  await until(async () => (await state()) === "succeeded", "the system cannot be read");
  const groups = (await api("admin", "GET", `/entitlements?connector_id=${id}`)).items;
  same(groups.find((e) => e.name === "loans")?.resource?.display_name, "BOOKS", "the resource of the group");
  await go(page, `/connectors/${id}/overview`);
}

/** What is decided about each field, in short. */
async function decisions(id) {
  const { mappings } = await api("admin", "GET", `/connectors/${id}/mappings`);
  const words = (m) => (m.action === "ignore" ? "ignore" : [m.target_field, m.transform].filter(Boolean).join(" "));
  return Object.fromEntries(mappings.map((m) => [`${m.object} ${m.source_path}`, words(m)]));
}
