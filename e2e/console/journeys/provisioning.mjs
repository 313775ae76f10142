// seed: own
// A change that a system refuses is seen with the system's own words, and goes well when it is sent again.
import { connected, desk, until } from "../lib/desk.mjs";
import { api, expect, focused, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const target = await desk([{ id: "1", login: "first", mail: "first@made.test", enabled: true }]);
target.refuses = (method) => method === "POST" && "the desk is closed until Monday";

await journey(async ({ open }) => {
  const id = await connected(target);
  const order = await api("admin", "POST", "/accounts", { connector_id: id, identity_id: scene.ids.person });
  const at = `/accounts/provisioning-tasks/${order.task_id ?? order.id}`;
  await until(async () => (await api("admin", "GET", at)).state === "failed", "the change does not fail");

  step("the failed changes");
  const page = await open("admin", "/provisioning?state=failed");
  await seen(page, "provisioning failed");
  await page.locator("tbody").getByRole("link", { name: "Create account" }).first().click();
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
  await page.locator("tbody").getByRole("link", { name: "Create account" }).first().click();
  await focused(page, ".dialog *, .dialog", "in the drawer");

  step("sent again with all that failed, and with what is selected, it fails again");
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  const asked = () => target.told.filter((t) => t.startsWith("POST")).length;
  const failsAgain = async (before) => {
    await until(async () => asked() > before && (await api("admin", "GET", at)).state === "failed", "the system is not asked again");
    await page.reload();
    await settled(page);
  };
  let before = asked();
  await page.getByRole("button", { name: "Retry all failed tasks…" }).click();
  await drawer.getByRole("button", { name: "Retry tasks" }).click();
  await page.getByText("1 task retried.").waitFor();
  await failsAgain(before);
  before = asked();
  await page.locator("tbody").getByRole("checkbox").first().check();
  await page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Retry 1" }).click();
  await page.getByText("1 task retried.").waitFor();
  await failsAgain(before);
  await page.locator("tbody").getByRole("link", { name: "Create account" }).first().click();
  await drawer.waitFor();

  step("the system takes it now");
  target.refuses = () => undefined;
  await drawer.getByRole("button", { name: "Retry" }).click();
  await until(async () => (await api("admin", "GET", at)).state === "done", "the change is not done");
  await drawer.getByText("done", { exact: true }).first().waitFor();
  await settled(page);
  same(target.users.length, 2, "accounts of the system");
  await seen(page, "provisioning done");
  await page.keyboard.press("Escape");

  step("all changes are stopped, and sent again");
  await page.getByRole("button", { name: "Turn off writing…" }).click();
  await drawer.getByLabel("Reason").fill("a trial");
  await drawer.getByRole("button", { name: "Turn off" }).click();
  await page.getByText("Writing off").waitFor();
  await seen(page, "provisioning stopped");

  step("what waits is cancelled, after it was asked");
  const person = (await api("admin", "GET", "/identities?status=active&limit=2")).items.find((p) => p.id !== scene.ids.person);
  const other = await api("admin", "POST", "/accounts", { connector_id: id, identity_id: person.id });
  const waits = `/accounts/provisioning-tasks/${other.task_id ?? other.id}`;
  await page.goto(page.url().replace(/provisioning.*/, `provisioning?connector_id=${id}`));
  await settled(page);
  await page.getByRole("row").filter({ hasText: "Create account" }).filter({ hasText: person.display_name }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Cancel 1…" }).click();
  await seen(page, "cancelling changes");
  await drawer.getByRole("button", { name: "Keep tasks" }).click();
  await drawer.waitFor({ state: "detached" });
  expect((await api("admin", "GET", waits)).state !== "cancelled", "it is cancelled, though it was kept");
  await page.getByRole("button", { name: "Cancel 1…" }).click();
  await drawer.getByRole("button", { name: "Cancel 1 task" }).click();
  await page.getByText("1 task canceled.").waitFor();
  same((await api("admin", "GET", waits)).state, "cancelled", "what waited");
  await page.getByRole("button", { name: "Turn on writing…" }).click();
  await drawer.getByRole("button", { name: "Turn on" }).click();
  await page.getByText("Writing on", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Drift" }).click();
  await seen(page, "drifted accounts");
  await api("admin", "DELETE", `/connectors/${id}`);
});
target.close();
