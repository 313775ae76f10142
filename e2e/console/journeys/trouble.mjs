// When the service is away, slow, overloaded or broken, the console says so plainly, keeps what was typed, and goes on by itself or by a click.
import { expect, go, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const api = "**/api/v1/**";
const problem = (status, code, detail, headers = {}) => (route) =>
  route.fulfill({ status, headers: { "X-Request-Id": "01a2-request", ...headers }, contentType: "application/problem+json", body: JSON.stringify({ status, code, detail, title: code, request_id: "01a2-request" }) });
const people = (route) => new URL(route.request().url()).pathname.endsWith("/identities");

await journey(async ({ open }) => {
  const page = await open("admin", "/", { allow: "all" });

  for (const [what, answer, words] of [
    ["away", (route) => route.abort("connectionrefused"), /cannot be reached/],
    ["overloaded", problem(503, "unavailable", "The service is starting again; try in a moment.", { "Retry-After": "1" }), /starting again/],
    ["broken", problem(500, "internal", "Something went wrong on our side."), /Something went wrong on our side/],
    ["speaking nonsense", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }), /returned status 502/],
    ["asking for patience", problem(429, "rate_limited", "Too many requests; wait a second.", { "Retry-After": "1" }), /Too many requests/],
  ]) {
    step(`the service is ${what}`);
    await page.route("**/api/v1/identities**", (route) => (people(route) ? answer(route) : route.continue()));
    await go(page, "/people");
    await page.getByText(words).first().waitFor({ timeout: 20_000 });
    await seen(page, `the service is ${what}`);
    if (what === "broken") expect((await page.locator("main").innerText()).includes("01a2-request"), "the id of the request is not shown");
    await page.unroute("**/api/v1/identities**");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.waitForSelector("tbody tr");
    await go(page, "/settings");
    await page.evaluate(() => window.history.replaceState(null, "", location.pathname));
    await forget(page);
  }

  step("the service is slow: what will be there is drawn at once");
  const slow = opening();
  await page.route(api, async (route) => {
    await slow.promise;
    await route.continue().catch(() => {});
  });
  await go(page, "/people", { settle: false });
  await page.waitForSelector("[aria-busy=true]");
  slow.resolve();
  await page.unroute(api);
  await page.waitForSelector("tbody tr");
  await settled(page);

  step("a save that does not arrive leaves the form as it was");
  await go(page, `/people/new`);
  const typed = await fill(page);
  await page.route(api, (route) => (route.request().method() === "GET" ? route.continue() : route.abort("connectionrefused")));
  await page.locator("main form button[type=submit]").last().click();
  await page.getByText(/cannot be reached/).first().waitFor();
  await seen(page, "a save that does not arrive");
  same(await filled(page), typed, "what stands in the form");
  await page.unroute(api);

  step("nor does one that is refused");
  const keys = [];
  await page.route(api, async (route) => {
    if (route.request().method() === "GET") return route.continue();
    keys.push(route.request().headers()["idempotency-key"]);
    return keys.length === 1 ? problem(503, "unavailable", "The service is starting again.")(route) : route.continue();
  });
  await page.locator("main form button[type=submit]").last().click();
  await page.getByText("The service is starting again.").first().waitFor();
  same(await filled(page), typed, "what stands in the form");
  step("the same again, by the same key");
  await page.locator("main form button[type=submit]").last().click();
  await page.waitForURL((u) => !u.pathname.endsWith("/people/new"));
  expect(keys.length === 2 && keys[0] && keys[0] === keys[1], `the keys are ${keys}`);
  await page.unroute(api);
  await settled(page);

  step("without a network the page says so, and when it is back that goes away");
  await page.context().setOffline(true);
  await page.getByText("You are offline").waitFor();
  await page.context().setOffline(false);
  await page.getByText("You are offline").waitFor({ state: "detached" });
  expect(scene.url !== "", "nowhere");
});

/** Loads the page anew, so that nothing is remembered of what was read. */
async function forget(page) {
  await page.reload();
  await page.waitForSelector("nav.rail");
  await settled(page);
}

/** Fills the form by which a person is added, and gives what stands in it. */
async function fill(page) {
  const mark = Date.now();
  for (const [label, value] of [["ID", `T-${mark}`], ["E-mail", `t${mark}@main.example`], ["First name", "Trudy"], ["Last name", "Trouble"]])
    await page.getByLabel(label, { exact: true }).fill(value);
  return filled(page);
}

/** What stands in a form, field by field. */
function filled(page) {
  return page.locator("main form").locator("input, textarea, select").evaluateAll((all) => all.map((e) => (e.type === "checkbox" ? e.checked : e.value)));
}

/** A gate that stays closed until it is resolved. */
function opening() {
  const gate = {};
  gate.promise = new Promise((resolve) => Object.assign(gate, { resolve }));
  return gate;
}
