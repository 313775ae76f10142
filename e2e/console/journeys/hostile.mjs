// seed: own
// What systems and people call things is shown as text, whatever it is: no script runs, nothing is taken for HTML, and the layout holds.
import { createServer } from "node:http";
import { accessible, api, expect, fail, fits, go, journey, picture, scene, settled, step } from "../lib/house.mjs";

const long = "W".repeat(10_000);
const names = [
  "<script>window.hacked=1</script>",
  '"><img src=x onerror=window.hacked=1>',
  "\u202Eereht olleh\u202C مرحبا بالعالم שלום",
  "👩‍👩‍👧‍👦🏳️‍🌈 Z̷̧͝a̵̛l̴̛g̸o̶",
  "javascript:window.hacked=1",
  "{{7*7}} ${7*7} %2e%2e%2f __proto__",
];

await journey(async ({ open }) => {
  step("people, roles, systems and more are called what nobody is called");
  const made = await make();
  const page = await open("admin", "/", { allow: [404] });
  await page.addInitScript(() => {
    window.hacked = 0;
  });
  const addresses = [
    "/", "/inbox", "/inbox?group=person", "/requests", "/people", `/people?q=${encodeURIComponent(names[0])}`, "/people?sort=-display_name", ...[0, 2, 6].map((i) => `/people/${made.people[i]}`),
    `/people/${made.people[6]}/history`, `/people/${made.people[0]}/access`, `/people/compare?a=${made.people[0]}&b=${made.people[1]}`, "/accounts?sort=username", `/accounts?connector_id=${scene.ids.apps}`, ...made.accounts.map((id) => `/accounts/${id}`),
    "/access", `/access?connector_id=${scene.ids.apps}`, ...made.entitlements.map((id) => `/access/${id}`), "/access/request", "/connectors", ...made.connectors.map((id) => `/connectors/${id}`),
    `/connectors/${made.broken}/runs`, `/connectors/${made.broken}/runs/${made.run}`, "/provisioning", "/roles", ...[1, 6].map((i) => `/roles/${made.roles[i]}`), "/policies", ...made.policies.map((id) => `/policies/${id}`),
    "/audit", "/settings/approval-rules", "/settings/webhooks", `/settings/webhooks/${made.webhook}`, "/settings/tokens", "/settings/agents", "/settings/users",
    `/people/${encodeURIComponent(names[0])}`, `/no/${encodeURIComponent(names[1])}`, `/connectors?q=${encodeURIComponent(names[1])}`, `/connectors?sort=${encodeURIComponent(names[1])}&page=-1`,
  ];
  for (const address of [...new Set(addresses)]) {
    step(address.slice(0, 90));
    page.context().allow = /^\/(people\/%|no\/)|sort=%/.test(address) ? [400, 404, 422] : [];
    await go(page, address);
    await whole(page, address.slice(0, 60));
    await page.setViewportSize({ width: 320, height: 700 });
    await settled(page);
    await fits(page, `${address.slice(0, 60)} at 320 px`);
    await page.setViewportSize({ width: 1360, height: 860 });
  }
  step("they are shown as they are");
  await go(page, `/people/${made.people[0]}`);
  const title = await page.locator("main h1").innerText();
  expect(title.includes(names[0]), `a person called ${names[0]} is shown as ${title}`);
  await go(page, `/roles/${made.roles[1]}`);
  expect((await page.locator("main h1").innerText()).includes(names[1]), `a role called ${names[1]} is shown as ${await page.locator("main h1").innerText()}`);
  step("what a system answers is shown word for word");
  await go(page, `/connectors/${made.broken}/runs/${made.run}`);
  await page.getByText("Response of the system").click();
  expect((await page.locator("main").innerText()).includes("<script>window.hacked=1</script>"), "the answer of the system is not shown");
  await whole(page, "the answer of a system");
  step("the palette");
  await page.keyboard.press("Control+k");
  await page.locator("[role=dialog] input").first().fill("window.hacked");
  await page.locator("[role=dialog]").getByText(/ found$|^No results/).first().waitFor({ state: "attached" });
  await settled(page);
  await whole(page, "the palette");
});

/** Nothing ran, nothing was taken for HTML, nothing runs out of the window. */
async function whole(page, name) {
  const is = await page.evaluate(() => ({
    ran: window.hacked,
    taken: document.querySelectorAll("main script, main img[src=x], main [onerror], [role=dialog] img[src=x]").length,
    link: [...document.querySelectorAll("a[href]")].filter((a) => /^javascript:/i.test(a.getAttribute("href"))).length,
    tall: [...document.querySelectorAll("main h1, main tbody:not([aria-hidden]) tr")].filter((e) => e.getBoundingClientRect().height > 320).length,
  }));
  if (is.ran) fail(`${name}: a script of a name ran`);
  if (is.taken) fail(`${name}: a name was taken for HTML`);
  if (is.link) fail(`${name}: a name became a link that runs`);
  if (is.tall) fail(`${name}: ${is.tall} rows or titles are higher than 320 px; long names are clipped`);
  await fits(page, name);
  await accessible(page, name, ["duplicate-id-aria", "aria-valid-attr-value", "label", "button-name", "link-name"]);
  await picture(page, `hostile ${name}`);
}

