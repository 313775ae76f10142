// when: long
// A first sync is cancelled while it goes on, nothing of it is kept, and it is started again from where the wizard stands.
import { api, expect, go, journey, same, seen, settled, step } from "../lib/house.mjs";
import { mapped, source } from "../lib/source.mjs";

let hangs = false; // until the run is cancelled
const ledger = await source(() => !hangs && { body: { data: [{ id: "1", mail: "one@first.test", given: "Ann", family: "First" }] } });

await journey(async ({ open }) => {
  const id = await mapped(ledger.url, "First ledger");
  await api("admin", "POST", `/connectors/${id}/test`, {});
  const page = await open("admin", `/connectors/new/${id}/sync`);
  const runs = async () => (await api("admin", "GET", `/connectors/${id}/sync-runs`)).items.map((r) => r.status).join();

  step("begun");
  hangs = true;
  await page.getByRole("button", { name: "Run the first sync" }).click();
  const cancel = page.getByRole("button", { name: "Cancel sync" });
  await cancel.waitFor();
  await page.getByText("running", { exact: true }).first().waitFor();

  step("kept going, when the question is taken back");
  await cancel.click();
  await page.getByRole("dialog").waitFor();
  await seen(page, "cancelling a first sync");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  same(await runs(), "running", "the run");

  step("cancelled");
  await cancel.click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel sync" }).click();
  const again = page.getByRole("button", { name: "Run again" });
  await again.waitFor();
  same(await runs(), "cancelled", "the run that was cancelled");
  same((await api("admin", "GET", `/connectors/${id}`)).funnel_state, "bootstrapped", "how far the connector has come");
  expect((await page.getByText("is connected").count()) === 0, "it is told as connected");
  await seen(page, "a cancelled first sync");

  step("seen again where it was left, and started again");
  await go(page, "/connectors/new");
  await go(page, `/connectors/new/${id}/sync`);
  hangs = false;
  await again.click();
  await page.getByText("is connected").waitFor();
  await settled(page);
  same(await runs(), "succeeded,cancelled", "the runs");
  same((await api("admin", "GET", `/identities?q=one@first.test`)).total, 1, "whom it read");
});
ledger.close();
