// when: long
// seed: own
// A system refuses change after change: the breaker opens, is seen, and closed when the system is mended; what waited goes on.
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
  await page.getByLabel("Opens after failures in a row").fill("2");
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await until(async () => (await api("admin", "GET", at)).breaker.max_failures === 2, "the breaker is not set");
  const people = (await api("admin", "GET", "/identities?status=active&limit=3")).items;
  for (const [i, p] of people.entries()) {
    if (i === 2) await until(async () => (await api("admin", "GET", at)).breaker_state.open, "the breaker stays closed");
    await api("admin", "POST", "/accounts", { connector_id: id, identity_id: p.id });
  }
  await page.reload();
  const note = page.locator("main .note").filter({ hasText: "The breaker opened" });
  await note.waitFor();
  await seen(page, "breaker open");

  step("the tasks that wait");
  await note.getByRole("link", { name: "Look at the tasks" }).click();
  await page.waitForURL(/provisioning\?/);
  await settled(page);
  await seen(page, "tasks that wait for the breaker");
  await page.goBack();

  step("it is closed, and they go on");
  target.refuses = () => undefined;
  await note.getByRole("button", { name: "Close the breaker" }).click();
  await note.waitFor({ state: "detached" });
  expect(!(await api("admin", "GET", at)).breaker_state.open, "the breaker is open still");
  await until(() => target.users.length > 0, "what waited does not go on");
  await seen(page, "breaker closed");

  step("an auditor sees it, and has no button");
  const auditor = await open("auditor", `/connectors/${id}/settings?section=writing`);
  await settled(auditor);
  same(await auditor.getByRole("button", { name: "Close the breaker" }).count(), 0, "an auditor could close the breaker");
});
target.close();
