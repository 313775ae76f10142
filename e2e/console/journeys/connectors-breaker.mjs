// when: long
// seed: own
// A system refuses change after change: the breaker opens, is seen, and closed when the system is mended; what waited goes on.
import { createServer } from "node:http";
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";

let mended = false;
const accounts = [];
const target = createServer((ask, answer) => {
  const say = (status, body) => {
    answer.writeHead(status, { "Content-Type": "application/json" });
    answer.end(JSON.stringify(body));
  };
  const { pathname, searchParams } = new URL(ask.url, "http://target");
  if (ask.method === "GET" && pathname === "/users") return say(200, accounts.filter((a) => !searchParams.has("login") || a.login === searchParams.get("login")));
  if (ask.method === "GET") {
    const one = accounts.find((a) => pathname === `/users/${a.id}`);
    return one ? say(200, one) : say(404, {});
  }
  let text = "";
  ask.on("data", (part) => (text += part));
  ask.on("end", () => {
    if (!mended) return say(422, { error: "no seats are left" });
    accounts.push({ id: String(accounts.length + 1), enabled: true, ...JSON.parse(text) });
    return say(201, accounts.at(-1));
  });
});
await new Promise((ready) => target.listen(0, "127.0.0.1", ready));

await journey(async ({ open }) => {
  const id = await connected();
  const at = `/connectors/${id}/provisioning`;
  const page = await open("admin", `/connectors/${id}/settings?section=writing`);
  await settled(page);

  step("it opens after two failures");
  await page.getByLabel("Opens after failures in a row").fill("2");
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await until(async () => (await api("admin", "GET", at)).breaker.max_failures === 2, "the breaker is not set");
  const people = (await api("admin", "GET", "/identities?status=active&limit=3")).items;
  for (const [i, p] of people.entries()) {
    if (i === 2) await until(async () => (await api("admin", "GET", at)).breaker_state.open, "the breaker stays closed");
    await api("admin", "POST", "/accounts", { connector_id: id, identity_id: p.id });
  }
  await page.reload();
  const note = page.locator("main .note").filter({ hasText: "The breaker has been open" });
  await note.waitFor();
  await seen(page, "breaker open");

  step("the tasks that wait");
  await note.getByRole("link", { name: "Look at the tasks" }).click();
  await page.waitForURL(/provisioning\?/);
  await settled(page);
  await seen(page, "tasks that wait for the breaker");
  await page.goBack();

  step("it is closed, and they go on");
  mended = true;
  await note.getByRole("button", { name: "Close the breaker" }).click();
  await note.waitFor({ state: "detached" });
  expect(!(await api("admin", "GET", at)).breaker_state.open, "the breaker is open still");
  await until(() => accounts.length > 0, "what waited does not go on");
  await seen(page, "breaker closed");

  step("an auditor sees it, and has no button");
  const auditor = await open("auditor", `/connectors/${id}/settings?section=writing`);
  await settled(auditor);
  same(await auditor.getByRole("button", { name: "Close the breaker" }).count(), 0, "an auditor could close the breaker");
});
target.closeAllConnections();
target.close();

async function connected() {
  const { id } = await api("admin", "POST", "/connectors", {
    name: "Seats",
    business_id: `seats-${Date.now()}`,
    type: "rest",
    mode: "hosted",
    purpose: "target",
    environment: "test",
    connection: {
      base_url: `http://127.0.0.1:${target.address().port}`,
      auth_method: "none",
      streams: [{ name: "users", object: "account", request: { path: "/users" }, record_selector: "$[*]", key_path: "id", fields: { username: "login", email: "mail", is_disabled: "!enabled" } }],
      writes: {
        stream: "users",
        reads: { account: { path: "/users/{{target.remote_id}}" }, find: { path: "/users", query: { login: "{{target.username}}" }, record_path: "$[*]" } },
        ops: { "account.create": { path: "/users", id_path: "$.id", body: { login: "{{account.username}}", mail: "{{account.email}}", enabled: "{{account.enabled}}" } } },
      },
    },
  });
  const { run_id } = await api("admin", "POST", `/connectors/${id}/sync`, { incremental: false });
  await until(async () => (await api("admin", "GET", `/connectors/${id}/sync-runs/${run_id}`)).status === "succeeded", "the system cannot be read");
  await api("admin", "PUT", `/connectors/${id}/provisioning`, { write_mode: "auto" });
  return id;
}

async function until(good, words) {
  for (let i = 0; i < 200; i++) {
    if (await good()) return;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(words);
}
