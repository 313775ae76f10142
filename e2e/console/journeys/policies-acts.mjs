// seed: own
// A policy that does more than its breaker lets pass is stopped, and goes on once its changes are accepted; then it only watches, is changed, and tells what it has said before.
import { until } from "../lib/desk.mjs";
import { api, expect, journey, same, seen, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

const centre = `breaker-${Date.now()}`;

await journey(async ({ open }) => {
  const { items } = await api("admin", "GET", "/entitlements?limit=500");
  const right = items.find((e) => e.name === "Archive") ?? items[0];
  const made = await api("admin", "POST", "/policies/access-grant", {
    name: "Archive, carefully",
    effect: "assign",
    resources: { entitlement_ids: [right.id] },
    subject: { match: "all", rules: [{ field: "cost_center", op: "eq", value: centre }] },
    circuit_breaker: { max_changes: 3, window: "PT1H" },
  });
  const one = () => api("admin", "GET", `/policies/access-grant/${made.id}`);
  const page = await open("admin", `/policies/${made.id}`, { allow: [409, 412, 422] });
  const dialog = page.locator(".dialog");

  step("put in force while it is about nobody");
  await button(page, "Activate").click();
  await dialog.getByText(/gain/).first().waitFor(); // its effect is in view before anything is done
  same((await one()).mode, "shadow", "what it does before it is confirmed");
  await button(dialog, "Activate").click();
  await dialog.waitFor({ state: "detached" });
  same((await one()).mode, "enforce", "what it does");

  step("more people come than its breaker lets pass: it is stopped");
  const { items: people } = await api("admin", "GET", "/identities?status=active&kind=human&limit=5");
  for (const p of people) await api("admin", "PATCH", `/identities/${p.id}`, { cost_center: centre }, { "Content-Type": "application/merge-patch+json" });
  await button(page, "Resume").waitFor({ timeout: 90_000 });
  await page.getByText(/changes within 1 hour, and .*\. It neither grants nor ends access/).waitFor();
  const stopped = await one();
  expect(stopped.tripped_at && stopped.holder_count < 5, `the service says ${stopped.tripped_at} and ${stopped.holder_count} holders`);
  await seen(page, "stopped by circuit breaker");

  step("its changes are accepted");
  await button(page, "Resume").click();
  await seen(page, "before it goes on");
  await button(dialog, "Accept changes and resume").click();
  await dialog.waitFor({ state: "detached" });
  await button(page, "Resume").waitFor({ state: "detached" });
  same((await one()).tripped_at ?? null, null, "since when it is stopped");
  await page.waitForFunction(() => /People with access through this policy\s*5/.test(document.body.innerText), undefined, { timeout: 90_000 });
  same((await one()).holder_count, 5, "who holds something by it");

  step("it only watches again");
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Switch to dry run" }).click();
  await seen(page, "before it only watches");
  await button(dialog, "Switch to dry run").click();
  await button(page, "Activate").waitFor();
  same((await one()).mode, "shadow", "what it does");

  step("changed, and what it said before");
  await button(page, "Edit").click();
  await page.getByLabel("Name", { exact: true }).fill("Archive, renamed");
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Archive, renamed" }).waitFor();
  const { items: versions } = await api("admin", "GET", `/policies/access-grant/${made.id}/versions`);
  expect(versions.length > 1, `${versions.length} versions`);
  await seen(page, "versions");
  await page.getByText(`Version ${versions.at(-1).version}`).or(page.getByRole("cell", { name: String(versions.at(-1).version), exact: true })).first().waitFor();

  step("switched off and on");
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await button(dialog, "Disable").click();
  await button(page, "Enable").click();
  await button(page, "More").waitFor();
  await page.locator("main").getByText("dry run").first().waitFor();
  await until(async () => (await one()).enabled, "it is not switched on again");
});
