// seed: own
// A policy says what people must have who hold access. Who would lack it is previewed; in force, they are listed, and one of them is exempted until a date.
import { until } from "../lib/desk.mjs";
import { holder, named } from "../lib/duties.mjs";
import { api, expect, journey, same, seen, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const { person, both } = await holder();
  const name = named("Vault rules");
  const training = named("Vault safety");

  step("a policy that requires a training");
  const page = await open("admin", "/policies/new", { allow: [409, 422] });
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Effect", { exact: true }).selectOption("require");
  await page.getByLabel("Entitlements", { exact: true }).first().fill(both[0].name);
  await page.getByRole("option", { name: both[0].name }).first().click();
  await button(page, "Save").click();
  await page.getByText(/name what people must have/).first().waitFor();
  await page.getByLabel("Training", { exact: true }).fill(training);
  await seen(page, "a policy about requirements");
  await button(page, "Preview").click();
  await page.getByText(/people lack something that they must have/).first().waitFor();
  await button(page, "Save").click();
  await page.waitForURL((at) => /\/policies\/[0-9a-f-]{36}/.test(at.pathname));
  await page.getByText(`the training ${training}`).first().waitFor();
  await page.getByText("No one lacks anything").first().waitFor();
  const id = new URL(page.url()).pathname.split("/")[2];
  const gap = async () => (await api("admin", "GET", `/policies/requirement-gaps?policy_id=${id}&identity_id=${person.id}`)).items[0];

  step("in force, those who lack it are listed");
  await button(page, "Activate").click();
  await button(page.locator(".dialog"), "Activate").click();
  await until(async () => (await gap())?.state === "open", "the gap is not found");
  await page.reload();
  const row = page.getByRole("region", { name: "Requirement gaps" }).getByRole("row").filter({ hasText: person.name });
  await row.getByText(training).waitFor();
  await row.getByText("Open", { exact: true }).waitFor();
  await seen(page, "requirement gaps of a policy");

  step("the task says who lacks what, and takes no exemption without a date");
  const task = async (state) => (await api("admin", "GET", `/decision-tasks?kind=requirement_gap&assigned=all&state=${state}&limit=200`)).items.find((t) => t.title.includes(training));
  await until(() => task("open"), "nobody is asked about the gap");
  await page.goto(new URL("/inbox?kind=requirement_gap&assigned=all", page.url()).href);
  await page.getByText(`${person.name} lacks ${training}`).first().click();
  await page.getByRole("heading", { level: 3, name: "Facts" }).waitFor();
  expect((await page.locator(".inbox-detail").innerText()).includes(name), "the task does not name the policy");
  await seen(page, "the task of a requirement gap");
  await page.getByRole("button", { name: /^Exempt until/ }).first().click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Reason", { exact: true }).fill("The next course is in autumn.");
  const act = button(dialog, "Exempt until");
  expect(await act.isDisabled(), "an exemption without an end can be sent");
  await dialog.getByLabel("Exempt until", { exact: true }).fill("2091-12-31");
  await seen(page, "an exemption");
  await act.click();
  await dialog.waitFor({ state: "detached" });
  await until(async () => (await gap()).state === "exempted", "the person is not exempted");
  same((await gap()).exemption.reason, "The next course is in autumn.", "the reason of the exemption");

  step("the list of gaps says until when");
  await page.goto(new URL(`/policies/${id}`, page.url()).href);
  await row.getByText(/exempted until/).waitFor();
  await seen(page, "an exempted person");
});
