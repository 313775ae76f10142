// seed: own
// An approval rule is written, tried with a sample request, switched on and asked; working time and who is on call are kept.
import { api, expect, journey, path, same, scene, seen, settled, step } from "../lib/house.mjs";

const named = async (name) => (await api("admin", "GET", `/entitlements?q=${name}`)).items.find((e) => (e.display_name || e.name) === name);
const choose = async (page, label, text) => {
  await page.getByLabel(label, { exact: true }).first().fill(text);
  await page.getByRole("option", { name: text }).first().click();
};

await journey(async ({ open }) => {
  const page = await open("admin", "/settings/approval-rules", { allow: [422] });
  await page.getByRole("heading", { name: "Built-in rule" }).waitFor();
  await seen(page, "approval rules");
  const thing = await named("Library");
  const id = await writes(page);
  await tries(page, thing);
  await counts(page, id, thing);
  await absent(open, page, await named("Vault"));
  await worktime(page);
  await reads(open, id);
});

async function writes(page) {
  step("a rule is written");
  await page.getByRole("link", { name: "New approval rule" }).click();
  await page.getByLabel("Name", { exact: true }).first().fill("Books");
  await choose(page, "Entitlements", "Library");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  const drawn = page.getByRole("list", { name: "Steps of: Always" });
  await drawn.getByText("Owners of the requested access").waitFor();
  await page.getByRole("combobox", { name: "Approver 1" }).last().selectOption("identity");
  await choose(page, "Approver", scene.users.owner.name);
  await drawn.getByText(scene.users.owner.name).waitFor();
  await seen(page, "writing a rule");

  step("what can never be is refused at its place, and nothing is lost");
  await page.locator("summary", { hasText: "If no approver answers" }).first().click();
  await page.getByRole("button", { name: "Reminder", exact: true }).first().click();
  await page.getByLabel("Reminder before the due time (1)", { exact: true }).fill("9");
  await page.getByRole("button", { name: "Save" }).click();
  const wrong = page.getByLabel("Reminder before the due time (1)", { exact: true }).locator("xpath=ancestor::div[@class='field']");
  await wrong.locator("[data-wrong]").waitFor();
  same(await page.getByLabel("Name", { exact: true }).first().inputValue(), "Books", "what was typed");
  await seen(page, "a refused rule");
  await page.getByLabel("Reminder before the due time (1)", { exact: true }).fill("1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Books" }).waitFor();
  await settled(page);
  const id = path(page).split("/")[3];
  same((await api("admin", "GET", `/approval-rules/${id}`)).enabled, false, "whether it counts already");
  return id;
}

async function tries(page, thing) {
  step("tried with a sample request");
  await choose(page, "Person", scene.users.member.name);
  await choose(page, "Item name", "Library");
  await page.getByRole("button", { name: "Test" }).click();
  const way = page.getByRole("list", { name: "Approvers for Library" });
  await way.getByText(scene.users.manager.name).waitFor();
  await way.getByText(scene.users.owner.name).waitFor();
  step("replayed over what was asked for");
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByRole("region", { name: "Differences" }).waitFor();
  await seen(page, "tried and replayed");
  const before = await api("admin", "GET", `/access-requests?entitlement_id=${thing.id}`);
  same(before.items[0].items[0].rule.name, "Built-in rule", "the rule of the request under way");
}

async function counts(page, id, thing) {
  step("switched on, it is whom requests to come go by");
  await page.getByRole("button", { name: "Enable" }).click();
  await page.locator("main").getByText("active", { exact: true }).waitFor();
  await seen(page, "it counts");
  const foreseen = await api("owner", "POST", "/access-requests/preview", {
    requested_resources: [{ entitlement_id: thing.id }],
    justification: "to read",
  });
  same(foreseen.items[0].rule.name, "Books", "the rule of a request");

  step("changed, deleted");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Description").fill("For whoever reads.");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Open requests keep their version of the rule.").waitFor();
  const kept = await api("admin", "GET", `/approval-rules/${id}`);
  same([kept.description, kept.branches[0].outcome.stages.length, kept.branches[0].outcome.stages[0].reminders], ["For whoever reads.", 2, ["P1D"]], "what was saved");
  same((await api("admin", "GET", `/approval-rules/${id}/versions`)).total, kept.version, "its versions");
}

async function absent(open, page, thing) {
  step("an owner who cannot sign in is named");
  const nobody = await api("admin", "POST", "/identities", { external_id: "N-1", display_name: "Noel Nouser", email: "noel@nouser.example" });
  await api("admin", "PATCH", `/entitlements/${thing.id}`, { owner_ids: [nobody.id], risk_level: "high" });
  await page.goto(`${new URL(page.url()).origin}/settings/approval-rules?g-gap=unavailable`);
  const gaps = page.locator("section.table[aria-label=Coverage]");
  const row = gaps.getByRole("row").filter({ hasText: "Vault" });
  await row.getByText("Not asked: Noel Nouser cannot sign in").waitFor();
  await seen(page, "approvers who cannot sign in");
  const member = await open("member", `/access/request?items=${thing.id}`);
  await member.getByText("Not asked: Noel Nouser cannot sign in").waitFor();
  await seen(member, "a preview with an approver who cannot sign in");
}

async function worktime(page) {
  step("working time");
  await page.goto(`${new URL(page.url()).origin}/settings/approval-rules/worktime`);
  await settled(page);
  await page.getByRole("button", { name: "Add a calendar" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Hamburg");
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.getByRole("button", { name: /add hours on saturday/ }).click();
  await page.getByRole("button", { name: "Holiday", exact: true }).click();
  await page.getByLabel("Date", { exact: true }).fill("2026-12-25");
  await page.getByRole("group", { name: "Holidays" }).getByLabel("Name").fill("Christmas Day");
  await seen(page, "a calendar");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: "Hamburg" }).waitFor();
  const made = (await api("admin", "GET", "/approval-rules/calendars?q=Hamburg")).items[0];
  same([made.timezone, made.week.saturday, made.holidays[0].date], ["Europe/Berlin", [{ from: "09:00", to: "17:00" }], "2026-12-25"], "the calendar");

  step("who is on call");
  await page.getByRole("button", { name: "Add a schedule" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Night desk");
  await choose(page, "People", scene.users.manager.name);
  await choose(page, "People", scene.users.owner.name);
  await page.getByRole("button", { name: "Move entry 2 up" }).click();
  await seen(page, "a schedule");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const card = page.locator("li.card", { has: page.getByRole("heading", { name: "Night desk" }) });
  await card.getByText(scene.users.owner.name).first().waitFor();
  const desk = (await api("admin", "GET", "/approval-rules/on-call?q=Night")).items[0];
  same((await api("admin", "GET", `/identities/${desk.on_call_identity_id}`)).display_name, scene.users.owner.name, "who is on call");
  await seen(page, "working time and on call");
}

async function reads(open, id) {
  step("who only reads");
  const auditor = await open("auditor", `/settings/approval-rules/${id}`);
  await settled(auditor);
  const writes = auditor.locator("main :is(button, select, input, textarea):not([data-reads]):not([data-reads] *)");
  expect((await auditor.getByRole("button", { name: "Edit" }).count()) === 0, "an auditor is offered to change it");
  const shown = await writes.evaluateAll((all) => all.map((e) => e.getAttribute("aria-label") ?? e.textContent?.slice(0, 40) ?? ""));
  same(shown, [], "what an auditor could change");
  await seen(auditor, "a rule, for an auditor");
}
