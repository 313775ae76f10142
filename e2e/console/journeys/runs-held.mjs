// seed: own
// Of a held run two changes are chosen and applied, and only they; what is left is discarded.
import { api, expect, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const { connector, heldRun } = scene.ids;
const at = `/connectors/${connector}/sync-runs/${heldRun}`;

await journey(async ({ open }) => {
  const before = (await api("admin", "GET", `${at}/holds`)).held;
  const page = await open("admin", `/connectors/${connector}/runs/${heldRun}?state=held&object=account`);
  await settled(page);
  const rows = page.getByRole("region", { name: "Changes", exact: true }).or(page.locator("main")).first();
  const dialog = page.locator(".dialog");

  step("two changes are chosen");
  await rows.getByRole("checkbox", { name: "Select row 1", exact: true }).check();
  await rows.getByRole("checkbox", { name: "Select row 2", exact: true }).check();
  await page.getByRole("button", { name: "Release 2 changes…" }).click();
  await dialog.getByText("2 changes would be applied").waitFor();
  const apply = dialog.getByRole("button", { name: /^Apply/ });
  expect(await apply.isDisabled(), "it can be released without a word");
  await dialog.getByLabel("Reason").fill("both have retired");
  await seen(page, "two held changes");

  step("they are applied, with what hangs on them");
  page.context().allow = [409];
  const answers = [];
  page.on("response", async (r) => r.url().endsWith("/release") && answers.push(r.status()));
  await apply.click();
  await page.waitForFunction(() => !document.querySelector(".dialog") || document.querySelector(".dialog [role=alert]"));
  if (answers[0] === 409) {
    await seen(page, "more goes along");
    await apply.click();
  }
  await dialog.waitFor({ state: "detached" });
  page.context().allow = [];
  await until(async () => (await api("admin", "GET", at)).status === "held", "the run is not held again");
  const applied = await api("admin", "GET", `${at}/changes?object=account&state=applied&change=missing,remove&limit=100`);
  same(applied.total, 2, "the accounts that are taken for gone");
  const left = (await api("admin", "GET", `${at}/holds`)).held;
  expect(left > 0 && left < before, `${left} of ${before} are held still`);
  await page.getByRole("heading", { name: `${left.toLocaleString("en")} changes held` }).waitFor();
  await settled(page);
  await seen(page, "the rest is held");
  same(await page.getByRole("button", { name: /^Release \d/ }).count(), 0, "what was chosen is chosen still");

  step("the rest is discarded");
  await page.getByRole("button", { name: "Discard…" }).click();
  const title = dialog.getByRole("heading", { name: `Discard ${left.toLocaleString("en")} changes` });
  await title.waitFor();
  await dialog.getByLabel("Reason").fill("the export was cut short");
  await dialog.getByRole("button", { name: "Discard", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  same((await api("admin", "GET", at)).status, "discarded", "the run in the end");
  same((await api("admin", "GET", `${at}/changes?state=held&limit=1`)).total, 0, "the changes that are held in the end");
  await settled(page);
  same(await page.getByRole("button", { name: "Release…" }).count(), 0, "one can still release");
});

async function until(good, words) {
  for (let i = 0; i < 150; i++) {
    if (await good()) return;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(words);
}
