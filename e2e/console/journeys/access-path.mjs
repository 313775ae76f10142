// Inherited access shows every step of its path by name and leads to what has to be revoked; systems are named wherever names repeat.
import { api, expect, journey, path, same, scene, seen, settled, step, url } from "../lib/house.mjs";

const { items } = await api("admin", "GET", "/entitlements/grants?directness=inherited&expand=paths&limit=200");
const steps = (g) => Math.max(0, ...(g.paths ?? []).map((p) => p.entitlement_ids.length));
const deep = items.filter((g) => g.identity_id).sort((a, b) => steps(b) - steps(a))[0];
const ids = deep.paths[0].entitlement_ids;
const names = await Promise.all(ids.map(async (id) => (await api("admin", "GET", `/entitlements/${id}`)).display_name));
const { name: system } = await api("admin", "GET", `/connectors/${deep.connector_id}`);

await journey(async ({ open }) => {
  const page = await open("admin", `/people/${deep.identity_id}/access?why=${deep.id}`);
  const why = page.getByRole("dialog");
  step("why somebody has inherited access");
  const way = why.getByRole("region", { name: "Path" });
  await way.getByRole("link", { name: names[0] }).first().waitFor();
  const said = (await way.locator("li").first().innerText()).split("→").map((s) => s.trim());
  same(said.slice(1), names, "the steps after the account");
  expect(!/paths shows|entitlement_ids/.test(await why.innerText()), "a member of the API is shown");
  same(await why.getByRole("button", { name: "Revoke" }).count(), 0, "buttons that revoke what is inherited");
  await seen(page, "why it is inherited");

  step("it leads to what has to be revoked");
  await way.locator("p").getByRole("link", { name: names[0] }).click();
  await why.getByRole("heading", { name: names[0], exact: true }).waitFor();
  expect(path(page).includes("why=") && !path(page).includes(deep.id), "another grant is not explained");
  await why.getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByRole("dialog", { name: "Revoke access" }).waitFor();
  await page.keyboard.press("Escape");

  step("graph and table name the system");
  await page.goto(`${url}/people/${deep.identity_id}/access`);
  await settled(page);
  expect((await page.locator(".graph .system").allTextContents()).includes(system), "the graph does not name the system");
  const twice = await page.locator(".graph .mark title").allTextContents();
  same(twice.length, new Set(twice).size, "marks with a name of their own");

  step("a picker tells equal names apart");
  await page.getByRole("button", { name: "Explain access" }).click();
  await page.getByRole("dialog").getByLabel("Entitlement").fill(names[0]);
  const option = page.getByRole("option").first();
  await option.waitFor();
  expect((await option.innerText()).includes(` · ${system}`), `the picker offers ${await option.innerText()}`);

  step("a record names the manager and the source of each field");
  await page.goto(`${url}/people/${scene.ids.person}`);
  await settled(page);
  await page.getByRole("button", { name: /All fields/ }).click();
  const row = page.getByRole("dialog").getByRole("row", { name: /^Manager/ });
  await row.waitFor();
  expect(!/by hand/.test(await page.getByRole("dialog").innerText()), "a field was set by hand by nobody");
  expect((await row.innerText()).includes(scene.names.hr), `the manager is from ${await row.innerText()}`);

  step("a manager sees the system that an answer names");
  const manager = await open("manager", "/settings/me");
  await manager.route(/\/api\/v1\/accounts\?/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const row of body.items) row.connector_name = system;
    await route.fulfill({ response: answer, json: body });
  });
  await manager.goto(`${url}/accounts`);
  await manager.getByRole("columnheader", { name: "System" }).waitFor();
  await manager.getByRole("cell", { name: system }).first().waitFor();
});
