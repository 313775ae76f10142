// seed: own
// Access that a policy no longer gives stays until somebody decides: the task says what it is, and keeps it until a date.
import { until } from "../lib/desk.mjs";
import { named } from "../lib/duties.mjs";
import { api, expect, journey, same, scene, seen, step } from "../lib/house.mjs";

const button = (at, name) => at.getByRole("button", { name, exact: true });
const merge = { "Content-Type": "application/merge-patch+json" };

await journey(async ({ open }) => {
  const name = named("Night desk");
  const centre = named("night");
  const person = { id: scene.users.member.identity_id, name: scene.users.member.name };
  const vault = (await api("admin", "GET", "/entitlements?limit=500")).items.find((e) => e.name === "Vault");
  await api("admin", "PATCH", `/identities/${person.id}`, { cost_center: centre }, merge);

  step("a policy whose access is reviewed before it ends");
  const page = await open("admin", "/policies/new", { allow: [409, 422] });
  await page.getByLabel("Name", { exact: true }).fill(name);
  await button(page, "As text").click();
  await page.getByLabel("Condition as text").fill(`cost center is "${centre}"`);
  await page.getByLabel("Entitlements", { exact: true }).first().fill("Vault");
  await page.getByRole("option", { name: "Vault" }).first().click();
  await page.getByLabel("If a person no longer matches", { exact: true }).selectOption("review");
  await seen(page, "a policy with reviews");
  await button(page, "Save").click();
  await page.waitForURL((at) => /\/policies\/[0-9a-f-]{36}/.test(at.pathname));
  const id = new URL(page.url()).pathname.split("/")[2];
  await button(page, "Activate").click();
  await button(page.locator(".dialog"), "Activate").click();
  const reason = async () =>
    (await api("admin", "GET", `/identities/${person.id}/grants?limit=200`)).items
      .filter((g) => g.entitlement_id === vault.id)
      .flatMap((g) => g.reasons ?? [])
      .find((r) => r.source_id === id || r.source?.id === id);
  await until(reason, "the policy does not give its access");

  step("the person moves: the access stays, and somebody is asked");
  await api("admin", "PATCH", `/identities/${person.id}`, { cost_center: named("day") }, merge);
  const words = `${person.name} no longer meets ${name}`;
  const asked = async () => (await api("admin", "GET", "/decision-tasks?kind=lifecycle_exception&assigned=all&limit=200")).items.find((t) => t.title === words);
  await until(asked, "nobody is asked about the access");
  expect(await reason(), "the access ends before the decision");
  await page.goto(new URL("/inbox?kind=lifecycle_exception&assigned=all", page.url()).href);
  await page.getByText(words).first().click();
  await page.getByRole("heading", { level: 3, name: "Facts" }).waitFor();
  expect((await page.locator(".inbox-detail").innerText()).includes("Vault"), "the task does not name the access");
  await seen(page, "the review of access");

  step("it is kept until a date");
  await page.getByRole("button", { name: /^Keep until/ }).first().click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Reason", { exact: true }).fill("Hands over until the end of the year.");
  await dialog.getByLabel("Keep until", { exact: true }).fill("2091-12-31");
  await button(dialog, "Keep until").click();
  await dialog.waitFor({ state: "detached" });
  await until(async () => !(await asked()) && (await reason()).until, "the access has no end");
  same((await reason()).until, "2092-01-01T00:00:00Z", "the end of the access");
});
