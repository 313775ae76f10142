// seed: own
// A directory is connected through an agent: its own result code is shown, transforms are tried on its records, mappings are taken over, and
// the first sync is followed over two cuts of the line.
import { api, expect, journey, same, scene, seen, settled, step, token } from "../lib/house.mjs";

const { connection, credentials } = scene.systems.connector;
const name = `Branch ${Date.now()}`; // of this run alone
const button = (page, name) => page.getByRole("button", { name });

await journey(async ({ open }) => {
  const page = await open("admin", "/connectors/new?type=ldap", { allow: [422] });
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Provides").selectOption("target");
  await button(page, "Through an agent").click();
  await page.getByLabel("Agent", { exact: true }).selectOption({ label: `${scene.names.agent} (online)` });
  await button(page, "Continue").click();
  await page.waitForURL(/\/connection$/);
  const id = new URL(page.url()).pathname.split("/")[3];
  step("a wrong password");
  await page.getByLabel("Host", { exact: true }).fill(connection.host);
  await page.getByLabel("Port", { exact: true }).fill(String(connection.port));
  await page.getByLabel("Security").selectOption("none");
  await page.getByLabel("Base DN", { exact: true }).fill(connection.base_dn);
  await page.getByLabel("Bind DN").fill(connection.bind_dn);
  await page.getByLabel("Bind password").fill("wrong");
  await button(page, "Test connection").click();
  await page.getByText("Failed", { exact: true }).waitFor();
  const said = await page.getByRole("region", { name: "Response of the target: Bind" }).innerText();
  expect(/LDAP result code 49 \(invalidCredentials\)/.test(said), `the directory's code is not told: ${said}`);
  await seen(page, "a directory refuses");
  await button(page, "Replace").click();
  await page.getByLabel("Bind password").fill(credentials.bind_password);
  await button(page, "Test connection").click();
  await page.getByText("Passed", { exact: true }).waitFor();
  await mends(page);
  await button(page, "Continue").click({ trial: true }); // one can go on a moment after it works
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/discovery/);
  await page.getByRole("table").waitFor();
  await settled(page);
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/mapping/);

  step("a transform and its error");
  const transform = page.getByLabel("Transform of mail, in Python");
  const result = page.getByRole("cell", { name: "Result of mail" });
  await page.waitForFunction(() => document.querySelector("[aria-label='Result of mail']")?.textContent?.includes("@"));
  const columns = () => page.locator("thead th").evaluateAll((all) => all.map((h) => h.offsetWidth));
  const wide = await columns();
  await transform.fill("value.upper(");
  await page.getByText(/was never closed/).waitFor();
  await seen(page, "a transform that is no expression");
  same(await columns(), wide, "the widths of the columns, while a transform is typed");
  expect(await button(page, /with an error$/).isDisabled(), "one can go on with a transform that is none");
  await transform.fill("value.upper()");
  await page.waitForFunction(() => /^[^a-z]+@[^a-z]+$/.test(document.querySelector("[aria-label='Result of mail']")?.textContent ?? ""));
  same(await page.getByText(/was never closed/).count(), 0, "errors that are left");
  step("a field that is filled twice");
  const target = page.getByLabel("Target field of description");
  await target.fill("email");
  await button(page, /mapped twice/).waitFor();
  await target.fill("");
  step("only what needs a decision");
  await button(page, "Only open fields").click();
  expect((await result.count()) === 0, "what is decided is still shown");
  await button(page, "Ignore open fields").click();
  await page.getByText("No open fields").waitFor();
  await button(page, "Undo").click();
  await button(page, /^\d+ open field/).waitFor();
  await button(page, "Ignore open fields").click();
  step("kept, over a reload");
  await page.getByText("Saved. You can leave").waitFor();
  step("what is said of a step goes with it");
  same(await button(page, "Undo").count(), 1, "ways to undo on the step itself");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/sync$/);
  await button(page, "Undo").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await page.waitForURL(/\/mapping/);
  await page.reload();
  await page.getByText(/mapped · 0 open/).waitFor();
  const kept = (await api("admin", "GET", `/connectors/${id}/mappings`)).mappings.find((m) => m.object === "account" && m.source_path === "mail");
  same([kept.target_field, kept.transform], ["email", "value.upper()"], "what the service keeps of the transform");

  step("the same in another environment");
  await another(await open("admin", `/connectors/new?type=ldap`));

  await firstSync(page, id);
});

