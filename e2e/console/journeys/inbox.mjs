// seed: own
// The inbox by keyboard alone: from a full list to an empty one, with a decision undone in time, one too late, and one that somebody else made first.
import { api, expect, focused, journey, path, same, scene, seen, settled, step } from "../lib/house.mjs";

const { items: access } = await api("admin", "GET", "/entitlements?q=Editors");
const editors = access.find((e) => (e.display_name || e.name) === "Editors");

/** Asks, as an administrator, for access that another administrator decides about. */
async function asked(count) {
  const { items } = await api("admin", "GET", `/identities?status=active&limit=${count}&sort=-display_name`);
  const before = await waiting();
  const requests = items.map((p) => ({
    requested_for_identity_id: p.id,
    requested_resources: [{ entitlement_id: editors.id }],
    justification: `The site of ${p.display_name}`,
  }));
  const { created } = await api("admin", "POST", "/access-requests/bulk", { requests });
  for (let tries = 0; tries < 100 && (await waiting()) < before + created; tries++) await new Promise((r) => setTimeout(r, 100));
  return created;
}

const waiting = async () => (await api("second", "GET", "/decision-tasks?kind=request_approval&limit=1")).total;
const task = (id) => api("second", "GET", `/decision-tasks/${id}`);
const open = (page) => new URL(page.url()).searchParams.get("task");
const rows = (page) => page.locator(".inbox-row");

/** Waits until a task is as it should be on the server. */
async function becomes(id, state, what) {
  let now;
  for (let tries = 0; tries < 50; tries++) {
    now = await task(id);
    if (now.state === state) return now;
    await new Promise((r) => setTimeout(r, 100));
  }
  expect(false, `${what}: the task is ${now.state}, not ${state}`);
  return now;
}

await journey(async ({ open: window }) => {
  expect((await asked(8)) > 4, "there is too little to decide");
  const page = await window("second", "/inbox?kind=request_approval", { allow: [409, 412] });
  await rows(page).first().waitFor();
  const whole = await rows(page).count();
  await seen(page, "inbox");

  step("J opens, and the address says what is open");
  await page.keyboard.press("j");
  await focused(page, ".inbox-row a", "after J");
  const first = open(page);
  expect(first, "the open task does not stand in the address");
  await page.keyboard.press("]");
  await page.keyboard.press("k");
  same(open(page), first, "the open task after going on and back");
  await page.locator(".inbox-history li").first().waitFor();
  const { system } = (await api("second", "GET", `/decision-tasks/${first}`)).context.item;
  expect((await page.getByRole("main").innerText()).split(system).length > 2, "the task and its row do not name the system");
  await seen(page, "inbox with a task");

  step("A approves, and goes on to the next");
  await page.keyboard.press("a");
  await page.getByText(/^Approve: /).waitFor();
  same(await rows(page).count(), whole - 1, "the rows after a decision");
  expect(open(page) && open(page) !== first, "the next task is not open");
  await focused(page, ".inbox-row a", "after A");
  await becomes(first, "decided", "after A");
  await seen(page, "inbox with undo");

  step("Z undoes it in time");
  await page.keyboard.press("z");
  await page.getByText("Undone. The task is open again.").waitFor();
  await becomes(first, "open", "after Z");
  same(await rows(page).count(), whole, "the rows after undoing");
  await page.waitForFunction((id) => new URL(location.href).searchParams.get("task") === id, first); // to be decided anew

  step("R asks why, and only then rejects");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !new URL(location.href).searchParams.get("task"));
  await page.keyboard.press("j");
  const second = open(page);
  await page.keyboard.press("r");
  await page.locator(".dialog").waitFor();
  await seen(page, "asking why");
  await focused(page, "textarea", "after R");
  await page.keyboard.type("Not for this project");
  for (let i = 0; i < 2; i++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator(".dialog").waitFor({ state: "detached" });
  const rejected = await becomes(second, "decided", "after R");
  same([rejected.decision.action, rejected.decision.comment], ["reject", "Not for this project"], "the decision");

  step("a double click decides one task, and not the next that nobody has read");
  const twice = open(page);
  const after = await rows(page).count();
  await page.getByRole("button", { name: "Approve", exact: true }).dblclick();
  await page.getByText(/^Approve: /).first().waitFor();
  same(await rows(page).count(), after - 1, "the rows after a double click");
  await page.keyboard.press("z");
  await becomes(twice, "open", "after Z");
  await page.waitForFunction((id) => new URL(location.href).searchParams.get("task") === id, twice);

  step("somebody else was first");
  const third = open(page);
  await api("second", "POST", `/decision-tasks/${third}/comments`, { text: "I look at this" });
  const fresh = await task(third);
  await api("second", "POST", `/decision-tasks/${third}/decide`, { action: "approve", defer_seconds: 600 }, { "If-Match": `"${fresh.version}"` });
  await page.keyboard.press("a");
  await page.getByText(/has decided this already, .*: Approve/).first().waitFor();
  await page.getByText("One decision failed").waitFor();
  await seen(page, "somebody else was first");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.getByText("One decision failed").waitFor({ state: "detached" });

  step("somebody else has claimed it");
  await page.keyboard.press("Escape");
  await settled(page);
  await page.keyboard.press("j");
  const claimed = open(page);
  await page.locator(".inbox-history li").first().waitFor();
  await api("careful", "POST", `/decision-tasks/${claimed}/claim`);
  await page.keyboard.press("a");
  await page.getByText(/has claimed this/).first().waitFor();
  await page.locator(`[id="task-${claimed}"]`).getByText(/Not saved: .*has claimed this/).waitFor();
  await api("careful", "POST", `/decision-tasks/${claimed}/release`);
  await page.getByRole("button", { name: "Dismiss" }).click();

  step("C says something, D gives it to somebody else");
  await page.locator(`[id="task-${claimed}"] a`).click();
  await page.locator(".inbox-history li").first().waitFor();
  await page.keyboard.press("c");
  await focused(page, "#inbox-comment textarea", "after C");
  await page.keyboard.type("Let us talk about this");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator(".inbox-reason").getByText("Let us talk about this").waitFor();
  await page.keyboard.press("d");
  await page.locator(".dialog").getByRole("heading", { name: "Reassign" }).waitFor();
  await seen(page, "reassigning");
  await page.keyboard.press("Escape");
  await page.locator(".dialog").waitFor({ state: "detached" });

  step("what is left is selected by the keyboard, and decided at once");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !new URL(location.href).searchParams.get("task"));
  await page.keyboard.press("Control+a");
  const left = await rows(page).count();
  await page.getByText(`${left} selected`).waitFor();
  await seen(page, "everything selected");
  await page.keyboard.press("a");
  await page.getByText(new RegExp(`^Approve: ${left} decision`)).waitFor();
  await page.getByText("No results match these filters").waitFor();
  same(await waiting(), 0, "what still waits");
  await seen(page, "inbox empty");

  step("too late to undo");
  const late = Date.now() + 12_500;
  while (Date.now() < late) await new Promise((r) => setTimeout(r, 250));
  await page.keyboard.press("z");
  await page.getByText("Nothing to undo. Your last decision is final.").waitFor();
  expect(path(page).startsWith("/inbox"), "the page has gone elsewhere");
});
