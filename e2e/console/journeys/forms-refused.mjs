// When a form is refused, each field says what is wrong with it, once; the summary names the fields and leads to them, and says whole what has none.
import { expect, focused, journey, same, seen, step } from "../lib/house.mjs";

const wrong = (pointer, detail) => ({ pointer, detail, code: "invalid" });
const taken = wrong("#/external_id", "this id is taken");
const address = wrong("#/email", "expected string to be RFC 5322 email");
const inside = wrong("#/attributes/desk", "there is no such attribute");

await journey(async ({ open }) => {
  const page = await open("admin", "/people/new", { allow: [422] });
  const refuse = async (code, detail, errors) => {
    await page.unroute("**/api/v1/identities").catch(() => {});
    await page.route("**/api/v1/identities", (r) =>
      r.request().method() === "POST"
        ? r.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify({ status: 422, code, detail, errors, request_id: "req-1" }) })
        : r.continue(),
    );
    await Promise.all([page.waitForResponse("**/api/v1/identities"), page.getByRole("button", { name: "Add person" }).click()]);
    await page.waitForFunction((n) => document.querySelectorAll("[data-wrong]").length === n, errors.filter((e) => e !== inside).length);
    await page.locator(".problem-list").waitFor();
  };
  const summary = page.locator(".problem-list");
  const alerts = () => page.evaluate(() => document.querySelectorAll("main [role=alert]").length);
  const times = (words) => page.evaluate((words) => document.querySelector("main").innerText.split(words).length - 1, words);

  step("two fields");
  await page.getByLabel("ID", { exact: true }).fill("E1");
  await refuse("validation_failed", "validation failed", [taken, address]);
  expect((await summary.innerText()).startsWith("2 fields need attention: ID, E-mail"), `the summary says ${await summary.innerText()}`);
  same([await times(taken.detail), await times(address.detail)], [1, 1], "how often each is said");
  same(await alerts(), 1, "what is read out at once");
  same(await times("validation failed"), 0, "how often the refusal says nothing");
  await seen(page, "a form refused at two fields");

  step("the summary leads to them");
  await summary.getByRole("button", { name: "E-mail" }).click();
  await focused(page, "input[type=email]", "after the summary");
  same(await page.locator("input[type=email]").getAttribute("aria-invalid"), "true", "whether the field says so");

  step("what has no field is said whole");
  await refuse("validation_failed", "validation failed", [taken, inside]);
  const told = await summary.innerText();
  expect(told.startsWith("1 field needs attention: ID") && told.includes(`Attributes desk: ${inside.detail}`), `the summary says ${told}`);
  same(await alerts(), 1, "what is read out at once");
  await seen(page, "a form refused with something that has no field");

  step("what else the service says is kept");
  await refuse("conflict", "somebody else has added them meanwhile", [taken]);
  expect((await summary.innerText()).startsWith("somebody else has added them meanwhile"), `the summary says ${await summary.innerText()}`);
  await page.setViewportSize({ width: 320, height: 640 });
  await seen(page, "a form refused, narrow");
});
