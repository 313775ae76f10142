// The list of systems and one of them: what fails by, what is set, and what is only for administrators.
import { api, expect, go, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const { apps, failing, paused } = scene.ids;

await journey(async ({ open }) => {
  const page = await open("admin", "/connectors");
  step("the list");
  await seen(page, "connectors");
  const strip = page.getByRole("row").filter({ hasText: scene.names.failing }).getByRole("img");
  expect(/failed/.test((await strip.getAttribute("aria-label")) ?? ""), "the strip of runs does not say that one failed");
  const held = page.getByRole("row").filter({ hasText: scene.names.connector }).getByRole("link", { name: "run held" });
  same(await held.getAttribute("href"), `/connectors/${scene.ids.connector}/runs/${scene.ids.heldRun}`, "where the mark of a held run leads");
  same(await page.getByRole("link", { name: "run held" }).count(), 1, "the connectors with a held run");
  const draft = page.getByRole("link", { name: scene.names.draft });
  expect(/\/connectors\/new\/[^/]+\/\w+$/.test((await draft.getAttribute("href")) ?? ""), "a draft does not lead to the wizard");
  await page.getByRole("button", { name: "Drafts" }).click();
  await settled(page);
  expect(page.url().includes("status=draft"), "the view does not stand in the address");
  same(await page.locator("tbody tr").count(), (await api("admin", "GET", "/connectors?status=draft")).total, "the drafts");

  step("one that fails says so first, word for word");
  await go(page, `/connectors/${failing}`);
  expect((await page.locator("main .note").first().innerText()).includes("503"), "the answer of the system does not stand on top");
  await seen(page, "connector failing");

  step("settings");
  for (const section of ["about", "connection", "schedule", "safety", "correlation", "writing", "more"]) {
    await go(page, `/connectors/${apps}/settings?section=${section}`);
    await seen(page, `connector settings ${section}`);
  }
  await schedule(page);
  await pause(page);

  step("an auditor reads and changes nothing");
  const auditor = await open("auditor", `/connectors/${apps}/settings?section=safety`);
  await settled(auditor);
  expect((await auditor.getByRole("button", { name: "Save" }).count()) === 0, "an auditor could save");
  expect((await auditor.getByRole("button", { name: "Sync now" }).count()) === 0, "an auditor could start a run");
});

/** A schedule that cannot be is told at its field, and what was typed stays. */
async function schedule(page) {
  step("a schedule");
  page.context().allow = [422];
  await go(page, `/connectors/${apps}/settings?section=schedule`);
  await page.getByRole("combobox", { name: "Full sync" }).fill("61 * * * *");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".field [data-wrong]").waitFor();
  same(await page.getByRole("combobox", { name: "Full sync" }).inputValue(), "61 * * * *", "what was typed");
  page.context().allow = [];
  await page.getByRole("combobox", { name: "Full sync" }).fill("0 2 * * *");
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  step("what was typed is there after a look at another part");
  await page.getByRole("link", { name: "Safety limits" }).click();
  await page.waitForURL(/section=safety/);
  await settled(page);
  await page.getByRole("link", { name: "Schedule" }).click();
  await page.waitForURL(/section=schedule/);
  same(await page.getByRole("combobox", { name: "Full sync" }).inputValue(), "0 2 * * *", "what was typed before the look");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/02:00/).first().waitFor();
  same((await api("admin", "GET", `/connectors/${apps}/schedule`)).full_cron, "0 2 * * *", "the saved schedule");
  await api("admin", "PUT", `/connectors/${apps}/schedule`, { full_cron: null });
}

async function pause(page) {
  step("resume, and pause again");
  await go(page, `/connectors/${paused}`);
  const was = (await api("admin", "GET", `/connectors/${paused}`)).status_reason ?? "kept";
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Sync now" }).waitFor();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Pause…" }).click();
  await page.locator(".dialog").getByLabel("Reason").fill(was);
  await seen(page, "pause");
  await page.locator(".dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  same((await api("admin", "GET", `/connectors/${paused}`)).status, "paused", "the connector");
}
