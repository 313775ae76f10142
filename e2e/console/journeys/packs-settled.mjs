// when: long
// seed: own
// A pack is set anew where the tenant has changed the same fields: one conflict is kept as it is, one given to the pack, one written anew; what is used stays when it goes.
import { api, expect, go, journey, same, seen, settled, step } from "../lib/house.mjs";

const key = "education";
const ours = { match: "all", rules: [{ field: "department", op: "eq", value: "Ours" }] };
const merged = { match: "all", rules: [{ field: "department", op: "eq", value: "Both" }] };

await journey(async ({ open }) => {
  const { parameters } = await api("admin", "GET", `/sector-packs/${key}`);
  const values = Object.fromEntries(parameters.filter((p) => p.default !== null).map((p) => [p.key, p.default]));
  const planned = await api("admin", "POST", `/sector-packs/${key}/plan`, { parameters: values });
  await api("admin", "POST", `/sector-packs/${key}/install`, { parameters: values, confirm: planned.plan_hash });
  const { items } = await api("admin", "GET", `/sector-packs/${key}/objects?kind=birthright&limit=100`);
  const policy = Object.fromEntries(items.map((o) => [o.object_key, `/policies/access-grant/${o.object_id}`]));
  const conflicting = ["faculty-members", "registrars", "bursars"];
  for (const name of conflicting) await api("admin", "PATCH", policy[name], { subject: ours });
  const rule = async (name) => JSON.stringify((await api("admin", "GET", policy[name])).subject.rules.map((r) => r.value));

  const page = await open("admin", `/sector-packs/${key}?part=install`);
  step("other parameters, where the rules were changed");
  for (const label of ["Titles of those who teach", "Departments that enrol students", "Departments that deal with fees"])
    await page.getByLabel(label).fill("Somewhere");
  await page.getByRole("button", { name: "Preview changes" }).click();
  const clash = page.getByRole("region", { name: "In conflict: your value applies until you decide" });
  await clash.waitFor();
  for (const name of conflicting) expect((await api("admin", "GET", policy[name])).subject.rules[0].value === "Ours", `${name} was changed by a plan`);
  await seen(page, "plan with conflicts");
  await page.getByRole("button", { name: "Reinstall", exact: true }).click();
  await page.waitForURL(/part=conflicts/);
  const part = (name) => page.getByRole("region", { name, exact: true });
  await part("bursars").waitFor();
  await seen(page, "three conflicts");

  step("mine");
  await part("faculty-members").getByRole("radio", { name: "Keep your value" }).check();
  await part("faculty-members").getByRole("button", { name: "Resolve" }).click();
  await part("faculty-members").getByText("your value kept").waitFor();
  expect((await rule("faculty-members")).includes("Ours"), "what was kept is gone");

  step("theirs");
  await part("registrars").getByRole("radio", { name: "Accept the value of the pack" }).check();
  await part("registrars").getByRole("button", { name: "Resolve" }).click();
  await part("registrars").getByRole("button", { name: "Resolve" }).waitFor({ state: "detached" });
  expect((await rule("registrars")).includes("Somewhere"), "what the pack wants was not taken");

  step("merged");
  page.context().allow = [422];
  const field = part("bursars").getByLabel("Fields");
  await part("bursars").getByRole("radio", { name: "Enter a new value" }).check();
  const before = await field.inputValue();
  await field.fill("{");
  await part("bursars").getByText("This is not a valid JSON object.").waitFor();
  expect(await part("bursars").getByRole("button", { name: "Resolve" }).isDisabled(), "what is no JSON can be sent");
  await field.fill(JSON.stringify({ ...JSON.parse(before), subject: { match: "nonsense" } }));
  await part("bursars").getByRole("button", { name: "Resolve" }).click();
  await part("bursars").getByRole("alert").first().waitFor();
  expect((await field.inputValue()).includes("nonsense"), "what was typed is lost by a refusal");
  await seen(page, "a merge that is refused");
  page.context().allow = [];
  await field.fill(JSON.stringify({ ...JSON.parse(before), subject: merged }));
  await part("bursars").getByRole("button", { name: "Resolve" }).click();
  await part("bursars").getByRole("button", { name: "Resolve" }).waitFor({ state: "detached" });
  expect((await rule("bursars")).includes("Both"), "what was written is not there");
  await seen(page, "three decisions");

  step("let go of: all stays");
  await go(page, `/sector-packs/${key}?part=remove`);
  await page.getByRole("radio", { name: /Keep all objects/ }).check();
  await page.getByRole("heading", { name: /^Kept, and yours/ }).waitFor();
  same(await page.getByRole("heading", { name: /^Removed/ }).count(), 0, "what would be removed by letting go");
  const uninstall = page.getByRole("button", { name: "Uninstall", exact: true });
  await page.getByLabel(`Enter ${key} to confirm`).fill("educatio");
  expect(await uninstall.isDisabled(), "it goes without its whole name");
  await page.getByLabel(`Enter ${key} to confirm`).fill(key);
  await uninstall.click();
  await page.getByText("not installed").waitFor();
  expect((await rule("bursars")).includes("Both"), "what was let go of is gone");
  await settled(page);
});
