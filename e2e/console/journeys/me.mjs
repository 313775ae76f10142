// seed: own
// Somebody looks after their own sign-in: a password, a second factor with its recovery codes, and where they are signed in.
import { code, expect, journey, same, scene, seen, settled, step, url, watched } from "../lib/house.mjs";

const next = "seven geese before breakfast";

await journey(async ({ browser, open }) => {
  const page = await open("member", "/settings/me", { allow: [401, 422] });
  const { email, password } = scene.users.member;
  await seen(page, "you and this browser");

  step("the look is chosen, and kept");
  await page.getByLabel("Dark", { exact: true }).check();
  await page.getByLabel("Compact", { exact: true }).check();
  await page.reload();
  await settled(page);
  same(await page.evaluate(() => `${document.documentElement.dataset.theme} ${document.documentElement.dataset.density}`), "dark compact", "the look");
  await page.getByLabel("Light", { exact: true }).check();

  step("single letters can be switched off");
  await page.getByLabel("Single-key shortcuts").uncheck();
  await page.locator("h1").focus();
  await page.keyboard.press("?");
  same(await page.getByRole("dialog").count(), 0, "dialogs by a letter that is off");
  await page.getByLabel("Single-key shortcuts").check();

  step("a wrong password is said, a right one changes it");
  await page.getByLabel("Current password").fill("not this one at all");
  await page.getByLabel("New password").fill(next);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("The current password is wrong.").waitFor();
  same(await page.getByLabel("New password").inputValue(), next, "what was typed");
  await page.getByLabel("Current password").fill(password);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Password changed.").waitFor();
  same(await page.getByLabel("New password").inputValue(), "", "what is left in the page");

  step("a second factor is set up");
  await page.getByRole("button", { name: "Set up" }).click();
  await page.locator(".dialog").getByLabel("Password").fill(next);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("img", { name: /QR code/ }).waitFor();
  await seen(page, "a second factor begins");
  const key = (await page.locator(".dialog code").first().innerText()).replaceAll(" ", "");
  await page.getByLabel("Code from the app").fill(code(key));
  await page.getByRole("button", { name: "Confirm" }).click();
  const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await codes.first().waitFor();
  same(await codes.count(), 10, "recovery codes");
  const recovery = await codes.first().innerText();
  await seen(page, "recovery codes, once");
  await page.keyboard.press("Escape");
  expect(await codes.first().isVisible(), "Escape closes what is shown once");
  await page.getByLabel("I have saved the codes").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("10 recovery codes are left").waitFor();

  step("a recovery code signs in, and ends another session from there");
  const context = await watched(browser, { name: "another browser", allow: [401] });
  const other = await context.newPage();
  await other.goto(`${url}/login?next=/settings/me`);
  await other.fill("[name=email]", email);
  await other.fill("[name=password]", next);
  await other.keyboard.press("Enter");
  await other.waitForSelector("[name=otp]");
  await other.getByRole("button", { name: "Use a recovery code" }).click();
  await other.getByLabel("Recovery code").fill(recovery);
  await seen(other, "a recovery code");
  await other.keyboard.press("Enter");
  await other.getByText("9 recovery codes are left").waitFor();
  await other.getByRole("button", { name: /^End session/ }).first().click();
  await other.getByText("Session ended.").waitFor();
  await context.close();
});
