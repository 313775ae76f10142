// The mapping of one environment is taken over by another; what does not fit is told before, and stays as it was.
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";
import { mapped, source } from "../lib/source.mjs";

const records = {
  "/staging": (n) => ({ id: `s${n}`, mail: `s${n}@copy.test`, given: `Ann${n}`, family: "Copy", badge: `b${n}`, desk: `d${n}` }),
  "/production": (n) => ({ id: `p${n}`, mail: `p${n}@copy.test`, given: `Bea${n}`, family: "Copy", badge: `b${n}` }),
};
const branch = await source((path) => ({ body: { data: [1, 2, 3].map((n) => records[path](n)) } }));

await journey(async ({ open }) => {
  const stamp = Date.now();
  const [from, to] = await Promise.all(
    ["staging", "production"].map((environment) => mapped(branch.url, `Copied ${stamp} ${environment}`, { path: `/${environment}`, environment })),
  );
  const of = async (id, path) => (await api("admin", "GET", `/connectors/${id}/mappings`)).mappings.find((m) => m.source_path === path);
  for (const path of ["badge", "desk"]) {
    const m = await of(from, path);
    const body = { action: "map", target_field: `attributes.${path}`, transform: "value.upper()" };
    await api("admin", "PATCH", `/connectors/${from}/mappings/${m.id}`, body);
  }

  const page = await open("admin", `/connectors/${to}/mapping`);
  await settled(page);
  step("from another environment");
  await page.getByRole("button", { name: /^Copy/ }).click();
  const dialog = page.locator(".dialog");
  expect(await dialog.getByRole("button", { name: "Copy", exact: true }).isDisabled(), "nothing is chosen, and it can be copied");
  await dialog.getByLabel("From").fill(`Copied ${stamp} staging`);
  await page.getByRole("option", { name: new RegExp(`Copied ${stamp} staging`) }).click();
  await dialog.getByText(/would be copied/).waitFor();
  const told = await dialog.innerText();
  expect(/desk/.test(told), `what does not fit is not told: ${told}`);
  same((await of(to, "badge"))?.transform ?? "", "", "the transform before it is copied");
  await seen(page, "copy mappings");
  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  await dialog.waitFor({ state: "detached" });

  step("it is there");
  const badge = await of(to, "badge");
  same(`${badge.target_field} ${badge.transform}`, "attributes.badge value.upper()", "the mapping that was copied");
  same(await of(to, "desk"), undefined, "a mapping of a field that the source does not have");
  await settled(page);
  expect((await page.locator("main").innerText()).includes("value.upper()"), "the page does not show what was copied");
  await seen(page, "mappings that were copied");
});
branch.close();