/** A port that is mended asks for no password that was typed on this page; after a reload it is asked for, beside the button that tests. */
async function mends(page) {
  const port = page.getByLabel("Port", { exact: true });
  const test = page.getByRole("region", { name: "Connection test" });
  step("a port is mended, and the password need not be typed again");
  await port.fill("1");
  await button(page, "Test connection").click();
  await page.getByText("Failed", { exact: true }).waitFor();
  await port.fill(String(connection.port));
  await button(page, "Test connection").click();
  await page.getByText("Passed", { exact: true }).waitFor();
  step("after a reload it has to be, and it is asked for beside the button that tests");
  await page.reload();
  await port.fill("1");
  await button(page, "Test connection").click();
  await test.getByText(/Give them again, or release the stored ones/).waitFor();
  await page.getByText("Enter this secret again.").waitFor();
  await test.getByRole("button", { name: "Bind password" }).click();
  await page.waitForFunction(() => document.activeElement?.matches("input[type=password]"));
  await seen(page, "a secret is asked for again");
  await port.fill(String(connection.port));
  await page.getByLabel("Bind password").fill(credentials.bind_password);
  await button(page, "Test connection").click();
  await page.getByText("Passed", { exact: true }).waitFor();
  await button(page, "Replace").click();
  await page.waitForFunction(() => document.activeElement?.matches("input[type=password]"));
  await page.reload();
}

/** Another connector of the type is made like this one, and takes its mappings over. */
async function another(page) {
  const made = await api("admin", "POST", "/connectors", { name: `${name}, tried`, environment: "test", ...scene.systems.connector, mode: "agent", agent_id: scene.ids.agent });
  await api("admin", "POST", `/connectors/${made.id}/test`);
  await api("admin", "POST", `/connectors/${made.id}/discover`);
  await page.goto(new URL(`/connectors/new/${made.id}/mapping`, page.url()).href);
  await button(page, "Copy from another instance").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("From").selectOption({ label: await dialog.getByRole("option", { name: `${name} (` }).innerText() });
  await seen(page, "what would be taken over");
  await dialog.getByRole("button", { name: /^Copy \d+ mappings/ }).click();
  await page.getByLabel("Transform of mail, in Python").waitFor();
  await page.waitForFunction(() => document.querySelector("[aria-label='Transform of mail, in Python']")?.value === "value.upper()");
  expect((await page.getByText("Copied", { exact: true }).count()) > 0, "nothing says that mappings were copied");
  await page.context().close();
}

/** The stream ends after its first event, is refused the second time, and then goes on from where it was. */
async function firstSync(page, id) {
  await button(page, "Continue").click();
  await page.waitForURL(/\/sync$/);
  await seen(page, "before the first sync");
  const asked = [];
  await page.route(/\/sync-runs\/[^/]+\/events$/, async (route) => {
    asked.push(route.request().headers()["last-event-id"] ?? "");
    if (asked.length === 1) return route.fulfill({ status: 200, contentType: "text/event-stream", body: await firstEvent(id) });
    if (asked.length === 2) return route.abort();
    return route.continue();
  });
  step("the first sync, cut twice");
  await button(page, "Run the first sync").click();
  await page.getByText("is connected").waitFor();
  expect(asked.length >= 3, `the stream was asked for ${asked.length} times`);
  expect(asked[1] !== "" && asked[2] === asked[1], `it was taken up from ${JSON.stringify(asked)}`);
  const run = (await api("admin", "GET", `/connectors/${id}/sync-runs`)).items[0];
  same(await page.locator(".wizard-counts dd").nth(1).innerText().then((t) => t.trim()), run.counters.accounts_discovered.toLocaleString("en"), "accounts that were counted");
  expect(run.counters.accounts_discovered > 0, "no accounts were read");
  await seen(page, "after the first sync");
  const funnel = await api("admin", "GET", "/connectors/funnel");
  same(funnel.per_connector.find((c) => c.id === id)?.state, "connected", "the funnel");
  await page.getByText(/^No schedule yet/).waitFor();
  step("taken up again when it is over");
  await page.reload();
  await page.getByText("is connected").waitFor();
}

/** What the stream of a run tells first, as the service sends it. */
async function firstEvent(id) {
  const run = (await api("admin", "GET", `/connectors/${id}/sync-runs`)).items[0].id;
  const stop = new AbortController();
  const answer = await fetch(`${scene.url}/api/v1/connectors/${id}/sync-runs/${run}/events`, { headers: { Authorization: `Bearer ${await token("admin")}` }, signal: stop.signal });
  let text = "";
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (/\n\n/.test(text.replaceAll(/^:.*\n\n/gm, ""))) break;
  }
  stop.abort();
  const events = text.split("\n\n").filter((e) => e.startsWith("event:"));
  return `${events[0].replace(/^event: .*/, "event: sync.progress")}\n\n`;
}
