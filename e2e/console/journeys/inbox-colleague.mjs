// when: long
// seed: own
// A manager gives a task to a colleague whom they see nowhere else, by keyboard alone; the colleague finds it in their inbox. Whoever does not decide finds nobody.
import { api, expect, fail, focused, journey, same, scene, seen, settled, step, token } from "../lib/house.mjs";

/** Lets somebody whom the manager does not see come in, as an ordinary member. */
async function hired() {
  const { items: reports } = await api("manager", "GET", "/identities?limit=500");
  const known = new Set([...reports, ...Object.values(scene.users)].flatMap((p) => [p.id, p.identity_id]));
  const { items: all } = await api("admin", "GET", "/identities?status=active&kind=human&sort=-display_name&limit=200");
  const other = all.find((p) => !known.has(p.id) && all.filter((q) => q.display_name === p.display_name).length === 1);
  if (!other) fail("the manager sees everybody");
  const [email, password] = ["colleague@acme.example", "a passphrase of some length"];
  const { invitation } = await api("admin", "POST", "/settings/users", { email, roles: [], identity_id: other.id });
  const came = await fetch(`${scene.url}/api/v1/auth/sign-in-link`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: invitation.token, password }),
  });
  expect(came.ok, `the colleague cannot come in: ${came.status}`);
  scene.users.colleague = { email, password, identity_id: other.id, name: other.display_name };
  return scene.users.colleague;
}

/** What a search answers somebody: its status and code. */
async function refused(who, path) {
  const answer = await fetch(`${scene.url}/api/v1${path}`, { headers: { Authorization: `Bearer ${await token(who)}` } });
  return [answer.status, (await answer.json()).code];
}

/** Goes on by the tab key until the focus is on something. */
async function tabTo(page, what) {
  for (let tries = 0; tries < 20; tries++) {
    if (await what.evaluate((e) => e === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  fail(`the tab key does not lead to ${what}`);
}

await journey(async ({ open }) => {
  const colleague = await hired();
  step("the manager sees them nowhere");
  same((await api("manager", "GET", `/identities?q=${encodeURIComponent(colleague.name)}`)).total, 0, "whom the manager finds among people");
  same((await refused("manager", `/identities/${colleague.identity_id}`))[0], 404, "their record");
  const id = await handedOn(open, colleague);
  await received(open, colleague, id);
  await delegated(open, colleague);
});

/** Gives the first task to the colleague, by keyboard alone. */
async function handedOn(open, colleague) {
  step("a task is opened and not theirs");
  // Why somebody has what they ask for is told only to whoever sees it: 404 for the task that is opened next.
  const page = await open("manager", "/inbox?q=Library", { allow: [404] });
  await page.locator(".inbox-row").first().waitFor();
  await page.keyboard.press("j");
  await page.locator(".inbox-history li").first().waitFor();
  const id = new URL(page.url()).searchParams.get("task");
  await page.keyboard.press("d");
  const dialog = page.locator(".dialog");
  await dialog.waitFor();

  step("one letter finds nobody, and asks nothing");
  const asked = [];
  page.on("request", (r) => r.url().includes("/colleagues") && asked.push(new URL(r.url()).searchParams.get("q")));
  const who = dialog.getByLabel("New approver", { exact: true });
  await tabTo(page, who);
  await page.keyboard.type(colleague.name[0]);
  await page.getByText("Type at least 2 letters of the name.").waitFor();
  await seen(page, "too little to search by");

  step("a name that nobody has");
  await page.keyboard.type("qzxv");
  await page.getByText("No eligible person has this name.").waitFor();
  await seen(page, "nobody is called so");
  for (const _ of "?qzxv") await page.keyboard.press("Backspace");

  step("the name finds the colleague");
  await page.keyboard.type(colleague.name, { delay: 10 });
  const option = page.getByRole("option", { name: colleague.name });
  await option.waitFor();
  await settled(page);
  expect(asked.every((q) => q.length > 1) && asked.length < colleague.name.length, `it was asked for ${asked.join(", ")}`);
  const { email } = await api("admin", "GET", `/identities/${colleague.identity_id}`);
  expect(email && !(await option.innerText()).includes(email), "an address is told of somebody whom the name tells apart");
  await seen(page, "a colleague is found");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  same(await who.inputValue(), colleague.name, "who was chosen");
  await seen(page, "a colleague is chosen");
  await tabTo(page, dialog.getByLabel("Reason"));
  await page.keyboard.type("You know the library.");
  await tabTo(page, dialog.getByRole("button", { name: "Reassign", exact: true }));
  await page.keyboard.press("Enter");
  await page.getByText(`Reassigned to ${colleague.name}.`).waitFor();
  await dialog.waitFor({ state: "detached" });

  step("who does not decide it any more, and who never did, find nobody");
  const path = `/decision-tasks/${id}/colleagues?q=${encodeURIComponent(scene.users.owner.name)}`;
  same(await refused("manager", path), [404, "not_found"], "what the manager is answered");
  same(await refused("member", path), [404, "not_found"], "what the member is answered");
  same(await refused("auditor", path), [403, "read_only_role"], "what the auditor is answered");
  same(await refused("colleague", path.replace(/q=.*/, "q=")), [400, "invalid_parameter"], "what is answered to nothing");
  await page.context().close();
  return id;
}

/** The colleague finds the task, and why it is theirs, and decides it. */
async function received(open, colleague, id) {
  step("the colleague finds it");
  const page = await open("colleague", "/inbox", { allow: [404] });
  await page.locator(`[id="task-${id}"] .inbox-open`).waitFor();
  await page.keyboard.press("j");
  await page.locator(".inbox-history").getByText(`to ${colleague.name}: You know the library.`).waitFor();
  await seen(page, "what was handed on");
  await page.keyboard.press("a");
  await page.getByText(/^Approve: /).waitFor();
  let task;
  for (let tries = 0; tries < 150 && task?.state !== "decided"; tries++) {
    await new Promise((r) => setTimeout(r, 100));
    task = await api("admin", "GET", `/decision-tasks/${id}`);
  }
  same([task.state, task.decision?.by?.identity_id], ["decided", colleague.identity_id], "who has decided");
  await page.context().close();
}

/** Whoever may delegate finds them as well. */
async function delegated(open, colleague) {
  step("the manager names them as delegate");
  const page = await open("manager", "/inbox/delegations");
  await page.getByRole("button", { name: "Delegate", exact: true }).focus();
  await page.keyboard.press("Enter");
  const who = page.locator(".dialog").getByLabel("Delegate");
  await tabTo(page, who);
  await page.keyboard.type(colleague.name);
  await page.getByRole("option", { name: colleague.name }).waitFor();
  await seen(page, "a delegate is found");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await tabTo(page, page.locator(".dialog").getByRole("button", { name: "Delegate", exact: true }));
  await page.keyboard.press("Enter");
  await page.getByText(`${colleague.name} can decide from now on.`).waitFor();
  await focused(page, "button", "after the dialog");
}
