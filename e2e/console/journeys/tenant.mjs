// seed: own
// What holds for the whole tenant is changed in the console, and holds; an auditor reads it and changes nothing.
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";

await journey(async ({ open }) => {
  const page = await open("admin", "/settings/tenant", { allow: [400, 422] });
  await seen(page, "tenant");

  step("a time zone that there is not is refused at its field, and what was typed stays");
  const zone = page.getByLabel("Time zone", { exact: true });
  await zone.fill("Mars/Olympus");
  await page.getByLabel("Name", { exact: true }).fill("Main & sons");
  await page.getByRole("button", { name: "Save" }).first().click();
  await page.getByRole("alert").first().waitFor();
  same(await page.getByLabel("Name", { exact: true }).inputValue(), "Main & sons", "what was typed");
  await seen(page, "tenant refused");
  await zone.fill("Europe/Paris");
  await page.getByRole("button", { name: "Save" }).first().click();
  await page.getByText("Saved").first().waitFor();
  const tenant = await api("admin", "GET", "/settings/tenant");
  same(`${tenant.name} ${tenant.settings.timezone}`, "Main & sons Europe/Paris", "what is kept");

  step("writing to all systems is switched off with a reason, and on again");
  await page.getByRole("button", { name: "Turn off writing…" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("button", { name: "Turn off" }).isDisabled(), "it can be switched off without a reason");
  await dialog.getByLabel("Reason").fill("the directory moves");
  await seen(page, "switching off");
  await dialog.getByRole("button", { name: "Turn off" }).click();
  await page.getByText("the directory moves").waitFor();
  same((await api("admin", "GET", "/settings/provisioning")).writes, false, "whether it writes");
  await page.getByRole("button", { name: "Turn on writing…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("button", { name: "Turn off writing…" }).waitFor();

  step("an attribute of people");
  await page.goto(page.url().replace("/settings/tenant", "/settings/attributes"));
  await settled(page);
  const before = (await api("admin", "GET", "/identities/schema/attributes")).attributes.length;
  await page.getByRole("button", { name: "Add an attribute" }).click();
  await page.getByLabel("Name", { exact: true }).last().fill("ward");
  await page.getByLabel("Type").last().selectOption("enum");
  await page.getByLabel("Allowed values, one per line").last().fill("north\nsouth");
  await seen(page, "attributes");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").first().waitFor();
  const { attributes } = await api("admin", "GET", "/identities/schema/attributes");
  same(attributes.length, before + 1, "how many attributes there are");
  same(attributes.find((a) => a.name === "ward")?.allowed?.join(), "north,south", "what the ward may be");

  step("single sign-on: a provider is added, and its secret is never shown again");
  await page.goto(page.url().replace("/settings/attributes", "/settings/identity-providers"));
  await settled(page);
  await page.getByRole("button", { name: "Add provider" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name", { exact: true }).fill("corporate-two");
  const { items } = await api("admin", "GET", "/settings/identity-providers");
  await form.getByLabel("Issuer").fill(items[0].issuer);
  await form.getByLabel("Client ID").fill("console");
  await form.getByLabel("Client secret").fill("hush-hush-4711");
  await form.getByLabel("Allowed e-mail domains, one per line").fill("corporate.example");
  await form.getByRole("button", { name: "Add group" }).click();
  await form.getByLabel("Group", { exact: true }).fill("iam-admins");
  await form.getByLabel("Administrator").check();
  await seen(page, "a provider");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("heading", { name: /corporate-two/ }).waitFor();
  expect(!(await page.content()).includes("hush-hush-4711"), "the secret stands on the page");

  step("an auditor reads all of it, and can change nothing");
  const auditor = await open("auditor", "/settings/tenant");
  for (const path of ["tenant", "attributes", "identity-providers", "audit"]) {
    await auditor.goto(auditor.url().replace(/settings\/.*/, `settings/${path}`));
    await settled(auditor);
    const writes = await auditor.locator("main :is(button, input, select, textarea):not([data-reads]):enabled").count();
    same(writes, 0, `controls of ${path} that change something`);
  }
});
