// when: long
// seed: own
// Access in an emergency, and whoever looks at it afterwards ends it; more time is asked for and given; what was asked, answered or agreed to is taken back.
import { api, expect, fail, journey, path, same, scene, seen, settled, step } from "../lib/house.mjs";

const { member, owner } = scene.users;
const named = async (name) => (await api("admin", "GET", `/entitlements?q=${name}`)).items.find((e) => (e.display_name || e.name) === name);
const request = (id) => api("admin", "GET", `/access-requests/${id}`);
const eventually = async (what, is, within = 45_000) => {
  for (const until = Date.now() + within; Date.now() < until; ) {
    const found = await is();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return fail(`${what} did not come`);
};

/** Opens a dialog from what more can be done with a request. */
async function more(page, words) {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: words }).click();
  return page.locator(".dialog");
}

await journey(async ({ open }) => {
  const vault = await named("Vault");
  const stage = (name, kind) => ({ name, groups: [{ approvers: [{ kind }], mode: "any" }] });
  const emergency = { allowed: true, max_duration: "PT4H", post_review_within: "PT8H" };
  const outcome = { kind: "chain", stages: [stage("Manager", "manager")] };
  await api("admin", "POST", "/approval-rules", { name: "Vault", applies_to: { entitlement_ids: [vault.id] }, branches: [{ outcome }], emergency });
  const page = await open("member", `/access/request?items=${vault.id}`, { allow: [409] });
  const id = await urgent(page);
  await reviewed(open, page, id);
  await longer(open, page);
  await takenBack(open, page);
});

async function urgent(page) {
  step("an emergency is said to be one");
  await page.getByLabel("Emergency: grant access at once").check();
  await page.getByText("The access starts as soon as you send this").waitFor();
  expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled(), "an emergency can be sent without a reason");
  await page.getByRole("textbox", { name: "Reason" }).fill("The archive burns.");
  await page.getByText(/Limits: at most 4 hours/).waitFor();
  await seen(page, "before an emergency is sent");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: /REQ-/ }).waitFor();
  const id = path(page).split("/")[2];
  await page.locator("main").getByText("Emergency access, granted at once.").waitFor();
  await eventually("entitlement", async () => (await request(id)).status === "fulfilled");
  await page.getByText("Verified in the system.").waitFor();
  const is = await request(id);
  same([is.urgency, is.items[0].decision, is.items[0].review.state], ["emergency", "approved", "open"], "the emergency");
  same(await page.getByRole("link", { name: "Open review" }).count(), 0, "ways to the review, for whom it is about");
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Return this access" }).waitFor();
  same(await page.getByRole("menuitem", { name: "Request extension" }).count(), 0, "ways to have it for longer");
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await seen(page, "access in an emergency");
  return id;
}

/** The manager looks at it afterwards, and ends it. */
async function reviewed(open, page, id) {
  step("it is looked at afterwards");
  const inbox = await open("manager", `/requests/${id}`);
  await inbox.getByRole("link", { name: "Open review" }).click();
  await inbox.locator(".inbox-history li").first().waitFor();
  await inbox.locator(".inbox-detail").getByText("The archive burns.").first().waitFor();
  await seen(inbox, "the review of an emergency");
  await inbox.keyboard.press("r");
  const dialog = inbox.locator(".dialog");
  await dialog.waitFor();
  await dialog.getByLabel(/^Reason/).fill("Nothing burns.");
  await seen(inbox, "before it is ended");
  await dialog.locator("button[type=submit]").click();
  await dialog.waitFor({ state: "detached" });
  await eventually("the end", async () => (await request(id)).status === "closed");
  same((await request(id)).items[0].review.state, "revoked", "the review");
  await page.getByText(/Reviewed by/).getByText("Nothing burns.").waitFor();
  await seen(page, "an emergency that was ended");
  await inbox.context().close();
}

