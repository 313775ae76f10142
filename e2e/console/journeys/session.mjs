// A session that ends over a half-filled form asks for the password above it, and nothing that was typed is lost.
import { enter, expect, focus, go, journey, path, same, seen, settled, step, still, url, watched } from "../lib/house.mjs";

await journey(async ({ open, browser }) => {
  step("a form is half filled");
  const page = await open("second", "/settings/attributes", { allow: [401] });
  await go(page, "/people/new");
  const field = page.locator("main input:not([type=checkbox]):not([type=search]):not([disabled])").first();
  await field.fill("Half of a");
  step("the session ends");
  await page.context().clearCookies();
  await page.route("**/api/v1/**", (route) =>
    /\/auth\/(refresh|login)$/.test(new URL(route.request().url()).pathname)
      ? route.continue()
      : route.fulfill({ status: 401, contentType: "application/problem+json", body: '{"status":401,"code":"invalid_token","detail":"The token has ended."}' }),
  );
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  await page.getByLabel("Manager").pressSequentially("He"); // two refusals, one soon after the other
  const door = page.getByRole("dialog").locator("[name=email]");
  await door.waitFor({ timeout: 40_000 });
  await page.unroute("**/api/v1/**");
  await seen(page, "the session has ended");
  expect(/input/.test(await focus(page)), `the focus is on ${await focus(page)}; want the form by which one signs in`);
  step("what is behind cannot be reached");
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => !document.activeElement?.closest("main, nav.rail")), `Tab leads behind the dialog: ${await focus(page)}`);
  }
  step("while it is lapsed nothing is asked for, and the page stays");
  const asked = [];
  page.on("request", (r) => /\/api\/v1\/(?!auth\/)/.test(r.url()) && asked.push(new URL(r.url()).pathname));
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  await still(page);
  same(asked, [], "what was asked for without a session");
  same(path(page), "/people/new", "the address while the session is lapsed");
  step("signing in again");
  const repeated = page.waitForResponse((r) => /\/identities\?/.test(r.url()) && r.ok());
  await enter(page, "second");
  await door.waitFor({ state: "detached" });
  await repeated;
  await settled(page);
  same(await field.inputValue(), "Half of a", "what was typed");
  same(page.url(), `${url}/people/new`, "the address");

  step("another tab signs out: this one goes to the door");
  const b = await page.context().newPage();
  await b.goto(`${url}/accounts`);
  await b.waitForSelector("nav.rail");
  await b.getByRole("button", { name: "Sign out" }).click();
  await page.waitForSelector("main.signin-page [name=email]");

  step("an address that needs a session leads back to itself, with its search");
  const late = await (await watched(browser, { name: "late" })).newPage();
  await late.goto(`${url}/audit?action=auth.login`);
  await late.waitForSelector("[name=email]");
  await enter(late, "second");
  await late.waitForSelector("nav.rail");
  await settled(late);
  same(late.url(), `${url}/audit?action=auth.login`, "the address");
});
