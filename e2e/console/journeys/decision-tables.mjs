// seed: own
// A decision table is made, checked against everyone and saved; then it is replaced from a file, whose mistakes are told by line.
import { named } from "../lib/duties.mjs";
import { api, expect, journey, same, seen, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const csv = (text) => ({ name: "staff.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

await journey(async ({ open }) => {
  const name = named("Staff table");
  const printers = (await api("admin", "GET", "/entitlements?limit=500")).items.find((e) => e.name === "Printers").id;
  const page = await open("admin", "/decision-tables", { allow: [409, 422] });
  const one = async () => (await api("admin", "GET", `/policies/access-grant?kind=table&q=${encodeURIComponent(name)}`)).items[0];

  step("a table is made with a row for everyone");
  await page.getByRole("link", { name: "New table" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Entitlements", { exact: true }).fill("Printers");
  await page.getByRole("option", { name: "Printers" }).first().click();
  await button(page, "Create").click();
  await page.getByRole("region", { name: "Rows of the table" }).waitFor();
  await seen(page, "a new decision table");

  step("a row that no person matches is found before it is saved");
  await button(page, "Add row").click();
  await page.getByLabel("department, row 2", { exact: true }).fill("No such department");
  await button(page, "Edit access of row 2").click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Entitlements", { exact: true }).fill("Vault");
  await page.getByRole("option", { name: "Vault" }).first().click();
  await button(dialog, "Done").click();
  await button(page, "Check").click();
  await page.getByRole("row").filter({ hasText: "no person matches" }).first().waitFor();
  await page.getByRole("heading", { name: "Findings", exact: true }).waitFor();
  await seen(page, "what a check finds");
  same((await one()).row_count, 1, "rows that are saved");

  step("the rows are saved");
  await button(page, "Save").click();
  await page.getByText(`${name} saved`).first().waitFor();
  same((await one()).row_count, 2, "rows that are saved");

  step("a damaged file changes nothing, and says where it is wrong");
  await page.getByRole("link", { name: "Import", exact: true }).click();
  await page.getByLabel("CSV file", { exact: true }).setInputFiles(csv(`department,entitlements\n*,${printers}\nNursing,desk:no such access\n`));
  await button(page, "Preview changes").click();
  await page.getByRole("row").filter({ hasText: "no such access" }).first().waitFor();
  same(await button(page, "Apply").count(), 0, "buttons that apply a damaged file");
  await seen(page, "a damaged file");

  step("the mended file is previewed and applied");
  await page.getByLabel("CSV file", { exact: true }).setInputFiles(csv(`department,entitlements\n*,${printers}\n`));
  await button(page, "Preview changes").click();
  await button(page, "Apply").click();
  await page.getByText("The table was imported.").waitFor();
  same((await one()).row_count, 1, "rows after the import");
  expect((await one()).mode === "shadow", "an import puts the table in force");
});
