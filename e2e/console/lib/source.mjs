// A source of a journey's own: people over REST, as it has them at the moment, and a connector that reads it.
import { createServer } from "node:http";
import { api } from "./people.mjs";
import { until } from "./desk.mjs";

/** Starts one. says(path) gives its status and body; without an answer from it the source hangs. */
export async function source(says) {
  const server = createServer((ask, answer) => {
    const said = says(new URL(ask.url, "http://source").pathname);
    if (!said) return;
    answer.writeHead(said.status ?? 200, { "Content-Type": "application/json" });
    answer.end(JSON.stringify(said.body));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  server.unref(); // a journey that fails ends all the same
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}

/** A connector of it that has been mapped and not been read yet; more are members of the connector. It answers the connector's id. */
export async function mapped(url, name, { path = "/people", ...more } = {}) {
  const { id } = await api("admin", "POST", "/connectors", {
    name,
    business_id: `${name.toLowerCase().replaceAll(" ", "-")}-${Date.now()}`,
    type: "rest",
    mode: "hosted",
    purpose: "source",
    environment: "test",
    connection: {
      base_url: url,
      auth_method: "none",
      streams: [{ name: "people", object: "identity", request: { path }, record_selector: "data", key_path: "id" }],
    },
    ...more,
  });
  await api("admin", "POST", `/connectors/${id}/discover`, {});
  await api("admin", "POST", `/connectors/${id}/wizard/accept-mappings`);
  return id;
}

/** Reads the source of a connector wholly. */
export async function read(id) {
  const { run_id } = await api("admin", "POST", `/connectors/${id}/sync`, { incremental: false });
  const status = async () => (await api("admin", "GET", `/connectors/${id}/sync-runs/${run_id}`)).status;
  await until(async () => ["succeeded", "partial"].includes(await status()), "the source cannot be read");
}
