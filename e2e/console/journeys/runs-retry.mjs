// A run fails, is started again from its page, is cancelled while it goes on, and comes to its end at last.
import { api, expect, go, journey, same, seen, settled, step } from "../lib/house.mjs";
import { mapped, source } from "../lib/source.mjs";

const person = { id: "1", mail: "one@again.test", given: "Ann", family: "Again" };
const says = { fail: { status: 422, body: { error: "the ledger is being closed" } }, hang: undefined, answer: { body: { data: [person] } } };
let does = "answer"; // what the source does when it is asked
const ledger = await source(() => says[does]);

await journey(async ({ open }) => {
  const id = await mapped(ledger.url, "Ledger");
  does = "fail";
  const page = await open("admin", `/connectors/${id}`);
  const dialog = page.locator(".dialog");
  const of = () => api("admin", "GET", `/connectors/${id}/sync-runs/${page.url().split("/").at(-1)}`);
  const start = async (button) => {
    const before = page.url();
    await page.getByRole("button", { name: button }).click();
    await dialog.getByLabel("Mode").selectOption("everything");
    await dialog.getByRole("button", { name: "Start" }).click();
    await page.waitForURL((at) => /\/runs\//.test(at.href) && at.href !== before);
  };

  step("it fails");
  await start("Sync now");
  await page.getByText(/the ledger is being closed/).first().waitFor();
  same((await of()).status, "failed", "the first run");
  await page.getByRole("button", { name: "Sync again" }).waitFor();
  await seen(page, "failed run");

  step("it is in the list of what fails, though it never succeeded");
  await go(page, "/connectors");
  await page.getByRole("button", { name: "Failing" }).click();
  await page.getByRole("link", { name: "Ledger" }).first().waitFor();
  await settled(page); // the connector was in the list before it was filtered
  same(await page.locator("tbody tr").count(), (await api("admin", "GET", "/connectors?failing=true")).total, "what fails");
  await page.goBack();
  await go(page, `/connectors/${id}/runs`);
  await page.locator("tbody a[href*='/runs/']").first().click();
  await page.waitForURL(/\/runs\//);

  step("again, and cancelled");
  does = "hang";
  await start("Sync again");
  await page.getByRole("button", { name: "Cancel run" }).click();
  await page.getByRole("button", { name: "Sync again" }).waitFor();
  same((await of()).status, "cancelled", "the second run");
  await seen(page, "cancelled run");

  step("again, and it ends well");
  does = "answer";
  await start("Sync again");
  await page.getByText("Details").waitFor();
  await settled(page);
  same((await of()).status, "succeeded", "the third run");
  expect((await page.getByRole("button", { name: "Sync again" }).count()) === 0, "a run that ended well is offered again");
  same((await api("admin", "GET", `/connectors/${id}`)).status, "active", "the connector");
});
ledger.close();
