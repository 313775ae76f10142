// seed: own
// A system refuses change after change: every overview shows that writes stopped, and writes are resumed where it is seen.
import { connected, desk, until } from "../lib/desk.mjs";
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";

const target = await desk([]);
target.refuses = (method) => method === "POST" && "no seats are left";

await journey(async ({ open }) => {
  const id = await connected(target);
  const at = `/connectors/${id}/provisioning`;
  const page = await open("admin", `/connectors/${id}/settings?section=writing`);
  await settled(page);

  step("it opens after two failures");
  await page.getByLabel("Open after consecutive failures").fill("2");
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await until(async () => (await api("admin", "GET", at)).breaker.max_failures === 2, "the breaker is not set");
  const people = (await api("admin", "GET", "/identities?status=active&limit=3")).items;
  for (const [i, p] of people.entries()) {
    if (i === 2) await until(async () => (await api("admin", "GET", at)).breaker_state.open, "the breaker stays closed");
    await api("admin", "POST", "/accounts", { connector_id: id, identity_id: p.id });
  }
  await page.reload();
  const note = page.locator("main .note").filter({ hasText: "Writes stopped" });
  await note.waitFor();
  expect(await page.locator("main .badge", { hasText: "writes stopped" }).isVisible(), "the head of the connector shows it as healthy");
  await seen(page, "breaker open");

  step("the tasks that wait");
  await note.getByRole("link", { name: "Show tasks" }).click();
  await page.waitForURL(/provisioning\?/);
  await settled(page);
  await seen(page, "tasks that wait for the breaker");
  await page.goBack();

  step("the dashboard and the list of connectors show it");
  const over = await open("admin", "/");
  await over.getByRole("heading", { name: "Findings" }).waitFor();
  await over.getByRole("link", { name: /Resume writes/ }).click();
  await settled(over);
  const listed = over.getByRole("region", { name: "Connectors" });
  expect((await listed.innerText()).includes("writes stopped"), "the list of connectors shows it as healthy");
  expect(await listed.getByRole("button", { name: /^Resume writes of/ }).isVisible(), "the list does not resume writes");
  await seen(over, "list of stopped connectors");
  await over.context().close();

  step("tasks that failed for one cause are one group, which is retried at once");
  const tasks = await open("admin", "/provisioning");
  const group = tasks.getByRole("listitem").filter({ hasText: "no seats are left" });
  await group.waitFor();
  await tasks.getByRole("region", { name: "State of writing" }).getByRole("link", { name: /stopped for 1 system/ }).waitFor();
  await seen(tasks, "groups of failed tasks");
  await group.getByRole("button", { name: /Retry/ }).click();
  await group.waitFor({ state: "detached" });
  await tasks.context().close();

  step("writes are resumed, and the tasks are sent");
  target.refuses = () => undefined;
  await note.getByRole("button", { name: "Resume writes" }).click();
  await note.waitFor({ state: "detached" });
  expect(!(await api("admin", "GET", at)).breaker_state.open, "the circuit breaker is still open");
  await until(() => target.users.length > 0, "what waited does not go on");
  await seen(page, "breaker closed");

  step("an auditor sees it, and has no button");
  const auditor = await open("auditor", `/connectors/${id}/settings?section=writing`);
  await settled(auditor);
  same(await auditor.getByRole("button", { name: "Resume writes" }).count(), 0, "an auditor could close the breaker");
});
target.close();
