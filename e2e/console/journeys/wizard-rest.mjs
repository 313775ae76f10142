// seed: own
// An HR system of REST is connected through an agent like one that is there, and its first sync is left and seen again.
import { api, expect, go, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const { connection, credentials } = scene.systems.hr;
const button = (page, name) => page.getByRole("button", { name });

await journey(async ({ open }) => {
  const page = await open("admin", "/connectors/new?type=rest", { allow: [422] });
  step("like one that is there");
  await page.getByLabel("Copy from a connector (optional)").selectOption({ index: 1 });
  await page.getByLabel("Name", { exact: true }).fill(`HR of the branch ${Date.now()}`);
  await page.getByLabel("Provides").selectOption("source");
  await button(page, "Through an agent").click();
  await page.getByLabel("Agent", { exact: true }).selectOption({ label: `${scene.names.agent} (online)` });
  await button(page, "Continue").click();
  await page.waitForURL(/\/connection$/);
  const id = new URL(page.url()).pathname.split("/")[3];

  step("a setting that is no JSON");
  const streams = page.getByLabel("Streams");
  await streams.fill("[{");
  await page.getByLabel("Base URL").focus();
  await page.getByText(/This is not valid JSON/).waitFor();
  await seen(page, "a setting that is no JSON");
  await streams.fill(JSON.stringify(connection.streams));
  await page.getByLabel("Base URL").fill(connection.base_url);
  await page.getByLabel("Authentication").selectOption(connection.auth_method);
  await page.getByLabel("Name of the key").fill(connection.api_key_name);
  await page.getByLabel("API key", { exact: true }).fill("not-the-key");
  await page.getByLabel("Path to test").fill(connection.probe_path);
  await button(page, "Test connection").click();
  await page.getByText("Failed", { exact: true }).waitFor();
  const said = await page.getByRole("region", { name: /^Response of the target/ }).last().innerText();
  expect(/HTTP 40[13]/.test(said), `the status line is not told: ${said}`);
  await button(page, "Replace").click();
  await page.getByLabel("API key", { exact: true }).fill(credentials.api_key);
  await button(page, "Test connection").click();
  await page.getByText("Passed", { exact: true }).waitFor();
  same((await page.content()).includes(credentials.api_key), false, "that the key stands in the page");
  await button(page, "Continue").click();
  await page.waitForURL(/\/discovery/);
  await page.getByRole("table").waitFor();
  await settled(page);
  await button(page, "Continue").click();
  await page.waitForURL(/\/mapping/);
  step("a field of one's own");
  await page.getByLabel("Target field of departmentId").fill("attributes.unit");
  await page.waitForFunction(() => (document.querySelector("[aria-label='Result of departmentId']")?.textContent ?? "–") !== "–");
  const rest = button(page, "Ignore open fields");
  if (await rest.isEnabled()) await rest.click();
  await seen(page, "all is decided");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/sync$/);
  await button(page, "Run the first sync").waitFor();
  step("writing is asked for, and off without a choice");
  same(await page.getByLabel("Writing", { exact: true }).inputValue(), "off", "what is chosen");
  step("left while it runs");
  await page.keyboard.press("Control+Enter");
  await page.getByText("You can leave this page. The sync continues.").or(page.getByText("is connected")).waitFor();
  await go(page, "/connectors/new");
  await go(page, `/connectors/new/${id}/sync`);
  await page.getByText(/is connected|waits for a decision/).waitFor();
  await page.getByText("Writing is off").waitFor();
  same((await api("admin", "GET", `/connectors/${id}/provisioning`)).write_mode, "off", "whether the system is written to");
  await seen(page, "seen again");
  const run = (await api("admin", "GET", `/connectors/${id}/sync-runs`)).items[0];
  same(await page.locator(".wizard-counts dd").first().innerText().then((t) => t.trim()), run.counters.identities_read.toLocaleString("en"), "people that were counted");
});
