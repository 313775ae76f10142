// seed: own
// Whoever is away lets somebody else decide: the delegate sees the task and decides it in the name of both; when it ends, it goes back.
import { api, expect, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const { owner, manager } = scene.users;

// The owner goes on leave later, and the manager decides then: the two must not overlap.
const tonight = () => new Date(Date.now() + 43_200_000).toISOString().slice(0, 16);

await journey(async ({ open }) => {
  const asks = (await api("owner", "GET", "/decision-tasks")).total;
  const before = (await api("manager", "GET", "/decision-tasks")).items.filter((t) => t.acting_for).length;
  same(before, 0, "what the manager decides for others");

  step("the manager delegates to the owner");
  const page = await open("manager", "/inbox/delegations");
  await seen(page, "delegations");
  await page.getByRole("button", { name: "Delegate", exact: true }).click();
  await page.getByRole("combobox", { name: "Delegate" }).fill(owner.name.slice(0, 6));
  await settled(page);
  await page.getByRole("option", { name: owner.name }).click();
  await page.getByLabel("Until").fill(tonight());
  await page.getByLabel("Reason").fill("On leave");
  await seen(page, "delegating");
  await page.locator(".dialog").getByRole("button", { name: "Delegate", exact: true }).click();
  await page.getByText(`${owner.name} can decide from now on.`).waitFor();
  await page.getByText("can decide everything for you").waitFor();
  await seen(page, "a delegation in effect");
  await theDelegateDecides(open, asks);

  step("it ends, and what waits goes back");
  await page.getByRole("button", { name: `End the delegation from ${manager.name} to ${owner.name}` }).click();
  await page.locator(".dialog").getByRole("button", { name: "End delegation" }).click();
  await page.getByText(`Ended. Open tasks return to ${manager.name}.`).waitFor();
  same((await api("owner", "GET", "/decision-tasks")).items.filter((t) => t.acting_for).length, 0, "what the delegate still decides");
  await limited(page);
});

/** A delegation can be limited. The tasks outside the limits stay. */
async function limited(page) {
  step("a delegation is limited to tasks of critical risk");
  await page.getByRole("button", { name: "Delegate", exact: true }).click();
  const dialog = page.locator(".dialog");
  await page.getByRole("combobox", { name: "Delegate" }).fill(owner.name.slice(0, 6));
  await settled(page);
  await page.getByRole("option", { name: owner.name }).click();
  await page.getByLabel("Until").fill(tonight());
  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByText("Tasks outside the limits stay with the delegator.").waitFor();
  await dialog.getByRole("checkbox", { name: "critical" }).check();
  await seen(page, "limits of a delegation");
  await dialog.getByRole("button", { name: "Delegate", exact: true }).click();
  await page.getByText("can decide everything (within limits) for you").waitFor();
  await page.getByRole("cell", { name: /critical risk/ }).waitFor();
  const made = (await api("manager", "GET", "/decision-tasks/delegations")).items[0];
  same([made.risk_levels, made.system_ids, made.condition], [["critical"], [], null], "the limits");
  const passed = (await api("owner", "GET", "/decision-tasks")).items.filter((t) => t.acting_for && t.risk_level !== "critical");
  same(passed.length, 0, "tasks outside the limits that the delegate decides");
  await seen(page, "a limited delegation");
}

async function theDelegateDecides(open, asks) {
  step("the delegate sees the tasks");
  const page = await open("owner", "/inbox");
  await page.locator(".inbox-row").first().waitFor();
  expect((await page.locator(".inbox-row").count()) > asks, "no task came to the delegate");
  await page.locator(".inbox-open", { hasText: `delegated by ${manager.name}` }).first().click();
  await page.locator(".badge", { hasText: `delegated by ${manager.name}` }).waitFor();
  await page.locator(".inbox-history li").first().waitFor();
  await seen(page, "a task of somebody else");
  step("and decides one of them");
  const id = new URL(page.url()).searchParams.get("task");
  await page.keyboard.press("a");
  await page.getByText(/^Approve: /).waitFor();
  let task;
  for (let tries = 0; tries < 50 && task?.state !== "decided"; tries++) {
    await new Promise((r) => setTimeout(r, 100));
    task = await api("admin", "GET", `/decision-tasks/${id}`);
  }
  same([task.state, task.decision?.by?.identity_id], ["decided", owner.identity_id], "who has decided");
  expect(JSON.stringify(task.decision.by).includes("acting_for"), "it is not told for whom");
}
