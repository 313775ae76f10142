// Who signs in comes to where they wanted to go, and nobody else does.
import { code, enter, expect, focused, journey, same, scene, seen, settled, signIn, step, url, watched } from "../lib/house.mjs";

const deep = "/people?q=an&status=active";

await journey(async ({ browser }) => {
  const context = await watched(browser, { name: "signing in" });
  const page = await context.newPage();
  step("a link into the console");
  await page.goto(url + deep);
  await page.waitForSelector("[name=email]");
  await seen(page, "sign in");
  step("a wrong password");
  await enter(page, "admin", { password: "not the password" });
  await page.waitForSelector("[role=alert]");
  await seen(page, "wrong password");
  same(await page.inputValue("[name=email]"), scene.users.admin.email, "the address that was typed");
  step("the right one");
  await enter(page, "admin");
  await page.waitForSelector("tbody tr");
  same(page.url(), url + deep, "the address after signing in");
  await focused(page, "h1", "on a new page");
  step("a reload");
  await page.reload();
  await page.waitForSelector("tbody tr");
  same(page.url(), url + deep, "the address after a reload");
  const kept = await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(!/eyJ/.test(kept), "a token lies where scripts can read it");
  const [cookie] = (await context.cookies()).filter((c) => c.httpOnly);
  expect(cookie?.sameSite === "Strict" && cookie.path.endsWith("/api/v1/auth"), `the session's cookie is ${JSON.stringify({ ...cookie, value: "" })}`);
  await context.close();

  await elsewhere(browser);
  await twoTabs(browser);
  await locked(browser);
  await second(browser);
});

/** next leads into the console, whatever it says. */
async function elsewhere(browser) {
  for (const next of ["//elsewhere.example", "/\\elsewhere.example", "javascript:alert(1)"]) {
    step(`next=${next}`);
    const context = await watched(browser, { name: "next" });
    const page = await context.newPage();
    await page.goto(`${url}/login?next=${encodeURIComponent(next)}`);
    await page.waitForSelector("[name=email]");
    await enter(page, "auditor");
    await page.waitForSelector("nav.rail");
    await settled(page);
    expect(page.url().startsWith(`${url}/`), `it led to ${page.url()}`);
    await context.close();
  }
}

/** Two tabs refresh at once, and sign out together. */
async function twoTabs(browser) {
  step("two tabs");
  const context = await watched(browser, { name: "two tabs" });
  const a = await context.newPage();
  await signIn(a, "second", "/accounts");
  const b = await context.newPage();
  await b.goto(`${url}/people`);
  await b.waitForSelector("tbody tr");
  for (let i = 0; i < 3; i++) {
    await Promise.all([a.reload(), b.reload()]);
    await Promise.all([a.waitForSelector("tbody tr"), b.waitForSelector("tbody tr")]);
  }
  step("signing out in one of two tabs");
  await a.getByRole("button", { name: "Sign out" }).click();
  await Promise.all([a.waitForSelector("[name=email]"), b.waitForSelector("[name=email]")]);
  await a.goto(`${url}/people`);
  await a.waitForSelector("[name=email]");
  await context.close();
}

/** After five wrong passwords the right one has to wait. */
async function locked(browser) {
  const context = await watched(browser, { name: "locked out", allow: [429] });
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  for (let i = 1; i <= 5; i++) {
    step(`wrong password ${i}`);
    const answer = page.waitForResponse((r) => r.url().endsWith("/auth/login"));
    await enter(page, "locked", { password: `wrong ${i}` });
    await answer;
    await page.waitForSelector("button[type=submit]:not([disabled])");
  }
  step("the right password after five wrong ones");
  await enter(page, "locked");
  await page.waitForFunction(() => /again|wait|minute|locked/i.test(document.querySelector("[role=alert]")?.textContent ?? ""));
  expect((await page.locator("nav.rail").count()) === 0, "the lockout lets somebody in");
  await seen(page, "locked out");
  await context.close();
}

/** Who has a second factor is asked for it. */
async function second(browser) {
  const context = await watched(browser, { name: "second factor" });
  const page = await context.newPage();
  await page.goto(`${url}/login?next=/people`);
  const { totp } = scene.users.careful;
  step("a second factor is asked for");
  await enter(page, "careful", { totp: "" });
  await page.waitForSelector("[name=otp]");
  await seen(page, "second factor");
  step("a wrong code");
  await page.fill("[name=otp]", "000000");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[role=alert]");
  expect((await page.inputValue("[name=password]")) !== "", "the password has to be typed again");
  step("the right code");
  await page.fill("[name=otp]", code(totp));
  await page.keyboard.press("Enter");
  await page.waitForSelector("tbody tr");
  same(page.url(), `${url}/people`, "the address after the second factor");
  await context.close();
}
