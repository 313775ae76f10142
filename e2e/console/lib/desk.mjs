// A system of a journey's own: accounts and groups over REST, which the service reads and writes, and which remembers what it was told.
import { createServer } from "node:http";
import { api } from "./people.mjs";

/** Starts one. users and groups are what it holds, to be looked at and changed; refuses(method, path) may answer an error. */
export async function desk(users, groups = []) {
  const it = { users, groups, told: [], refuses: () => undefined };
  const server = createServer((ask, answer) => {
    let text = "";
    ask.on("data", (part) => (text += part));
    ask.on("end", () => {
      const [status, body] = answered(it, ask.method, new URL(ask.url, "http://desk"), text ? JSON.parse(text) : undefined);
      answer.writeHead(status, { "Content-Type": "application/json" });
      answer.end(JSON.stringify(body));
    });
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  server.unref(); // a journey that fails ends all the same
  return Object.assign(it, { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() });
}

function answered(it, method, { pathname, searchParams }, body) {
  if (method !== "GET") it.told.push(`${method} ${pathname} ${JSON.stringify(body ?? null)}`);
  const error = it.refuses(method, pathname);
  if (error) return [422, { error }];
  const [, kind, id] = pathname.split("/");
  if (kind === "members") return member(it, method, id, searchParams, body);
  if (kind === "groups") return [200, it.groups];
  if (method === "POST") return [201, it.users[it.users.push({ id: String(it.users.length + 1), enabled: true, ...body }) - 1]];
  if (!id) return [200, it.users.filter((u) => !searchParams.has("login") || u.login === searchParams.get("login"))];
  const one = it.users.find((u) => u.id === id);
  if (!one) return [404, {}];
  if (method === "DELETE") it.users.splice(it.users.indexOf(one), 1);
  if (method === "PATCH") Object.assign(one, body);
  return [200, one];
}

/** Memberships are records of their own, called GROUP-USER. */
function member(it, method, id, query, body) {
  const [g, u] = method === "GET" ? [query.get("group"), query.get("user")] : method === "POST" ? [body.group, body.user] : id.split("-");
  const group = it.groups.find((x) => x.id === g);
  if (method === "DELETE") group.members = group.members.filter((m) => m !== u);
  if (method === "POST") group.members.push(u);
  return [200, group?.members.includes(u) ? [{ id: `${g}-${u}` }] : []];
}

const user = "/users/{{target.remote_id}}";
const patch = (body) => ({ method: "PATCH", path: user, body });
const writes = {
  stream: "users",
  reads: {
    account: { path: user },
    find: { path: "/users", query: { login: "{{target.username}}" }, record_path: "$[*]" },
    membership: { path: "/members", query: { group: "{{entitlement.remote_id}}", user: "{{target.remote_id}}" }, record_path: "$[*]" },
  },
  ops: {
    "account.create": { path: "/users", id_path: "$.id", body: { login: "{{account.username}}", mail: "{{account.email}}", enabled: "{{account.enabled}}" } },
    "account.update": patch({ mail: "{{account.email}}", name: "{{account.display_name}}" }),
    "account.rename": patch({ login: "{{account.username}}" }),
    "account.enable": patch({ enabled: true }),
    "account.disable": patch({ enabled: false }),
    "account.unlock": patch({ locked: false }),
    "account.reset_password": patch({ pass: "{{credential.password}}" }),
    "account.delete": { method: "DELETE", path: user },
    "entitlement.grant": { path: "/members", body: { group: "{{entitlement.remote_id}}", user: "{{target.remote_id}}" } },
    "entitlement.revoke": { method: "DELETE", path: "/members/{{reads.membership.id}}" },
  },
};
const fields = { username: "login", email: "mail", display_name: "name", is_disabled: "!enabled", is_locked: "locked", owner: "owner" };
const explode = [
  { path: "members", as: "grant" },
  { path: "nested", as: "grant", principal: "entitlement" },
];

/** Connects it, reads it, and lets it be written to; settings are those of provisioning. It answers the connector's id. */
export async function connected(it, settings = {}) {
  const { id } = await api("admin", "POST", "/connectors", {
    name: "Lending desk",
    business_id: `desk-${Date.now()}`,
    type: "rest",
    mode: "hosted",
    purpose: "target",
    environment: "test",
    connection: {
      base_url: it.url,
      auth_method: "none",
      streams: [
        { name: "users", object: "account", request: { path: "/users" }, record_selector: "$[*]", key_path: "id", fields },
        { name: "groups", object: "entitlement", request: { path: "/groups" }, record_selector: "$[*]", key_path: "id", entitlement_kind: "group", explode },
      ],
      writes,
    },
  });
  await read(id);
  await api("admin", "PUT", `/connectors/${id}/provisioning`, { write_mode: "auto", ...settings });
  return id;
}

/** Reads the system of a connector wholly. */
export async function read(id) {
  const { run_id } = await api("admin", "POST", `/connectors/${id}/sync`, { incremental: false });
  await until(async () => (await api("admin", "GET", `/connectors/${id}/sync-runs/${run_id}`)).status === "succeeded", "the system cannot be read");
}

/** Waits until something holds, and fails with words otherwise. */
export async function until(good, words) {
  for (let i = 0; i < 300; i++) {
    if (await good()) return;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(words);
}
