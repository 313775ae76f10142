// when: long
// seed: own
// A role for a time: given from a day until a day, refused at the day that cannot be, its end moved where it is another day, and taken away.
import { api, expect, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const id = scene.ids.role;
const who = scene.users.member;
const button = (at, words) => at.getByRole("button", { name: words, exact: true });
const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const member = async () => (await api("admin", "GET", `/entitlements/roles/${id}/members?limit=100`)).items.find((m) => m.identity_id === who.identity_id);

await journey(async ({ open }) => {
  // West of Greenwich the evening of a day is the next day of UTC.
  const page = await open("admin", `/roles/${id}/members`, { allow: [409, 422], timezoneId: "America/New_York" });
  await settled(page);
  const dialog = page.locator(".dialog");
  const field = (label) => dialog.locator(".field", { has: page.getByLabel(label, { exact: true }) });
  const change = async (words) => {
    await page.getByRole("button", { name: `Actions for ${who.name}` }).click();
    await page.getByRole("menuitem", { name: words }).click();
    await dialog.waitFor();
  };

  step("an end before the beginning is refused at its day");
  await button(page, "Assign").click();
  await dialog.getByRole("combobox", { name: "Person" }).fill(who.name);
  await page.getByRole("option", { name: who.name }).first().click();
  await dialog.getByLabel("Reason").fill("Covers the summer.");
  await dialog.getByLabel("Start").fill(day(20));
  await dialog.getByLabel("End", { exact: true }).fill(day(10));
  await button(dialog, "Assign").click();
  await field("End").locator("[data-wrong]").waitFor();
  same(await dialog.getByLabel("Reason").inputValue(), "Covers the summer.", "the reason after a refusal");
  await seen(page, "a role with an end that cannot be");

  step("it is given until a day");
  await dialog.getByLabel("Start").fill("");
  await dialog.getByLabel("End", { exact: true }).fill(day(30));
  await button(dialog, "Assign").click();
  await dialog.waitFor({ state: "detached" });
  const ends = new Date((await member()).until);
  same(ends.toLocaleString("sv-SE", { timeZone: "America/New_York" }), `${day(30)} 23:59:59`, "when it ends");
  await page.getByRole("link", { name: who.name }).waitFor();
  await seen(page, "a role that somebody has for a time");

  step("the end is moved from the day that it was");
  await change("Change end date…");
  same(await dialog.getByLabel("End", { exact: true }).inputValue(), day(30), "the day as it is shown again");
  await dialog.getByLabel("End", { exact: true }).fill(day(-3));
  await button(dialog, "Save").click();
  await field("End").locator("[data-wrong]").waitFor();
  await seen(page, "an end that cannot be moved there");
  await dialog.getByLabel("End", { exact: true }).fill(day(60));
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  same(new Date((await member()).until).toLocaleDateString("sv-SE", { timeZone: "America/New_York" }), day(60), "the end after it was moved");

  step("no end date");
  await change("Remove…");
  await dialog.getByLabel("Reason").fill("Summer is over.");
  await seen(page, "before a role is taken away");
  await button(dialog, "Remove").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: who.name }).waitFor({ state: "detached" });
  expect((await member()) === undefined, "they have it still");
});
