// seed: own
// A policy is written, in clauses and in words, tried on the people of today, put in force once its effect was seen, and taken away.
import { api, expect, journey, path, same, seen, settled, step } from "../lib/house.mjs";

await journey(async ({ open }) => {
  const page = await open("admin", "/policies", { allow: [409, 422] });
  await seen(page, "policies");
  step("whom it is about");
  await page.getByRole("link", { name: "New policy" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Archive for everybody at work");
  await page.getByRole("button", { name: "Clause", exact: true }).click();
  await page.getByLabel("Clause 1: field").selectOption("kind");
  await page.getByLabel("Clause 1: value").selectOption("human");
  const told = page.locator(".condition-result");
  await told.getByText("kind is human").waitFor();
  step("the same in words, and what cannot be read");
  await page.getByRole("button", { name: "As text" }).click();
  await page.getByLabel("Condition as text").fill("kind is human, and departmnt is Finance");
  await page.getByRole("alert").first().waitFor();
  await seen(page, "a sentence that cannot be read");
  await page.getByLabel("Condition as text").fill("kind is human, and status is active");
  await told.getByText("kind is human, and status is active").waitFor();
  await page.getByRole("button", { name: "Clauses" }).click();
  same(await page.getByLabel("Clause 2: value").inputValue(), "active", "the second clause");

  step("saved without anything to give: it is said where");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".problem-list").waitFor();
  same(await page.getByLabel("Name", { exact: true }).inputValue(), "Archive for everybody at work", "what was typed");
  await seen(page, "a refused policy");

  step("a tag that nothing has is no mistake, and assigns nothing");
  await page.getByLabel("Tags", { exact: true }).fill("SOX, PCI");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText("No one gains or loses access.").first().waitFor();
  await page.getByLabel("Tags", { exact: true }).fill("");

  step("tried before it is saved");
  await page.getByLabel("Entitlements").first().fill("Archive");
  await page.getByRole("option", { name: /Archive/ }).first().click();
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("region", { name: "By department" }).waitFor();
  await seen(page, "what it would do");
  same((await api("admin", "GET", "/policies/access-grant?q=at work")).total, 0, "policies that trying made");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL((at) => /\/policies\/[0-9a-f-]{36}/.test(at.pathname));
  await page.getByText("dry run").first().waitFor();
  const id = path(page).split("/")[2];
  same((await api("admin", "GET", `/policies/access-grant/${id}`)).mode, "shadow", "how it begins");
  await seen(page, "it only watches");

  await enforced(page, id);
  await ended(page, id);

  step("who only reads");
  const auditor = await open("auditor", "/policies");
  await auditor.locator("tbody a").first().click();
  await settled(auditor);
  same(await auditor.locator("main button:not([data-reads])").count(), 0, "what an auditor could change");
  await seen(auditor, "a policy, for an auditor");
});

/** In force only after whom it touches was seen, and confirmed for exactly that. */
async function enforced(page, id) {
  step("what it would do");
  await page.getByRole("button", { name: "Simulate" }).click();
  await page.getByText(/people gain or lose access/).first().waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  expect((await saved).suggestedFilename() === "policy-effect.ndjson", "the file has another name");
  await seen(page, "simulated");

  step("put in force, once it is confirmed");
  await page.getByRole("button", { name: "Activate", exact: true }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByText(/more than 10 %/).waitFor();
  same((await api("admin", "GET", `/policies/access-grant/${id}`)).mode, "shadow", "what it does before it is confirmed");
  await seen(page, "before it is in force");
  const sent = page.waitForRequest((r) => /\/mode\?confirm=/.test(r.url()));
  await dialog.getByRole("button", { name: "Activate", exact: true }).click();
  await sent;
  await page.locator("main").getByText("active", { exact: true }).first().waitFor();
  same((await api("admin", "GET", `/policies/access-grant/${id}`)).mode, "enforce", "what it does");
  await seen(page, "in force");
}

async function ended(page, id) {
  step("switched off, with what that does");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await seen(page, "before it is switched off");
  await page.locator(".dialog").getByRole("button", { name: "Disable" }).click();
  await page.locator("main").getByText("off", { exact: true }).first().waitFor();
  same((await api("admin", "GET", `/policies/access-grant/${id}`)).enabled, false, "whether it is on");
  step("deleted");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.locator(".dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("was deleted.").waitFor();
  same(path(page), "/policies", "where one is then");
  same((await api("admin", "GET", "/policies/access-grant?q=at work")).total, 0, "what is left of it");
}
