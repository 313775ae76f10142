// when: long
// seed: own
// An address that the service may not call is told at its field, and no more once something else is typed.
import { expect, journey, same, seen, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name });

await journey(async ({ open }) => {
  const page = await open("admin", "/connectors/new");
  step("an address of a network that is closed");
  await page.getByLabel("SCIM 2.0").check();
  await page.getByLabel("Name", { exact: true }).fill("Behind the wall");
  await page.getByLabel("Provides").selectOption("target");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/connection$/);
  const address = page.locator(".field").filter({ has: page.getByLabel("Base URL") });
  const wrong = address.locator("[data-wrong]");
  await page.getByLabel("Base URL").fill("https://192.0.2.1/scim");
  await page.getByLabel("Bearer token").fill("a-token");
  await button(page, "Test connection").click();
  await page.getByText("Failed", { exact: true }).waitFor();
  await wrong.waitFor();
  expect(/192\.0\.2\.1.*not allowed/.test(await wrong.innerText()), `it does not say what is closed: ${await wrong.innerText()}`);
  same(await page.getByLabel("Base URL").getAttribute("aria-invalid"), "true", "what a screen reader is told of the field");
  await seen(page, "an address that is closed");

  step("typing another takes the refusal away");
  await page.getByLabel("Base URL").fill("https://scim.example.com/scim");
  await wrong.waitFor({ state: "detached" });
});
