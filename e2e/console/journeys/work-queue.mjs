// An administrator finds dead letters of the work queue, retries them, and deletes one with a reason. An operator sees counts, an auditor no buttons.
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";

const base = "/settings/work-queue";
const dead = async (kind) => (await api("admin", "GET", `${base}?state=dead&kind=${kind}`)).total;
const items = async (kind) => (await api("admin", "GET", `${base}?kind=${kind}`)).items;
const reason = `The accounts were checked by hand on ${new Date().toISOString()}`;

await journey(async ({ open }) => {
  step("an operator sees how many there are, and nothing that they are about");
  const service = await open("operator", "/admin/work-queue?state=dead");
  await service.getByText(/Provisioning plans: .*2 dead letters/).first().waitFor();
  await seen(service, "the work of tenants");
  expect(!(await service.locator("main").innerText()).includes("shoe_size"), "an operator sees the error of a tenant's work");

  step("an auditor reads, and cannot change anything");
  const auditor = await open("auditor", `${base}?state=dead`);
  await auditor.getByText("shoe_size").first().waitFor();
  same(await auditor.getByRole("button", { name: /^Retry/ }).count(), 0, "buttons to retry");
  same(await auditor.getByRole("checkbox", { name: /^Select/ }).count(), 0, "rows to select");

  step("a dead letter has its error, and the filter stands in the address");
  const page = await open("admin", "/settings");
  await page.getByRole("link", { name: /^Work queue/ }).click();
  await page.getByRole("heading", { level: 1, name: "Work queue" }).waitFor();
  const kinds = page.getByRole("region", { name: "Kinds of work" });
  const list = page.getByRole("region", { name: "Work items" });
  await kinds.getByRole("row").filter({ hasText: "Provisioning plans" }).getByText(/shoe_size/).waitFor();
  await seen(page, "the work queue");
  await kinds.getByRole("row").filter({ hasText: "Drift check" }).getByRole("link", { name: "2", exact: true }).click();
  await page.waitForURL(/state=dead/);
  expect(page.url().includes("kind=drift"), `the address is ${page.url()}`);
  await list.getByRole("row").filter({ hasText: "8 of 8" }).nth(1).waitFor();
  await page.reload();
  await settled(page);
  same(await list.getByRole("row").filter({ hasText: "8 of 8" }).count(), 2, "dead letters after a reload");
  await seen(page, "dead letters");

  step("all dead letters of a kind are retried, and their work is done");
  await kinds.getByRole("row").filter({ hasText: "Provisioning plans" }).getByRole("button", { name: "Retry 2" }).click();
  await page.getByText("2 dead letters are waiting for another attempt.").waitFor();
  await gone("provisioning");

  step("one of two is retried by itself");
  await list.getByRole("checkbox", { name: "Select row 1" }).check();
  const selection = page.getByRole("toolbar", { name: "Selection" });
  await selection.getByRole("button", { name: "Retry 1" }).click();
  await page.getByText("1 dead letter retried.").waitFor();
  await selection.waitFor({ state: "detached" });
  same(await dead("drift"), 1, "dead letters that are left");

  step("the other one is deleted with a reason");
  await list.getByRole("row").filter({ hasText: "8 of 8" }).nth(1).waitFor({ state: "detached" });
  await list.getByRole("checkbox", { name: "Select row 1" }).check();
  await selection.getByRole("button", { name: "Delete 1…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 1 dead letter?" });
  expect(await dialog.getByRole("button", { name: "Delete", exact: true }).isDisabled(), "it can be deleted without a reason");
  await dialog.getByLabel("Reason").fill(reason);
  await seen(page, "a dead letter is deleted");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("1 dead letter deleted.").waitFor();
  await page.getByText("No results match these filters").waitFor();
  await seen(page, "no dead letters");
  const log = await api("admin", "GET", "/audit-events?action=work_item.deleted&limit=1");
  same(log.items[0]?.reason, reason, "the reason in the audit log");

  step("all kinds say what they do, and recurring work when it comes next");
  await page.getByLabel(/^Show all \d+ kinds$/).check();
  await kinds.getByText("Starts and ends role assignments on their dates, and ends exemptions from requirements.").waitFor();
  await page.getByRole("region", { name: "Recurring work" }).getByText("1 hour").first().waitFor();
  await seen(page, "all kinds of work");
});

/** Waits until no item of a kind is left: the retried ones were processed. */
async function gone(kind) {
  const until = Date.now() + 60_000;
  while ((await items(kind)).some((i) => i.attempts > 0 || i.last_error) && Date.now() < until) await new Promise((on) => setTimeout(on, 250));
  same(await dead(kind), 0, `dead letters of ${kind}`);
  expect(!(await items(kind)).some((i) => i.last_error), `a retried item of ${kind} still waits`);
}
