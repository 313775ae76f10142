// when: long
// A change that a system refuses is seen with the system's own words, and goes well when it is sent again.
import { createServer } from "node:http";
import { api, expect, focused, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

let open = false; // whether the system takes new accounts
const accounts = [{ id: "1", login: "first", mail: "first@made.test", enabled: true }];
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
    if (!open) return say(422, { error: "the desk is closed until Monday" });
    accounts.push({ id: String(accounts.length + 1), enabled: true, ...JSON.parse(text) });
    return say(201, accounts.at(-1));
  });
});
await new Promise((ready) => target.listen(0, "127.0.0.1", ready));

await journey(async ({ open: enter }) => {
  const id = await connected();
  const order = await api("admin", "POST", "/accounts", { connector_id: id, identity_id: scene.ids.person });
  const at = `/accounts/provisioning-tasks/${order.task_id ?? order.id}`;
  await until(async () => (await api("admin", "GET", at)).state === "failed", "the change does not fail");

  step("the failed changes");
  const page = await enter("admin", "/provisioning?state=failed");
  await seen(page, "provisioning failed");
  await page.locator("tbody").getByRole("link", { name: "Make an account" }).first().click();
  const drawer = page.locator(".dialog");
  await drawer.getByText(/closed until Monday/).first().waitFor();
  expect(page.url().includes("task="), "the open change does not stand in the address");
  await seen(page, "provisioning task");
  expect((await drawer.innerText()).includes("POST http"), "the exact request is not shown");

  step("the drawer by its address, and back");
  await page.reload();
  await drawer.getByText(/closed until Monday/).first().waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  expect(!page.url().includes("task="), "the closed change stands in the address");
  await page.locator("tbody").getByRole("link", { name: "Make an account" }).first().click();
  await focused(page, ".dialog *, .dialog", "in the drawer");

  step("the system takes it now");
  open = true;
  await drawer.getByRole("button", { name: "Retry now" }).click();
  await until(async () => (await api("admin", "GET", at)).state === "done", "the change is not done");
  await drawer.getByText("done", { exact: true }).first().waitFor();
  await settled(page);
  same(accounts.length, 2, "accounts of the system");
  await seen(page, "provisioning done");
  await page.keyboard.press("Escape");

  step("all changes are stopped, and sent again");
  await page.getByRole("button", { name: "Stop all changes…" }).click();
  await drawer.getByLabel("Reason").fill("a trial");
  await drawer.getByRole("button", { name: "Stop them" }).click();
  await page.getByText("No change is sent").waitFor();
  await seen(page, "provisioning stopped");
  await page.getByRole("button", { name: "Send changes again…" }).click();
  await drawer.getByRole("button", { name: "Send them" }).click();
  await page.getByText("Changes are sent", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Accounts that differ" }).click();
  await seen(page, "drifted accounts");
  await api("admin", "DELETE", `/connectors/${id}`);
});
target.close();

/** A connector that may write to the system. */
async function connected() {
  const { id } = await api("admin", "POST", "/connectors", {
    name: "Front desk",
    business_id: `desk-${Date.now()}`,
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
  for (let i = 0; i < 150; i++) {
    if (await good()) return;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(words);
}
