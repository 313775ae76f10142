// when: long
// seed: own
// Roles from a file: a mistake is told at its line and nothing is lost, what would change is told before, and versions are told apart.
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";

const name = `Night reader ${Date.now()}`;
const key = name.toLowerCase().replaceAll(" ", "-");
const button = (at, words) => at.getByRole("button", { name: words, exact: true });
const file = (description, more = "") =>
  `version: 1\nroles:\n  - key: ${key}\n    name: ${name}\n    description: ${description}\n    role_type: business\n    lifecycle: active\n${more}`;
const role = async () => (await api("admin", "GET", `/entitlements/roles?q=${key}`)).items[0];

await journey(async ({ open }) => {
  const page = await open("admin", "/roles", { allow: [409, 422] });

  step("a mistake is told at its line");
  await button(page, "Import…").click();
  const dialog = page.locator(".dialog");
  const says = dialog.getByLabel("File contents");
  await says.fill(file("Reads at night.", "    colour: red\n"));
  await button(dialog, "Preview import").click();
  await dialog.getByRole("alert").filter({ hasText: "line 8" }).waitFor();
  same(await says.getAttribute("aria-invalid"), "true", "whether the field says that something is wrong in it");
  await seen(page, "a file of roles with a mistake");
  same(await role(), undefined, "the role of a file with a mistake");

  step("mended where it stands");
  await says.fill((await says.inputValue()).replace("    colour: red\n", ""));
  await dialog.getByRole("alert").waitFor({ state: "detached" });
  await button(dialog, "Preview import").click();
  await dialog.getByText(key, { exact: true }).waitFor();
  await seen(page, "what a file of roles would do");
  same(await role(), undefined, "the role after a look");
  await button(dialog, "Import 1 change").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("1 role was imported.").waitFor();
  const made = await role();
  same([made.name, made.managed_by, made.description], [name, "code", "Reads at night."], "the role of the file");

  step("a later file is read from the disk, and says what is different");
  await button(page, "Import…").click();
  await dialog.getByLabel("File", { exact: true }).setInputFiles({ name: "roles.yaml", mimeType: "text/yaml", buffer: Buffer.from(file("Reads at night, and at dawn.")) });
  await button(dialog, "Preview import").click();
  await dialog.locator(".diff .came").filter({ hasText: "at dawn" }).waitFor();
  await seen(page, "what a later file would do");
  await button(dialog, "Import 1 change").click();
  await dialog.waitFor({ state: "detached" });
  same((await role()).description, "Reads at night, and at dawn.", "what the later file says");

  step("the same file again changes nothing");
  await button(page, "Import…").click();
  await says.fill(file("Reads at night, and at dawn."));
  await button(dialog, "Preview import").click();
  await button(dialog, "No changes").waitFor();
  expect(await button(dialog, "No changes").isDisabled(), "nothing can be imported");
  await button(dialog, "Cancel").click();
  await dialog.waitFor({ state: "detached" });

  step("its versions are told apart");
  await page.goto(`${page.url().split("/roles")[0]}/roles/${made.id}/versions`);
  await settled(page);
  const { items } = await api("admin", "GET", `/entitlements/roles/${made.id}/versions`);
  const rows = page.locator("section[aria-label='Versions of the role'] tbody tr");
  same(await rows.count(), items.length, "versions");
  const versions = items.map((v) => v.version).sort((a, b) => a - b);
  const [first, last] = [versions[0], versions.at(-1)];
  await page.getByLabel(`Compare from version ${first}`, { exact: true }).check();
  await page.getByRole("heading", { name: `Version ${first} compared with ${last}` }).waitFor();
  await page.locator(".diff .gone").filter({ hasText: "Reads at night." }).waitFor();
  await page.locator(".diff .came").filter({ hasText: "at dawn" }).waitFor();
  await seen(page, "versions of a role told apart");

  step("and the other way round");
  await page.getByLabel(`Compare from version ${last}`, { exact: true }).check();
  await page.getByLabel(`Compare with version ${first}`, { exact: true }).check();
  await page.locator(".diff .gone").filter({ hasText: "at dawn" }).waitFor();
  await page.getByRole("heading", { name: `Version ${last} compared with ${first}` }).waitFor();
});