/** Access for five days is prolonged by two, and given back early. */
async function longer(open, page) {
  const thing = await named("Translators");
  const made = await api("member", "POST", "/access-requests", {
    requested_resources: [{ entitlement_id: thing.id, duration: "P5D" }],
    justification: "A book in Polish.",
  });
  await approves(made);
  const before = await eventually("entitlement", async () => {
    const r = await request(made.id);
    return r.status === "fulfilled" && r;
  });

  step("more time is asked for");
  await page.goto(`${new URL(page.url()).origin}/requests/${made.id}`);
  await settled(page);
  const dialog = await more(page, "Request extension");
  await dialog.getByLabel("Additional duration", { exact: true }).fill("2");
  await dialog.getByLabel("Reason for the extension").fill("It is a long book.");
  await seen(page, "before more time is asked for");
  await dialog.getByRole("button", { name: "Request", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: /REQ-/ }).filter({ hasNotText: made.number }).waitFor();
  const id = path(page).split("/")[2];
  const asked = await request(id);
  same([asked.kind, asked.justification], ["extend", "It is a long book."], "what was asked for");
  await seen(page, "more time is asked for");

  step("and given");
  const boss = await open("manager", `/requests/${id}`);
  await boss.getByRole("button", { name: "Approve", exact: true }).click();
  await boss.locator(".dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await page.locator("main").getByText("extended", { exact: true }).first().waitFor();
  const [grant] = (await api("admin", "GET", `/identities/${member.identity_id}/grants?entitlement_id=${thing.id}`)).items.filter((g) => g.entitlement_id === thing.id);
  const days = (Date.parse(grant?.expires_at ?? grant?.ends_at) - Date.parse(before.items[0].ends_at)) / 86_400_000;
  same(Math.round(days), 2, "days that the access lasts longer");
  await boss.context().close();

  step("and given back early");
  await page.goto(`${new URL(page.url()).origin}/requests/${made.id}`);
  await settled(page);
  const end = await more(page, "Return this access");
  await end.getByLabel("Reason").fill("The book is finished.");
  await end.getByRole("button", { name: "Return" }).click();
  await eventually("its end", async () => (await request(made.id)).status === "closed");
  await page.locator("main").getByText("ended", { exact: true }).first().waitFor();
}

async function approves(made) {
  const task = await eventually("the manager's task", async () =>
    (await api("manager", "GET", "/decision-tasks?limit=100")).items.find((t) => t.source.id === made.id),
  );
  await api("manager", "POST", `/decision-tasks/${task.id}/decide`, { action: "approve" });
}

/** One of two things is withdrawn, the other agreed to, that taken back, and somebody else asked. */
async function takenBack(open, page) {
  step("one of two things is withdrawn");
  const [vault, editors] = [await named("Vault"), await named("Editors")];
  const made = await api("member", "POST", "/access-requests", {
    requested_resources: [{ entitlement_id: vault.id, duration: "P3D" }, { entitlement_id: editors.id, duration: "P3D" }],
    justification: "For the new edition.",
  });
  await page.goto(`${new URL(page.url()).origin}/requests/${made.id}`);
  await settled(page);
  await page.getByRole("article", { name: "Editors" }).getByRole("button", { name: "Withdraw item" }).click();
  await page.getByText("Editors was withdrawn.").waitFor();
  await page.getByRole("article", { name: "Editors" }).getByText("withdrawn").first().waitFor();
  const states = async () => Object.fromEntries((await request(made.id)).items.map((i) => [i.display, i.status]));
  same((await states()).Editors, "cancelled", "what was withdrawn");
  await seen(page, "one of two was withdrawn");

  step("the manager has somebody else asked");
  const boss = await open("manager", `/requests/${made.id}`);
  await boss.getByRole("article", { name: "Vault" }).getByRole("button", { name: "Reassign" }).click();
  const dialog = boss.locator(".dialog");
  expect(await dialog.getByRole("button", { name: "Reassign" }).isDisabled(), "nobody has to be named");
  await dialog.getByLabel("New approver").fill(owner.name);
  await boss.getByRole("option", { name: owner.name }).click();
  await dialog.getByLabel("Reason").fill("It is hers.");
  await seen(boss, "before somebody else is asked");
  await dialog.getByRole("button", { name: "Reassign" }).click();
  await boss.getByText(`Reassigned to ${owner.name}.`).waitFor();
  const waits = async (who) => (await api(who, "GET", "/decision-tasks?limit=100")).items.find((t) => t.source.id === made.id);
  expect(!(await waits("manager")), "the manager is still asked");
  const { id: task } = await waits("owner");

  step("who is asked now agrees");
  const other = await open("owner", `/inbox?task=${task}`);
  await other.locator(".inbox-history").getByText(`to ${owner.name}: It is hers.`).waitFor();
  await other.keyboard.press("a");
  await other.getByText(/^Approve: /).waitFor();
  await eventually("the approval", async () => (await states()).Vault === "fulfilled");

  step("an approval is taken back before the next has agreed");
  const payroll = scene.ids.requestForOwner;
  const decided = async () => (await request(payroll)).items[0].stages.map((s) => s.state);
  await boss.goto(`${new URL(boss.url()).origin}/requests/${payroll}`);
  await boss.getByRole("button", { name: "Approve", exact: true }).click();
  await boss.locator(".dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await other.goto(`${new URL(other.url()).origin}/requests/${payroll}`);
  await other.getByRole("button", { name: "Approve", exact: true }).waitFor();
  const back = await more(boss, "Withdraw your approval");
  await back.getByLabel("Reason").fill("The wrong person.");
  await seen(boss, "before an approval is taken back");
  await back.getByRole("button", { name: "Withdraw approval" }).click();
  await boss.getByText("Your approval was withdrawn.").waitFor();
  await boss.getByRole("button", { name: "Approve", exact: true }).waitFor();
  same((await decided())[0], "open", "the manager's stage");
  await other.getByRole("button", { name: "Approve", exact: true }).waitFor({ state: "detached" });
  await seen(boss, "an approval was taken back");
}
