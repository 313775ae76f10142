// seed: own
// Somebody asks and sees what becomes of it, their manager and the owner agree, and the system has it; withdrawn; for many at once.
import { api, expect, fail, go, journey, path, same, scene, seen, settled, step } from "../lib/house.mjs";

const named = async (name) => (await api("admin", "GET", `/entitlements?q=${name}`)).items.find((e) => (e.display_name || e.name) === name);
const eventually = async (what, is, within = 30_000) => {
  for (const until = Date.now() + within; Date.now() < until; ) {
    const found = await is();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  fail(`${what} did not come`);
};

await journey(async ({ open }) => {
  const page = await open("member", "/access/request");
  const id = await asks(page);
  await decides(open, id);
  await follows(page, id);
  await withdraws(page);
  await many(open);
  await refused(open);
});

/** The catalog, the cart, what would become of it, and what is kept while one is away. */
async function asks(page) {
  await seen(page, "what may be asked for");
  await page.getByLabel("Search names and purposes").fill("vault");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  await page.getByRole("button", { name: "Vault", exact: true }).click();
  await page.locator(".dialog").getByText("What the Vault team works with.").waitFor();
  await seen(page, "what it is");
  await page.locator(".dialog").getByRole("button", { name: "Add" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Review request" }).click();

  step("before anybody is asked");
  const way = page.getByRole("list", { name: "Approvers of Vault" });
  await way.getByText(scene.users.manager.name).waitFor();
  await way.getByText(scene.users.owner.name).waitFor();
  await page.getByText("say what Vault is needed for").waitFor();
  expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled(), "it can be sent without a reason");
  same((await api("member", "GET", "/access-requests?status=pending_approval&q=Vault")).total, 0, "requests that looking made");
  await page.getByLabel("Duration").selectOption("span");
  await page.getByLabel("Period", { exact: true }).fill("5");
  await page.getByRole("textbox", { name: "Reason" }).fill("The key of the <b>archive</b> is in it.");
  await way.getByText("for 5 days").waitFor();
  await seen(page, "before it is sent");

  step("away and back: nothing is lost");
  const at = path(page);
  await page.goto(`${new URL(page.url()).origin}/requests`);
  await settled(page);
  await page.goBack();
  await settled(page);
  same(path(page), at, "the address");
  same(await page.getByRole("textbox", { name: "Reason" }).inputValue(), "The key of the <b>archive</b> is in it.", "what was typed");
  same(await page.getByLabel("Period", { exact: true }).inputValue(), "5", "for how long");

  step("it is sent once");
  const sent = page.waitForRequest((r) => r.method() === "POST" && r.url().endsWith("/access-requests"));
  await page.getByRole("button", { name: "Send", exact: true }).dblclick();
  expect(/^[0-9a-f-]{36}$/.test((await sent).headers()["idempotency-key"] ?? ""), "the request has no Idempotency-Key");
  await page.getByRole("heading", { level: 1, name: /REQ-/ }).waitFor();
  const all = await api("member", "GET", "/access-requests?status=pending_approval&q=Vault");
  same(all.total, 1, "requests for the Vault");
  same(all.items[0].items[0].duration, "P5D", "for how long it was asked");
  await page.getByText("The key of the <b>archive</b> is in it.").first().waitFor();
  await seen(page, "a request of one's own");
  return all.items[0].id;
}

/** The manager agrees at the request itself, then the owner, who gives it for less. */
async function decides(open, id) {
  const manager = await open("manager", "/requests?status=pending_approval");
  step("the manager says something aside, and agrees");
  const { number } = await api("admin", "GET", `/access-requests/${id}`);
  await manager.getByRole("link", { name: number }).click();
  await manager.getByLabel("Comment", { exact: true }).fill("She may, as far as I can see.");
  await manager.getByLabel("Visible to approvers only").check();
  await manager.getByRole("button", { name: "Add comment" }).click();
  await manager.getByText("approvers only", { exact: true }).waitFor();
  await manager.getByRole("button", { name: "Approve", exact: true }).click();
  await seen(manager, "before approving");
  await manager.locator(".dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await manager.getByRole("list", { name: "Approvers of Vault" }).getByText("Approved").first().waitFor();
  await seen(manager, "one stage is passed");

  step("what the owner's inbox leads to can be opened");
  const task = await eventually("the owner's task", async () => (await api("owner", "GET", "/decision-tasks")).items.find((t) => t.source.id === id));
  const inbox = await open("owner", `/inbox?task=${task.id}`);
  await inbox.getByText(scene.users.member.name).first().waitFor();
  const ways = await inbox.locator("main a.inbox-link").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  expect(ways.some((to) => to.startsWith("/requests/")), `the task leads to ${ways}`);
  for (const to of new Set(ways)) await go(inbox, to); // a page that the owner may not see answers 404, which fails
  await inbox.context().close();
  step("the owner agrees");
  const owner = await open("owner", `/requests/${id}`);
  await owner.getByText("approvers only", { exact: true }).waitFor();
  await owner.getByRole("button", { name: "Approve", exact: true }).click();
  await owner.locator(".dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await eventually("the approval", async () => (await api("admin", "GET", `/access-requests/${id}`)).items[0].decision === "approved");
}

/** Whoever asked sees how far it is, without touching the page, and not what was said aside. */
async function follows(page, id) {
  step("the system has it");
  await eventually("entitlement", async () => (await api("admin", "GET", `/access-requests/${id}`)).status === "fulfilled");
  await page.getByText("Verified in the system.").waitFor();
  same(await page.getByText("approvers only", { exact: true }).count(), 0, "what was said aside");
  const tasks = await page.getByRole("link", { name: /Changes in the system|Task \d/ }).count();
  expect(tasks > 0, "no change of the system is linked");
  await seen(page, "it is there");

  step("and gives it back");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Return this access" }).click();
  await page.locator(".dialog").getByRole("button", { name: "Return" }).click();
  await page.getByText("The access is being revoked.").waitFor();
  await eventually("its end", async () => (await api("admin", "GET", `/access-requests/${id}`)).status === "closed");
}

async function withdraws(page) {
  step("asked and withdrawn");
  const thing = await named("Translators");
  await page.goto(`${new URL(page.url()).origin}/access/request?items=${thing.id}`);
  await settled(page);
  await page.getByRole("textbox", { name: "Reason" }).fill("I was wrong.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: /REQ-/ }).waitFor();
  const id = path(page).split("/")[2];
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Withdraw" }).click();
  await page.locator(".dialog").getByLabel("Reason").fill("optional");
  await page.locator(".dialog").getByRole("button", { name: "Withdraw" }).click();
  await page.locator("main").getByText("withdrawn").first().waitFor();
  same((await api("member", "GET", `/access-requests/${id}`)).status, "cancelled", "its state");
  await seen(page, "withdrawn");
}

/** A manager asks for everybody who reports to them: for one of them it cannot be, and that is said before. */
async function many(open) {
  const thing = await named("Publishers");
  const page = await open("manager", `/access/request?items=${thing.id}`);
  step("for everybody who reports to the manager");
  await page.getByRole("button", { name: "All of my reports" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("We publish together.");
  const table = page.getByRole("region", { name: "Result for each person" });
  await table.getByText(/has Publishers already/).waitFor();
  await page.getByRole("button", { name: /^Send for \d+ eligible$/ }).waitFor();
  await settled(page);
  const words = await page.getByRole("button", { name: /^Send for/ }).innerText();
  const told = Number(/\d+/.exec(words)[0]);
  await seen(page, "for many");
  const before = (await api("admin", "GET", "/access-requests?q=publish together")).total;
  await page.getByRole("button", { name: /^Send for/ }).click();
  await page.getByText(told === 1 ? "1 request submitted." : `${told} requests submitted.`).waitFor();
  same((await api("admin", "GET", "/access-requests?q=publish together")).total - before, told, "requests that were made");
  await seen(page, "sent for many");
}

/** The manager refuses; not without saying why. */
async function refused(open) {
  step("refused with a reason");
  const thing = await named("Translators");
  const one = await api("member", "POST", "/access-requests", {
    requested_for_identity_id: scene.users.member.identity_id,
    requested_resources: [{ entitlement_id: thing.id }],
    justification: "I translate after all.",
  });
  const second = await open("manager", `/requests/${one.id}`);
  await second.getByRole("button", { name: "Reject" }).click();
  const dialog = second.locator(".dialog");
  expect(await dialog.getByRole("button", { name: "Reject" }).isDisabled(), "it can be refused without a reason");
  await dialog.getByLabel("Reason").fill("Not before the audit.");
  await dialog.getByRole("button", { name: "Reject" }).click();
  await second.locator("main").getByText("Not before the audit.").first().waitFor();
  same((await api("admin", "GET", `/access-requests/${one.id}`)).status, "rejected", "its state");
  const auditor = await open("auditor", `/requests/${one.id}`);
  await settled(auditor);
  same(await auditor.locator("main button:not([data-reads])").count(), 0, "what an auditor could change");
  await seen(auditor, "a request, for an auditor");
}
