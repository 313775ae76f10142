// when: long
// seed: own
// A task is given to somebody else, who is told why and decides; two windows decide the same task, and the later learns who was first; undone, it waits in both.
import { api, expect, fail, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const { owner, second } = scene.users;
const task = (id) => api("admin", "GET", `/decision-tasks/${id}`);
const at = (page) => new URL(page.url()).searchParams.get("task");
const becomes = async (id, state) => {
  let now;
  for (let tries = 0; tries < 100 && now?.state !== state; tries++) {
    now = await task(id);
    await new Promise((r) => setTimeout(r, 100));
  }
  return now.state === state ? now : fail(`the task is ${now.state}, not ${state}`);
};

await journey(async ({ open }) => {
  await givenAway(open);
  await twoWindows(open);
});

async function givenAway(open) {
  step("the manager does not know");
  // Why somebody has what they ask for is told only to whoever sees it: 404 for the next task.
  const page = await open("manager", "/inbox", { allow: [404] });
  await page.locator(".inbox-open", { hasText: "Library" }).click();
  await page.locator(".inbox-history li").first().waitFor();
  const id = at(page);
  await page.keyboard.press("d");
  const dialog = page.locator(".dialog");
  await dialog.waitFor();
  const send = dialog.getByRole("button", { name: "Reassign", exact: true });
  expect(await send.isDisabled(), "it can be given away without a name");

  step("nobody whom it is about");
  const who = dialog.getByLabel("New approver", { exact: true });
  await who.fill(scene.users.member.name);
  await page.getByText("No eligible person has this name.").waitFor();
  same(await page.getByRole("option").count(), 0, "people to choose from");
  await seen(page, "nobody to choose in the dialog");

  step("somebody who knows");
  await choose(page, owner.name);
  expect(await send.isDisabled(), "it can be given away without a reason");
  await dialog.getByRole("button", { name: /^Clear / }).click();
  await dialog.getByLabel("Reason").fill("You know the library.");
  expect(await send.isDisabled(), "it can be given to nobody");
  await choose(page, owner.name);
  await send.click();
  await page.getByText(`Reassigned to ${owner.name}.`).waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.locator(`[id="task-${id}"]`).waitFor({ state: "detached" });
  expect(at(page) !== id, "a task that others decide stays open");
  same((await task(id)).assignees.map((a) => a.identity_id), [owner.identity_id], "who decides");
  await seen(page, "given away");
  await page.context().close();

  step("they are told why, ask, and decide");
  const other = await open("owner", "/inbox");
  await other.locator(`[id="task-${id}"] .inbox-open`).click();
  await other.locator(".inbox-history").getByText(`to ${owner.name}: You know the library.`).waitFor();
  await other.keyboard.press("c");
  await other.keyboard.type("Which shelf?");
  await other.getByRole("button", { name: "Comment", exact: true }).click();
  await other.locator(".inbox-reason").getByText("Which shelf?").waitFor();
  same(await other.getByLabel("Add a comment").inputValue(), "", "what is left of what was said");
  await seen(other, "a task that came from somebody else");
  await other.keyboard.press("r");
  await other.locator(".dialog").waitFor();
  expect(await other.locator(".dialog").getByRole("button", { name: "Reject" }).isDisabled(), "it can be rejected without a reason");
  await other.locator(".dialog").getByLabel("Reason").fill("Not this shelf.");
  await other.locator(".dialog").getByRole("button", { name: "Reject" }).click();
  const { decision } = await becomes(id, "decided");
  same([decision.action, decision.comment, decision.by.identity_id], ["reject", "Not this shelf.", owner.identity_id], "the decision");
  await other.context().close();
}

/** Types a name into the dialog and takes who is found. */
async function choose(page, name) {
  await page.locator(".dialog").getByLabel("New approver", { exact: true }).fill(name);
  await page.getByRole("option", { name }).click();
}

/** Rejects the open task; once more where it has changed since it was opened, and was read again. */
async function rejects(page) {
  const dialog = page.locator(".dialog");
  for (let tries = 0; tries < 2; tries++) {
    await page.locator(".inbox-detail").getByRole("button", { name: /^Reject/ }).click();
    await dialog.getByLabel("Reason").fill("I would not.");
    await dialog.getByRole("button", { name: "Reject" }).click();
    const closed = dialog.waitFor({ state: "detached" }).then(() => true);
    if (await Promise.race([closed, dialog.getByText("The task has changed since you opened it.").waitFor().then(() => false, () => true)])) return;
    await page.keyboard.press("Escape");
    await closed;
    await settled(page);
  }
}

/** Two administrators have the same task open. */
async function twoWindows(open) {
  step("the same task in two windows");
  const [one, other] = [await open("second", "/inbox?kind=request_approval"), await open("admin", "/inbox?kind=request_approval", { allow: [409, 412] })];
  await one.locator(".inbox-row .inbox-open", { hasText: "Editors" }).first().click();
  await one.locator(".inbox-history li").first().waitFor();
  const id = at(one);
  await other.locator(`[id="task-${id}"] .inbox-open`).click();
  await other.locator(".inbox-history li").first().waitFor();
  await one.keyboard.press("a");
  await one.getByText(/^Approve: /).waitFor();
  await becomes(id, "decided");

  step("the later one is refused, and told who was first");
  await other.keyboard.press("r");
  const dialog = other.locator(".dialog");
  await dialog.getByLabel("Reason").fill("I would not.");
  await dialog.getByRole("button", { name: "Reject" }).click();
  await dialog.getByText(new RegExp(`${second.email} has decided this already.*: Approve`)).waitFor();
  same(await dialog.getByLabel("Reason").inputValue(), "I would not.", "what was typed");
  await seen(other, "another was first");
  await other.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  same(at(other), id, "the task that is open after the dialog alone was closed");

  step("undone, it waits in both");
  await one.keyboard.press("z");
  await one.getByText("Undone. The task is open again.").waitFor();
  await becomes(id, "open");
  await one.locator(`[id="task-${id}"]`).waitFor();
  await other.locator(`[id="task-${id}"]`).waitFor();
  await settled(other);
  await rejects(other);
  const { decision } = await becomes(id, "decided");
  same([decision.action, decision.comment], ["reject", "I would not."], "the decision");
}
