// when: long
// A run fails, is started again from its page, is cancelled while it goes on, and comes to its end at last.
import { createServer } from "node:http";
import { api, expect, go, journey, same, seen, settled, step } from "../lib/house.mjs";

let does = "fail"; // what the source does when it is asked: fail, hang or answer
const source = createServer((_, answer) => {
  if (does === "hang") return; // until the run is cancelled
  answer.writeHead(does === "fail" ? 422 : 200, { "Content-Type": "application/json" });
  answer.end(JSON.stringify(does === "fail" ? { error: "the ledger is being closed" } : { data: [{ id: "1", mail: "one@again.test", given: "Ann", family: "Again" }] }));
});
await new Promise((ready) => source.listen(0, "127.0.0.1", ready));

await journey(async ({ open }) => {
  const id = await connected();
  const page = await open("admin", `/connectors/${id}`);
  const dialog = page.locator(".dialog");
  const of = () => api("admin", "GET", `/connectors/${id}/sync-runs/${page.url().split("/").at(-1)}`);
  const start = async (button) => {
    const before = page.url();
    await page.getByRole("button", { name: button }).click();
    await dialog.getByLabel("What is read").selectOption("everything");
    await dialog.getByRole("button", { name: "Start" }).click();
    await page.waitForURL((at) => /\/runs\//.test(at.href) && at.href !== before);
  };

  step("it fails");
  await start("Sync now");
  await page.getByText(/the ledger is being closed/).first().waitFor();
  same((await of()).status, "failed", "the first run");
  await page.getByRole("button", { name: "Read it again" }).waitFor();
  await seen(page, "failed run");

  step("it is in the list of what fails, though it never succeeded");
  await go(page, "/connectors");
  await page.getByRole("button", { name: "Failing" }).click();
  await page.getByRole("link", { name: "Ledger" }).first().waitFor();
  same(await page.locator("tbody tr").count(), (await api("admin", "GET", "/connectors?failing=true")).total, "what fails");
  await page.goBack();
  await go(page, `/connectors/${id}/runs`);
  await page.locator("tbody a[href*='/runs/']").first().click();
  await page.waitForURL(/\/runs\//);

  step("again, and cancelled");
  does = "hang";
  await start("Read it again");
  await page.getByRole("button", { name: "Cancel the run" }).click();
  await page.getByRole("button", { name: "Read it again" }).waitFor();
  same((await of()).status, "cancelled", "the second run");
  await seen(page, "cancelled run");

  step("again, and it ends well");
  does = "answer";
  await start("Read it again");
  await page.getByText("How it was done").waitFor();
  await settled(page);
  same((await of()).status, "succeeded", "the third run");
  expect((await page.getByRole("button", { name: "Read it again" }).count()) === 0, "a run that ended well is offered again");
  same((await api("admin", "GET", `/connectors/${id}`)).status, "active", "the connector");
});
source.closeAllConnections();
source.close();

async function connected() {
  const { id } = await api("admin", "POST", "/connectors", {
    name: "Ledger",
    business_id: `ledger-${Date.now()}`,
    type: "rest",
    mode: "hosted",
    purpose: "source",
    environment: "test",
    connection: {
      base_url: `http://127.0.0.1:${source.address().port}`,
      auth_method: "none",
      streams: [{ name: "people", object: "identity", request: { path: "/people" }, record_selector: "data", key_path: "id" }],
    },
  });
  does = "answer";
  await api("admin", "POST", `/connectors/${id}/discover`, {});
  await api("admin", "POST", `/connectors/${id}/wizard/accept-mappings`);
  does = "fail";
  return id;
}
