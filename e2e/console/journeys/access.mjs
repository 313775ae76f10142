// seed: own
// Access: whoever owns it describes it, and nothing else; administrators say who owns what, and see who holds it, how and why.
import { api, expect, go, journey, same, scene, seen, settled, step, url } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const own = scene.ids.entitlement;
const other = scene.ids.entitlementFree;
const patch = { "Content-Type": "application/merge-patch+json" };

await journey(async ({ open }) => {
  await api("admin", "PATCH", `/entitlements/${own}`, { business_description: "Wages", risk_level: "high", permission_summary: [], data_classes: [] }, patch);
  const page = await open("owner", `/access/${own}`, { allow: [403, 404, 412, 422] });
  await button(page, "Edit").waitFor();
  await seen(page, "what one owns");

  step("an owner describes what they own");
  await button(page, "Edit").click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Purpose").fill("Pays the people, once a month.");
  await dialog.getByLabel("Risk", { exact: true }).selectOption("low");
  same(await dialog.getByLabel("Privileged").count(), 0, "fields of administrators that an owner has");
  await button(dialog, "Save").click();
  await dialog.getByRole("alert").first().waitFor();
  await seen(page, "a refusal of the service");
  same(await dialog.getByLabel("Purpose").inputValue(), "Pays the people, once a month.", "what was typed, after the refusal");
  await dialog.getByLabel("Risk", { exact: true }).selectOption("critical");
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  const now = await api("admin", "GET", `/entitlements/${own}`);
  same([now.business_description, now.risk_level], ["Pays the people, once a month.", "critical"], "what the service keeps");
  await page.getByText("Pays the people, once a month.").waitFor();

  step("and offers it, or not");
  const offered = page.getByRole("switch", { name: "Requestable" });
  const was = await offered.isChecked();
  await offered.click();
  await page.getByText(was ? "It is no longer requestable." : "It is now requestable.", { exact: true }).first().waitFor();
  same((await api("admin", "GET", `/entitlements/${own}`)).requestable, !was, "whether it can be asked for");
  await settled(page);

  step("what belongs to others is only read");
  await go(page, `/access/${other}`);
  const visible = await page.getByRole("heading", { name: scene.names.entitlementFree }).count();
  same(await button(page, "Edit").count(), 0, "a button to edit what others own");
  same(await page.getByRole("switch").count(), 0, "a switch of what others own");
  await seen(page, visible ? "what somebody else owns" : "what one does not see");
  const refused = await api("owner", "PATCH", `/entitlements/${other}`, { risk_level: "critical" }, patch).then(
    () => "done",
    (e) => String(e.message),
  );
  expect(/answers (403|404)/.test(refused), `the service lets an owner write what others own: ${refused}`);

  await changedMeanwhile(page);
  await administered(open);
});

async function changedMeanwhile(page) {
  step("somebody else changed it meanwhile");
  await go(page, `/access/${own}`);
  await button(page, "Edit").click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Permissions").fill("Reads the ledger");
  await api("admin", "PATCH", `/entitlements/${own}`, { data_classes: ["salaries"] }, patch);
  await button(dialog, "Save").click();
  await button(dialog, "Reload").click();
  await button(dialog, "Reload").waitFor({ state: "detached" });
  same(await dialog.getByLabel("Permissions").inputValue(), "Reads the ledger", "what was typed, after it was read again");
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  const now = await api("admin", "GET", `/entitlements/${own}`);
  same([now.permission_summary, now.data_classes], [["Reads the ledger"], ["salaries"]], "that neither change is lost");
}

async function administered(open) {
  const page = await open("admin", "/access?owned=false");
  await page.waitForSelector("tbody tr");
  step("access that nobody owns");
  const unowned = await api("admin", "GET", "/entitlements?owned=false&limit=1");
  await page.getByText(`of ${unowned.total.toLocaleString("en")}`).first().waitFor();
  await seen(page, "the list of what nobody owns");
  await page.locator("tbody tr a").first().click();
  await button(page, "Assign an owner").click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Add an owner", { exact: true }).fill(scene.users.manager.name);
  await page.getByRole("option").first().click();
  await dialog.getByRole("link", { name: scene.users.manager.name }).waitFor();
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  const id = new URL(page.url()).pathname.split("/")[2];
  same((await api("admin", "GET", `/entitlements/${id}`)).owner_ids, [scene.users.manager.identity_id], "who owns it");

  step("several changed in one way, looked at first");
  await page.goto(`${url}/access?lifecycle=active`);
  await page.locator("td.select input").first().click();
  await page.locator("td.select input").nth(1).click();
  await button(page, "Edit").click();
  await dialog.getByLabel("Field", { exact: true }).selectOption("risk_level");
  await dialog.getByLabel("New value").selectOption("high");
  await dialog.getByText(/will change, .* already have this value/).waitFor();
  await seen(page, "what a change of several would do");
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });

  step("who holds it, how it is nested, how it is used, and out of use");
  const held = (await api("admin", "GET", "/entitlements/grants?limit=1")).items[0].entitlement_id;
  for (const tab of ["holders", "nesting", "usage"]) {
    await page.goto(`${url}/access/${held}/${tab}`);
    await seen(page, tab);
  }
  await page.goto(`${url}/access/${held}`);
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: "Retire" }).click();
  const impact = await api("admin", "POST", `/entitlements/${held}/retire?dry_run=true`, {});
  await dialog.getByText(new RegExp(`^${impact.holders.toLocaleString("en")} accounts? holds? it`)).waitFor();
  await seen(page, "what taking it out of use would do");
  await button(dialog, "Cancel").click();
  same((await api("admin", "GET", `/entitlements/${held}`)).lifecycle, "active", "its lifecycle after a look");
}
