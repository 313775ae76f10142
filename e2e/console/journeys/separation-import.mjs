// when: long
// Duties and policies from files: what is wrong is told by line and changes nothing, the mended file is planned and applied as planned, and is in the export; an SAP rule set asks for its connector.
import { readFile } from "node:fs/promises";
import { duty, named } from "../lib/duties.mjs";
import { api, expect, journey, listsFit, same, seen, settled, step } from "../lib/house.mjs";

const list = "/policies/separation-of-duties";
const button = (page, name) => page.getByRole("button", { name, exact: true });
const names = { post: named("Post entries"), settle: named("Settle accounts"), policy: named("Entries and settlements") };
const file = (name, text) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });
const one = (name, id) => `  - name: ${name}\n    all_of:\n      - members:\n          - {kind: external, connector: staff, external_id: "cn=${id},ou=groups"}\n`;
const rules = (severity) =>
  `version: 1\nduties:\n${one(names.post, "Entries")}${one(names.settle, "Settlements")}policies:\n  - name: ${names.policy}\n    kind: pair\n    ${severity}: high\n` +
  `    sides:\n      - {label: Entries, duties: [${names.post}]}\n      - {label: Settlements, duties: [${names.settle}]}\n`;
const found = async (path, name) => (await api("admin", "GET", `${path}?q=${encodeURIComponent(name)}`)).items.find((i) => i.name === name);

await journey(async ({ open }) => {
  const page = await open("admin", "/separation-of-duties", { allow: [409], viewport: { width: 1280, height: 860 } });
  const row = (name) => page.getByRole("row").filter({ hasText: name });
  const select = (...files) => page.getByLabel("Files", { exact: true }).setInputFiles(files);

  step("to the import");
  await page.getByRole("link", { name: "Import" }).click();
  await page.getByRole("heading", { level: 1, name: "Import duties and policies" }).waitFor();
  expect(await button(page, "Preview changes").isDisabled(), "nothing can be previewed without a file");

  step("what is wrong is told at its line");
  await select(file("rules.yaml", rules("severty")));
  await page.getByText("The names say YAML.").waitFor();
  await button(page, "Preview changes").click();
  await page.getByRole("heading", { name: "1 problem" }).waitFor();
  const wrong = await row("is unknown").innerText();
  for (const words of ["rules.yaml", "14", "severty", "Remove it, or correct its name."]) expect(wrong.includes(words), `the problem does not say ${words}: ${wrong}`);
  same(await page.getByRole("button", { name: /^Apply/ }).count(), 0, "buttons that apply a damaged file");
  same(await found("/policies/duties", names.post), undefined, "a duty of the damaged file");
  await seen(page, "a damaged file");

  step("what is no rule set is told in the words of the service");
  await select(file("rules.docx", "PK"));
  await button(page, "Preview changes").click();
  await row("rules.docx").getByText(/is none of \.yaml, \.csv, \.txt and \.xml/).waitFor();

  step("too much for one request");
  await select(file("rules.yaml", "#".repeat(7 * 1024 * 1024 + 1)));
  await page.getByText(/Put them into a ZIP archive/).waitFor();
  expect(await button(page, "Preview changes").isDisabled(), "files that are too large can be sent");
  await seen(page, "files that are too large");

  step("mended, the plan is shown and nothing is changed");
  await select(file("rules.yaml", rules("severity")));
  await button(page, "Preview changes").click();
  await page.getByText("2 duties and 1 policy in 1 file (YAML).").waitFor();
  await row(names.post).getByText("1 member that no sync run has read yet").waitFor();
  same(await found(list, names.policy), undefined, "the policy after a look");
  await seen(page, "the plan of an import");
  for (const width of [1280, 1920]) await listsFit(page, "the plan of an import", width);
  await page.getByLabel("Result", { exact: true }).selectOption("refused");
  await page.getByText("None with this result.").waitFor();
  await page.getByLabel("Result", { exact: true }).selectOption("created");
  await row(names.policy).waitFor();

  step("another change makes the plan stale");
  const { items } = await api("admin", "GET", "/entitlements?limit=500");
  await duty(names.post, items.find((e) => e.name === "Archive"));
  await button(page, "Apply 3 changes").click();
  await page.getByText("Review the plan again.").waitFor();
  same(await found(list, names.policy), undefined, "the policy of a stale plan");
  await seen(page, "a stale plan");
  await button(page, "Preview again").click();
  await row(names.post).getByText("changed").waitFor();

  step("applied as it was planned");
  await button(page, "Apply 3 changes").click();
  await page.getByRole("heading", { name: "Result of the import" }).waitFor();
  const made = await found(list, names.policy);
  same([made.mode, made.severity, made.sides.map((s) => s.label)], ["draft", "high", ["Entries", "Settlements"]], "the policy of the file");
  await seen(page, "an import that was applied");
  await row(names.policy).getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: names.policy }).waitFor();
  await page.getByText("imported file (YAML)").waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Import duties and policies" }).waitFor();

  step("the same file again changes nothing");
  await select(file("rules.yaml", rules("severity")));
  await button(page, "Preview changes").click();
  await page.getByText("The files change nothing.").waitFor();

  step("a rule set of SAP asks for the connector of its systems");
  const code = `Z${Date.now() % 1e7}`;
  const sap = [file("function.txt", `${code}\tEN\tRelease payments\n`), file("function action.txt", `${code}\tP01\tF110\t0\n`)];
  await select(...sap);
  await page.getByText("The names say SAP GRC text files.").waitFor();
  await button(page, "Preview changes").click();
  await page.getByText(/The system "P01" has no connector/).waitFor();
  await seen(page, "an SAP rule set without a connector");
  await button(page, "Add a system").click();
  await page.getByLabel("System", { exact: true }).fill("P01");
  await page.getByLabel("Connector of system P01", { exact: true }).fill("Staff");
  await page.getByRole("option", { name: /^Staff directory/ }).first().click();
  await button(page, "Preview changes").click();
  await row(`${code}: Release payments`).getByText("new", { exact: true }).waitFor();
  await seen(page, "the plan of an SAP rule set");

  step("the draft is in the list, and in the export");
  await page.getByRole("navigation").getByRole("link", { name: "Separation of duties" }).first().click();
  await button(page, "Drafts").click();
  await page.getByRole("link", { name: names.policy }).waitFor();
  const saved = async (on, choice) => {
    await on.getByRole("button", { name: /^Export/ }).click();
    const [got] = await Promise.all([on.waitForEvent("download"), on.getByRole("menuitem", { name: choice, exact: true }).click()]);
    return { name: got.suggestedFilename(), content: await readFile(await got.path()) };
  };
  const yaml = await saved(page, "YAML");
  same(yaml.name, "separation-of-duties.yaml", "the name of the file");
  for (const words of Object.values(names)) expect(yaml.content.includes(words), `the export lacks ${words}`);

  step("an auditor exports, and imports nothing");
  const reads = await open("auditor", "/separation-of-duties");
  await settled(reads);
  same(await reads.getByRole("link", { name: "Import" }).count(), 0, "links of an auditor to the import");
  const tables = await saved(reads, "CSV tables (ZIP)");
  same([tables.name, tables.content.subarray(0, 2).toString()], ["separation-of-duties.zip", "PK"], "the tables");

  // Others look at the lists of this tenant.
  await api("admin", "DELETE", `${list}/${made.id}`);
  for (const name of [names.post, names.settle]) await api("admin", "DELETE", `/policies/duties/${(await found("/policies/duties", name)).id}`);
});
