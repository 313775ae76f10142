// when: long
// seed: own
// People from a file with rows that cannot be: each is refused at its line, the others are taken, and the mended file takes the rest.
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";

const stamp = Date.now();
const dir = mkdtempSync(join(tmpdir(), "people-"));
const file = join(dir, "people.csv");
const known = async (id) => (await api("admin", "GET", `/identities?external_id=${id}`)).items[0];
const button = (page, name) => page.getByRole("button", { name, exact: true });
const lines = (second, third) => `external_id,display_name,email,start_date,shoe\n${rows(second, third).join("\n")}\n`;
const rows = (second, third) => [
  `imp-${stamp}-1,Ada Import,ada-${stamp}@example.test,2027-01-04,38`,
  `imp-${stamp}-2,Ben Import,${second},2027-01-04,`,
  `imp-${stamp}-3,Cleo Import,cleo-${stamp}@example.test,${third},`,
];

/** Chooses the file by pressing its field, as a person does: only then is the same file another choice. */
async function chosen(page) {
  const [asked] = await Promise.all([page.waitForEvent("filechooser"), page.locator("input[type=file]").click()]);
  await asked.setFiles(file);
}

try {
  await journey(async ({ open }) => {
    const page = await open("admin", "/people/import", { allow: [400, 422] });
    const row = (line) => page.locator("section[aria-label=Rows] tbody tr").filter({ has: page.getByRole("cell", { name: String(line), exact: true }) });

    step("a file is chosen");
    writeFileSync(file, lines("no address", "soon"));
    await chosen(page);
    await page.getByText("Of people.csv").waitFor();

    step("a file that was written to after it was chosen is not read");
    writeFileSync(file, lines("no address", "soon or later"));
    await button(page, "Preview import").click();
    await page.getByText("Select it again.").waitFor();
    await seen(page, "a file that has changed");

    step("chosen again, each row that cannot be says why");
    await chosen(page);
    await page.getByText("Select it again.").waitFor({ state: "detached" });
    await button(page, "Preview import").click();
    await page.getByText("3 rows: 1 new, 0 changed, 0 unchanged, 2 failed.").waitFor();
    expect((await row(3).innerText()).includes("email"), `the third line says: ${await row(3).innerText()}`);
    expect((await row(4).innerText()).includes("start_date"), `the fourth line says: ${await row(4).innerText()}`);
    same(await known(`imp-${stamp}-1`), undefined, "who is there after a look");
    same(await row(2).getByRole("link").count(), 0, "links to somebody who is not there yet");
    await seen(page, "rows that cannot be");

    step("only those rows are shown");
    await page.getByRole("combobox", { name: "Rows" }).selectOption("failed");
    await row(2).waitFor({ state: "detached" });
    same(await page.locator("section[aria-label=Rows] tbody tr").count(), 2, "rows that cannot be");

    step("the others are taken");
    await button(page, "Import 1 person").click();
    await page.getByRole("heading", { name: "Result of the import" }).waitFor();
    same([(await known(`imp-${stamp}-1`)).display_name, await known(`imp-${stamp}-2`)], ["Ada Import", undefined], "who is there after the import");
    await seen(page, "an import with rows that could not be");

    step("the mended file takes the rest");
    writeFileSync(file, lines(`ben-${stamp}@example.test`, "2027-02-01"));
    await chosen(page);
    await button(page, "Preview import").click();
    await page.getByText("3 rows: 2 new, 0 changed, 1 unchanged, 0 failed.").waitFor();
    await button(page, "Import 2 people").click();
    await page.getByRole("heading", { name: "Result of the import" }).waitFor();
    same([(await known(`imp-${stamp}-2`)).email, (await known(`imp-${stamp}-3`)).start_date], [`ben-${stamp}@example.test`, "2027-02-01"], "the mended rows");

    step("what is no table of people is refused as a whole");
    await page.getByText("Paste lines instead").click();
    await page.getByLabel("Lines", { exact: true }).fill("name,address\nDora,somewhere\n");
    await button(page, "Preview import").click();
    await page.locator(".problem-list").or(page.getByText("1 failed")).first().waitFor();
    await settled(page);
    await seen(page, "lines without an id");
    same(await page.getByRole("button", { name: /^Import \d/ }).count(), 0, "buttons to import what cannot be");
  });
} finally {
  rmSync(dir, { recursive: true });
}