/** Makes one of each with every name; what is too long for the service is cut to what it takes. */
async function make() {
  const create = async (path, body) => (await api("admin", "POST", path, body)).id;
  const people = [];
  const roles = [];
  for (const [i, name] of [...names, long].entries()) {
    people.push(await longest(name, (n) => create("/identities", { external_id: `H-${i}`, email: `h${i}@${scene.tenant}.example`, display_name: n, first_name: n, last_name: n, title: n, department: n })));
    roles.push(await longest(name, (n) => create("/entitlements/roles", { name: n, description: n, lifecycle: i % 2 ? "draft" : "active", entitlement_ids: [] })));
  }
  const connectors = [];
  for (const name of [names[0], names[2], long]) connectors.push(await longest(name, (n) => create("/connectors", { name: n, type: "ldap", draft: true })));
  const policies = [await longest(long, (n) => create("/policies/access-grant", { name: n, description: names[1], mode: "shadow", subject: { match: "all", rules: [{ field: "department", op: "eq", value: names[0] }] }, resources: { connector_ids: [scene.ids.apps] } }))];
  const receiver = new URL((await api("admin", "GET", `/settings/webhooks/${scene.ids.webhook}`)).url).origin; // an address that may be called
  const webhook = await longest(long, (n) => create("/settings/webhooks", { name: n, url: `${receiver}/${encodeURIComponent(names[0])}`, events: ["identity.created"], enabled: false }));
  await longest(names[1], (n) => create("/settings/api-tokens", { name: n, role: "auditor", scopes: ["identities:read"] }));
  const { accounts, entitlements } = await applications();
  return { people, roles, connectors, policies, webhook, accounts, entitlements, ...(await answers()) };
}

/** Tries a name, and where the service finds it too long a shorter one. */
async function longest(name, make) {
  for (let n = [...name].length; n > 20; n = Math.floor(n / 2)) {
    try {
      return await make([...name].slice(0, n).join(""));
    } catch (e) {
      if (!/answers 422/.test(e.message) || n <= 40) throw e;
    }
  }
  throw new Error(`no part of ${name.slice(0, 40)} is taken`);
}

/** Users and groups of an application are called so, and it is read. */
async function applications() {
  const { connection, credentials } = scene.systems.apps;
  const scim = async (path, body) => {
    const answer = await fetch(connection.base_url + path, { method: "POST", headers: { Authorization: `Bearer ${credentials.bearer_token}`, "Content-Type": "application/scim+json" }, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answers ${answer.status} ${await answer.text()}`);
    return (await answer.json()).id;
  };
  for (const [i, name] of [...names, long].entries()) {
    const user = await scim("/Users", { schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"], userName: `${name.slice(0, 200)}${i}`, displayName: name, active: true, emails: [{ value: `h${i}@${scene.tenant}.example`, primary: true }] });
    await scim("/Groups", { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: name, members: [{ value: user }] });
  }
  await run(scene.ids.apps);
  const of = async (path) => (await api("admin", "GET", `${path}?connector_id=${scene.ids.apps}&limit=500&q=${encodeURIComponent("hacked")}`)).items.map((i) => i.id);
  const accounts = await of("/accounts");
  const entitlements = await of("/entitlements");
  expect(accounts.length > 0 && entitlements.length > 0, `of what was made in the application there are ${accounts.length} accounts and ${entitlements.length} entitlements`);
  return { accounts: accounts.slice(0, 2), entitlements: entitlements.slice(0, 2) };
}

/** A system that answers every request with a page full of scripts. */
async function answers() {
  const server = createServer((_, answer) => answer.writeHead(500, { "Content-Type": "text/html" }).end(`<html><script>window.hacked=1</script><img src=x onerror=window.hacked=1>${long}</html>`));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const broken = (
    await api("admin", "POST", "/connectors", {
      name: "Broken <b>system</b>", type: "rest", purpose: "source", credentials: { bearer_token: "of-the-broken-s3cret" },
      connection: { base_url: `http://127.0.0.1:${server.address().port}`, auth_method: "bearer", probe_path: "people", streams: [{ name: "people", object: "identity", key_path: "id", request: { path: "people" } }] },
    })
  ).id;
  return { broken, run: await run(broken) };
}

/** Reads a system and waits for the end, whatever it is. */
async function run(connector) {
  const { run_id } = await api("admin", "POST", `/connectors/${connector}/sync`, {});
  for (let i = 0; i < 600; i++) {
    const { status } = await api("admin", "GET", `/connectors/${connector}/sync-runs/${run_id}`);
    if (/^(succeeded|partial|failed|cancelled|held)/.test(status)) return run_id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the run does not end");
}
