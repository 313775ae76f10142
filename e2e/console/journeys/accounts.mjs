// seed: own
// Accounts: one without an owner gets one, one is disabled in its system, and what its system is told is seen.
import { api, expect, journey, same, scene, seen, settled, step, url } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const page = await open("admin", "/accounts?correlation=uncorrelated", { allow: [409, 422] });
  await page.waitForSelector("tbody tr");
  await seen(page, "accounts without an owner");

  step("its owner is named");
  const orphan = (await api("admin", "GET", "/accounts/uncorrelated?limit=1")).items[0].id;
  await page.goto(`${url}/accounts/${orphan}`);
  await button(page, "Assign owner").click();
  const dialog = page.locator(".dialog");
  expect(await button(dialog, "Assign owner").isDisabled(), "an owner can be named without saying who");
  await dialog.getByLabel("Owner", { exact: true }).fill(scene.names.report);
  await page.getByRole("option").first().click();
  await dialog.getByLabel("Reason").fill("They use it every day.");
  await seen(page, "naming an owner");
  await button(dialog, "Assign owner").click();
  await dialog.waitFor({ state: "detached" });
  const linked = await api("admin", "GET", `/accounts/${orphan}`);
  same(linked.identity_id, scene.ids.report, "whose it is");
  await page.locator("main").getByRole("link", { name: scene.names.report }).first().waitFor();
  await seen(page, "an account with its owner");

  step("and the rules decide again");
  await button(page, "Return to correlation").click();
  await button(dialog, "Return").click();
  await dialog.waitFor({ state: "detached" });
  expect((await api("admin", "GET", `/accounts/${orphan}`)).correlation.by !== "user", "what a person decided is still kept");

  await disabled(page, dialog);

  step("who only reads changes nothing");
  const reader = await open("auditor", `/accounts/${orphan}`);
  for (const name of ["Actions", "Assign owner", "Accept as unowned"]) same(await button(reader, name).count(), 0, `buttons "${name}" for an auditor`);
  await seen(reader, "an account, read only");
});

async function disabled(page, dialog) {
  const account = await writable();
  step(`one is disabled: ${account.username}`);
  await page.goto(`${url}/accounts/${account.id}`);
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: "Disable", exact: true }).click();
  await dialog.locator(".tried pre").first().waitFor();
  await seen(page, "what would be sent");
  same((await api("admin", "GET", `/accounts/${account.id}`)).is_disabled, account.is_disabled, "whether a look disables it");
  await dialog.getByLabel("Note").fill("seen on the journey");
  await button(dialog, "Disable").click();
  await dialog.waitFor({ state: "detached" });
  const change = page.locator(".account-tasks li").filter({ hasText: "Disable account" }).first();
  await change.waitFor();
  await change.getByText(/done|failed|manual|verifying/).waitFor({ timeout: 60_000 });
  await settled(page);
  const tasks = await api("admin", "GET", `/accounts/provisioning-tasks?account_id=${account.id}&operation=disable`);
  same(tasks.total, 1, "how many changes were ordered");
  expect((await change.getByRole("link", { name: "Open" }).getAttribute("href"))?.includes(tasks.items[0].id), "the change does not lead to itself");
  await seen(page, "an account whose system was told");
}

/** An account that can be disabled, as a look says. */
async function writable() {
  const pages = await Promise.all(["apps", "staff"].map((of) => api("admin", "GET", `/accounts?connector_id=${scene.ids[of]}&status=active&limit=50`)));
  for (const a of pages.flatMap((p) => p.items)) {
    const could = await api("admin", "POST", `/accounts/${a.id}/disable?dry_run=true`, {}).catch(() => undefined);
    if (could?.plan?.length > 0 && !could.error) return a;
  }
  throw new Error("no account of the scene can be disabled");
}
