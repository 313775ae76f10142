// A system is disconnected: the roles and policies that name its access say so, and do not show it as if it were given.
import { api, go, journey, same, seen, settled, step } from "../lib/house.mjs";
import { connected, desk } from "../lib/desk.mjs";

await journey(async ({ open }) => {
  const target = await desk([{ id: "1", login: "ada", mail: "ada@desk.example", enabled: true }], [{ id: "g1", name: "Keepers", members: [] }]);
  const connector = await connected(target);
  const [thing] = (await api("admin", "GET", `/entitlements?connector_id=${connector}`)).items;
  const role = await api("admin", "POST", "/entitlements/roles", { name: `Keeping ${Date.now()}`, lifecycle: "draft", entitlement_ids: [thing.id] });
  const policy = await api("admin", "POST", "/policies/access-grant", {
    name: `Keeping ${Date.now()}`, mode: "shadow", resources: { entitlement_ids: [thing.id], connector_ids: [connector] },
    subject: { match: "all", rules: [{ field: "department", op: "eq", value: "Nobody's" }] },
  });
  const page = await open("admin", `/roles/${role.id}`, { allow: [404] });

  step("while it is connected");
  await page.getByRole("region", { name: "Entitlements of the role" }).or(page.getByRole("table")).first().waitFor();
  await settled(page);
  same(await page.getByText("system disconnected").count(), 0, "marks of a system that is connected");

  step("after it was disconnected");
  await api("admin", "DELETE", `/connectors/${connector}`);
  await page.reload();
  await page.getByText("system disconnected").first().waitFor();
  await seen(page, "a role with access of a disconnected system");
  await go(page, `/policies/${policy.id}`);
  await page.getByText("system disconnected").first().waitFor();
  await seen(page, "a policy about a disconnected system");
  target.close();
});
