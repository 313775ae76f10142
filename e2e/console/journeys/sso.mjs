// seed: own
// Somebody signs in with their company's provider, and gets to the page that they asked for; what the provider refuses is said plainly.
import { api, expect, fail, journey, path, same, scene, seen, step, url } from "../lib/house.mjs";
import { provider } from "../lib/provider.mjs";

const begin = (page) => page.getByRole("link", { name: "Sign in with Harbour login" });

await journey(async ({ browser }) => {
  const company = await provider();
  try {
    const made = await api("admin", "POST", "/settings/identity-providers", {
      name: "harbour-login",
      issuer: company.issuer,
      client_id: "grantwright",
      client_secret: "of-the-harbour",
      scopes: ["profile", "email"],
    });
    await story(browser, company);
    await gone(browser, made.id);
  } finally {
    company.close();
  }
});

/** A window in which the provider may be asked: it is somebody else, so the house's own would not have it. */
async function window(browser) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, reducedMotion: "reduce" });
  context.allow = "all";
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("pageerror", (e) => fail(`an error of the page: ${e}`));
  return page;
}

async function story(browser, company) {
  const page = await window(browser);
  step("the provider knows nobody of them");
  await page.goto(`${url}/login?tenant=${scene.tenant}&next=${encodeURIComponent("/requests?q=7")}`);
  await begin(page).click();
  await page.getByText("Your company's identity provider refused the sign-in.").waitFor();
  await seen(page, "refused by the provider");

  step("somebody whom nobody has invited");
  company.who = { sub: "1", email: "nobody-here@elsewhere.example", name: "Nobody Here" };
  await page.getByRole("link", { name: "Back to sign in" }).click();
  same(new URL(page.url()).searchParams.get("next"), "/requests?q=7", "the page that was asked for");
  await page.goto(`${url}/login?tenant=${scene.tenant}&next=${encodeURIComponent("/requests?q=7")}`);
  await begin(page).click();
  await page.getByText("No active person has the e-mail address").waitFor();

  step("a member signs in");
  company.who = { sub: "2", email: scene.users.member.email, name: "Member" };
  await page.goto(`${url}/login?tenant=${scene.tenant}&next=${encodeURIComponent("/requests?q=7")}`);
  await begin(page).click();
  await page.waitForSelector("nav.rail");
  same(path(page), "/requests?q=7", "the page that was asked for");
  await page.reload();
  await page.waitForSelector("nav.rail");

  step("a code works once");
  const other = await window(browser);
  await other.goto(`${url}/signed-in?code=of-somebody-else`);
  await other.getByText("Sign in again.").waitFor();
  expect((await other.locator("nav.rail").count()) === 0, "a made-up code lets somebody in");
  await other.context().close();
  await page.context().close();
}

/** A provider that does not answer is told about on the page, and the password still works. */
async function gone(browser, id) {
  step("the provider does not answer");
  const other = await provider();
  other.close();
  await api("admin", "PATCH", `/settings/identity-providers/${id}`, { issuer: other.issuer, client_secret: "of-the-harbour" });
  const page = await window(browser);
  await page.goto(`${url}/login?tenant=${scene.tenant}`);
  await begin(page).click();
  await page.getByText("cannot be reached").waitFor();
  await seen(page, "a provider that does not answer");
  await page.context().close();
}
