// when: long
// seed: own
// What is ordered of an account is done in its system, and the page tells so: unlocked, renamed, a new password, disabled, enabled, deleted.
import { connected, desk, until } from "../lib/desk.mjs";
import { api, expect, journey, same, seen, step, url } from "../lib/house.mjs";

const one = { id: "1", login: "borrower", mail: "borrower@made.test", name: "Bo Rower", enabled: true, locked: true, pass: "first" };
const system = await desk([one, { id: "2", login: "lender", mail: "lender@made.test", name: "Len Der", enabled: true, locked: false }]);
const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const connector = await connected(system);
  const account = (await api("admin", "GET", `/accounts?connector_id=${connector}&q=borrower`)).items[0];
  const page = await open("admin", `/accounts/${account.id}`, { allow: [409, 422] });
  const dialog = page.locator(".dialog");
  await page.getByText("locked", { exact: true }).first().waitFor();
  await seen(page, "a locked account");

  /** Orders something of the account as a person does, and waits until the page says that it was done. */
  async function order(words, verb, fill = async () => {}) {
    step(words);
    await button(page, "Actions").click();
    await page.getByRole("menuitem", { name: words, exact: true }).click();
    await fill();
    await dialog.locator(".tried pre").first().waitFor();
    await seen(page, words);
    const sent = system.told.length;
    await button(dialog, verb).click();
    await dialog.waitFor({ state: "detached" });
    await until(() => system.told.length > sent, `${words}: the system is told nothing`);
  }

  /** Waits until the page, without being read again, no longer offers one thing but another. */
  async function offers(words, no) {
    await until(async () => {
      await button(page, "Actions").click();
      const items = await page.getByRole("menuitem").allInnerTexts();
      await page.keyboard.press("Escape");
      return items.includes(words) && !items.includes(no);
    }, `the page does not come to offer "${words}" instead of "${no}"`);
  }

  await order("Unlock", "Unlock");
  await until(() => one.locked === false, "it is not unlocked");
  await page.locator("main .badge", { hasText: /^\s*locked$/ }).waitFor({ state: "detached" });

  await order("Rename or move", "Rename", async () => {
    expect(await button(dialog, "Rename").isDisabled(), "it can be renamed to what it is called");
    await dialog.getByLabel("Login", { exact: true }).fill("reader");
  });
  await until(() => one.login === "reader", "it is not renamed");
  await page.getByRole("heading", { level: 1, name: "reader" }).waitFor();

  await order("Reset password", "Reset");
  await until(() => one.pass !== "first" && one.pass.length > 11, "it has no new password");
  expect(!(await page.content()).includes(one.pass), "the password stands on the page");

  await order("Disable", "Disable");
  await until(() => one.enabled === false, "it is not disabled");
  await offers("Enable", "Disable");
  await seen(page, "a disabled account");
  await order("Enable", "Enable");
  await until(() => one.enabled === true, "it is not enabled");
  await offers("Disable", "Enable");

  step("what the system refuses is told in its own words");
  system.refuses = (method) => method === "DELETE" && "nobody may be deleted before Friday";
  await order("Delete", "Delete");
  await page.getByText(/before Friday/).first().waitFor();
  same(system.users.length, 2, "accounts of the system after a refusal");
  await seen(page, "a deletion that was refused");
  system.refuses = () => undefined;
  const failed = await api("admin", "GET", `/accounts/provisioning-tasks?account_id=${account.id}&state=failed`);
  await api("admin", "POST", `/accounts/provisioning-tasks/${failed.items[0].id}/retry`, {});
  await until(() => system.users.length === 1, "it is not deleted");
  await page.reload();
  await until(async () => (await api("admin", "GET", `/accounts/${account.id}`)).status === "deleted", "it is not known to be deleted");
  await page.goto(`${url}/accounts/${account.id}`);
  await page.getByText("deleted", { exact: true }).first().waitFor();
  same(await button(page, "Actions").count(), 0, "actions at what is deleted");
  await seen(page, "a deleted account");
});
system.close();
