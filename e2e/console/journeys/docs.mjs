// The API's documents: whoever comes to them signs in first, what is tried out there is asked for in their name, and nobody sees the token.
import { accessible, enter, expect, fits, journey, same, scene, step, still, url, watched } from "../lib/house.mjs";

const asked = (page, path) => page.waitForResponse((r) => new URL(r.url()).pathname.endsWith(path));

await journey(async ({ browser }) => {
  const context = await watched(browser, { name: "the documents", allow: [401] });
  const page = await context.newPage();
  page.setDefaultTimeout(90_000); // the viewers draw 260 operations

  step("a browser without a session");
  const answer = await page.goto(`${url}/docs`);
  same(answer.status(), 401, "the answer without a token");
  expect(/^Bearer/.test(answer.headers()["www-authenticate"] ?? ""), "it does not say that a token is needed");
  expect((answer.headers()["content-type"] ?? "").startsWith("text/html"), "a browser gets no page");
  await page.waitForSelector("[name=email]");
  same(page.url(), `${url}/login?next=%2Fdocs`, "where it leads");

  step("signing in leads back");
  await enter(page, "admin");
  await page.waitForSelector(".opblock-tag");
  same(page.url(), `${url}/docs`, "where the sign-in leads");
  expect((await page.locator(".opblock-tag").count()) > 10, "Swagger UI shows few groups");

  step("Execute");
  const me = await unfolded(page);
  await execute(page, me);
  expect((await me.locator(".live-responses-table").innerText()).includes(scene.users.admin.email), "the answer is not about who is signed in");
  const sample = await me.locator(".curl-command").innerText();
  expect(sample.includes("Authorization: Bearer YOUR_TOKEN"), `the sample of curl is ${sample}`);
  await hidden(page);

  step("a token that has lapsed is renewed");
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 20 * 60_000;
  });
  const [renewed] = await Promise.all([asked(page, "/auth/refresh"), execute(page, me)]);
  same(renewed.status(), 200, "the renewal");
  await hidden(page);

  step("it can be read, light and dark");
  await accessible(page, "Swagger UI", ["color-contrast"]);
  await page.evaluate(() => localStorage.setItem("look", JSON.stringify({ theme: "dark" })));
  await page.goto(`${url}/help`); // the fragment of an operation's address makes Swagger UI warn of its own future
  await page.goto(`${url}/docs`);
  await unfolded(page);
  expect(await page.evaluate(() => document.documentElement.classList.contains("dark-mode")), "what was chosen in the console does not hold here");
  await accessible(page, "Swagger UI, dark", ["color-contrast"]);
  await page.setViewportSize({ width: 320, height: 700 });
  await fits(page, "Swagger UI at 320 px");
  await page.setViewportSize({ width: 1360, height: 860 });

  step("the description is saved as it is");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  same(file.suggestedFilename(), "openapi.json", "the name of the file");

  await second(context, page);
});

/** The operation that tells who is asking, unfolded. A reload may have unfolded it by the address already. */
async function unfolded(page) {
  await page.waitForSelector(".opblock-tag");
  const me = page.locator("#operations-auth-get_auth_me");
  if (!(await me.isVisible())) await page.locator("#operations-tag-auth").click();
  if (!(await me.locator("button.execute").isVisible())) await me.locator(".opblock-summary-control").click();
  await me.locator("button.execute").waitFor();
  return me;
}

/** Tries an operation out and waits for what the page shows of the answer. */
async function execute(page, operation) {
  const [answered] = await Promise.all([asked(page, "/auth/me"), operation.locator("button.execute").click()]);
  same(answered.status(), 200, "the answer to Execute");
  await operation.locator(".live-responses-table .response-col_status").nth(1).waitFor();
  await still(page); // it is drawn in several steps
}

/** No token stands on the page, or lies where a script of another day can read it. */
async function hidden(page) {
  expect(!/eyJ[\w-]{8}/.test(await page.content()), "a token stands on the page");
  const kept = await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(!/eyJ/.test(kept), "a token lies where scripts can read it");
}

/** The second viewer, the way back to the console, and the end of the session. */
async function second(context, page) {
  step("ReDoc");
  await page.click('.bar a[href="/redoc"]');
  await page.waitForSelector('[data-section-id^="tag/"]');
  same(page.url(), `${url}/redoc`, "where the link leads");

  step("the console, and the user's documentation");
  same(await page.getAttribute(".bar nav a:last-child", "href"), "/help", "where the documentation is");
  await page.click(".bar .brand");
  await page.waitForSelector("nav.rail");

  step("whoever signs out is out here too");
  const other = await context.newPage();
  await other.goto(`${url}/docs`);
  await other.waitForSelector(".opblock-tag");
  await page.evaluate(() => new BroadcastChannel("grantwright-session").postMessage("out"));
  await context.clearCookies();
  await other.waitForURL(/\/login\?next=%2Fdocs/);
}
