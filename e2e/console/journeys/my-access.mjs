// An employee has their own access and a navigation that fits; lists select a range by Shift, and leavers' accounts are disabled together.
import { expect, journey, same, seen, settled, step, url } from "../lib/house.mjs";

await journey(async ({ open }) => {
  step("an employee's navigation and own access");
  const page = await open("member", "/my-access");
  await page.getByRole("heading", { name: "My access", level: 1 }).waitFor();
  await settled(page);
  const ways = await page.locator("nav.rail .ways a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  same(ways.sort(), ["/", "/inbox", "/my-access", "/requests", "/settings"], "where the navigation leads");
  expect((await page.getByRole("region", { name: "My access" }).locator("tbody tr").count()) > 0, "no access is listed");
  expect((await page.getByRole("region", { name: "My accounts" }).locator("tbody tr").count()) > 0, "no account is listed");
  const access = await page.getByRole("region", { name: "My access" }).innerText();
  expect(!/In: another group/.test(access), "a group that brings access is not named");
  expect(!/unmanaged/.test(access), "what the first import found is shown as a finding");
  await page.getByRole("button", { name: /^Return/ }).first().click();
  await seen(page, "giving access back");
  await page.keyboard.press("Escape");

  step("what an employee does not see is not called empty");
  await page.goto(`${url}/access?q=`);
  await settled(page);
  expect(!/first sync|administrator connects/.test(await page.locator("main").innerText()), "the product is said to be empty");

  step("Shift and a click select a range");
  const admin = await open("admin", "/accounts");
  const boxes = admin.getByRole("checkbox", { name: /^Select row/ });
  await boxes.nth(0).click();
  await boxes.nth(3).click({ modifiers: ["Shift"] });
  await admin.getByText("4 selected").waitFor();
  await admin.getByRole("checkbox", { name: "Select all on this page" }).click();
  await admin.getByText(`${await boxes.count()} selected`).waitFor();

  step("several accounts are disabled together, once that is confirmed");
  await admin.getByRole("toolbar").getByRole("button", { name: "Disable", exact: true }).click();
  await admin.getByRole("dialog", { name: /^Disable \d+ accounts/ }).waitFor();
  await seen(admin, "disabling several accounts");
});
