// seed: own
// A control is defined, and a violation is mitigated: one administrator proposes the control, another one approves it, the owner of another one uploads evidence, which is reviewed; a stored query is previewed, and its answer is shown; a control in use cannot be deleted; then the mitigation is ended.
import { until } from "../lib/desk.mjs";
import { apart, duty, holder, named, violation } from "../lib/duties.mjs";
import { api, expect, go, journey, same, scene, seen, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const { person, both } = await holder();
  const duties = [await duty(named("Pay salaries"), both[0]), await duty(named("Keep the keys"), both[1])];
  const policy = await apart(named("Salaries and keys"), duties);
  const found = await violation(policy, person);
  const one = () => api("admin", "GET", `/policies/violations/${found.id}`);

  const page = await open("admin", "/separation-of-duties", { allow: [409, 422] });
  const dialog = page.locator(".dialog");
  const pick = async (label, words) => {
    await page.getByLabel(label, { exact: true }).fill(words);
    await page.getByRole("option", { name: new RegExp(`^${words}`) }).first().click();
  };
  const sections = page.getByRole("navigation", { name: "Sections" });

  step("a control is defined; what is wrong stands at its field");
  const control = named("Check of salaries");
  await sections.getByRole("link", { name: "Controls" }).click();
  await page.getByRole("link", { name: scene.names.control }).waitFor();
  await seen(page, "mitigating controls");
  await page.getByRole("link", { name: "New control" }).click();
  await page.getByLabel("Name", { exact: true }).fill(scene.names.control);
  await page.getByLabel("Longest duration", { exact: true }).fill("800");
  await button(page, "Save").click();
  await page.getByText(/is not an ISO 8601 duration|is not a duration/).first().waitFor();
  await seen(page, "a control with a duration that is too long");
  await page.getByLabel("Longest duration", { exact: true }).fill("60");
  await button(page, "Save").click();
  await page.getByText("Choose another name.").first().waitFor();
  await page.getByLabel("Name", { exact: true }).fill(control);
  await page.getByLabel("Procedure", { exact: true }).fill("Compare each payment with the contract.\nSign the list.");
  await pick("Owners", scene.users.owner.name);
  await pick("Policies", policy.name);
  await page.getByLabel("Kind of evidence", { exact: true }).selectOption("upload");
  await page.getByLabel("Interval", { exact: true }).fill("14");
  await page.locator("main header").getByRole("link", { name: "Mitigating controls" }).click();
  await dialog.waitFor();
  await button(dialog, "Keep editing").click();
  await dialog.waitFor({ state: "detached" });
  await seen(page, "a control that is written");
  await button(page, "Save").click();
  await page.getByRole("heading", { level: 1, name: control }).waitFor();
  await page.getByText("file every 14 days").first().waitFor();
  await page.getByText("Not applied yet").waitFor();
  await seen(page, "a control");
  const made = (await api("admin", "GET", `/policies/mitigation?q=${encodeURIComponent(control)}`)).items[0];
  same(
    [made.max_duration, made.applies_to, made.evidence.cadence, made.control_owner_ids],
    ["P60D", { sod_policy_ids: [policy.id], severities: [] }, "P14D", [scene.users.owner.identity_id]],
    "what was saved",
  );

  step("it is disabled, enabled and changed");
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await button(dialog, "Disable").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(/the control cannot be applied/).waitFor();
  await button(page, "Enable").click();
  await page.getByText(/the control cannot be applied/).waitFor({ state: "detached" });
  await button(page, "Edit").click();
  await page.getByLabel("Description", { exact: true }).fill("A second person compares payments with contracts.");
  await button(page, "Save").click();
  await button(page, "Edit").waitFor();
  await page.getByText("A second person compares payments with contracts.").first().waitFor();
  await page.getByText("Version 4").waitFor();

  step("a control with a stored query is previewed and defined");
  const automatic = named("Manager is active");
  await page.locator("main header").getByRole("link", { name: "Mitigating controls" }).click();
  await page.getByRole("link", { name: "New control" }).click();
  await page.getByLabel("Name", { exact: true }).fill(automatic);
  await pick("Owners", scene.users.owner.name);
  await pick("Policies", policy.name);
  await page.getByLabel("Kind of evidence", { exact: true }).selectOption("automatic_query");
  await seen(page, "a stored query");
  await button(page, "Save").click();
  await page.getByText("A query about accounts names the systems that it looks at.").first().waitFor();
  await page.getByLabel("Looks at", { exact: true }).selectOption("manager");
  await page.getByText("No clauses: all are counted.").waitFor();
  same(await button(page, "Expression").count(), 0, "expressions in a stored query");
  await button(page, "Clause").click();
  await page.getByLabel("Clause 1: field").selectOption("status");
  await page.getByLabel("Clause 1: value").selectOption("active");
  await page.getByLabel("Expects", { exact: true }).selectOption("some");
  await button(page, "Preview").click();
  await page.getByText(/\d+ of \d+ violations? (was|were) evaluated\. Passed: \d+\. Failed: \d+\. Not answered: \d+\./).waitFor();
  await page.getByRole("list", { name: "Answers" }).getByText(person.name).waitFor();
  await seen(page, "the preview of a stored query");
  await button(page, "Save").click();
  await page.getByRole("heading", { level: 1, name: automatic }).waitFor();
  await page.getByText("their manager, where status is active; expected: at least one").waitFor();
  await page.getByText("stored query every 30 days").first().waitFor();
  await seen(page, "a control with a stored query");

  step("a control is proposed");
  await go(page, `/violations/${found.id}`);
  await button(page, "Mitigate…").click();
  await seen(page, "a control is chosen");
  expect(await button(dialog, "Propose").isDisabled(), "it can be proposed without a control");
  await dialog.getByLabel("Control").selectOption({ label: control });
  await dialog.getByLabel("Days").fill("30");
  await dialog.getByLabel("Justification").fill("Until the new clerk starts.");
  await button(dialog, "Propose").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(/A mitigation by the control .* is proposed/).waitFor();
  same((await one()).mitigation.state, "proposed", "the mitigation");
  await seen(page, "a proposed mitigation");

  step("a control that is proposed cannot be deleted");
  await go(page, `/separation-of-duties/controls/${made.id}`);
  await page.getByRole("row").filter({ hasText: person.name }).getByText("proposed").waitFor();
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await button(dialog, "Delete").click();
  await dialog.getByText(/is applied or proposed 1 times, so it cannot be deleted/).waitFor();
  await seen(page, "a control that is proposed is not deleted");
  await button(dialog, "Cancel").click();
  await dialog.waitFor({ state: "detached" });
  await go(page, `/violations/${found.id}`);

  step("another administrator approves it");
  const second = await open("second", "/inbox?kind=mitigation_approval&assigned=all");
  await second.getByText(`Mitigate ${policy.name} by ${person.name}`).first().click();
  await second.getByRole("heading", { level: 3, name: "Facts" }).waitFor();
  await seen(second, "the task of a proposed mitigation");
  const told = await second.locator(".inbox-detail").innerText();
  for (const words of [control, "Until the new clerk starts.", "P30D"])
    expect(told.includes(words), `the task does not say ${words}`);
  await second.getByRole("button", { name: /^Approve/ }).first().click();
  await until(async () => (await one()).state === "mitigated", "it is not mitigated");
  await page.getByText(/covers it until/).waitFor({ timeout: 30_000 });
  await seen(page, "a mitigated violation");

  step("the control is in use and cannot be deleted");
  await go(page, `/separation-of-duties/controls/${made.id}`);
  await page.getByRole("row").filter({ hasText: person.name }).getByText("active").waitFor({ timeout: 30_000 });
  await seen(page, "a control in use");
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText(/1 active mitigation applies this control/).waitFor();
  await seen(page, "a control in use is not deleted");
  await button(dialog, "Close").last().click();
  await dialog.waitFor({ state: "detached" });

  step("the owner of a control uploads evidence");
  const owner = await open("owner", "/inbox?kind=mitigation_evidence");
  await owner.getByText(`Evidence for ${scene.names.control}`).first().click();
  await button(owner, "Upload a file…").click();
  await seen(owner, "evidence is uploaded");
  expect(await button(owner.locator(".dialog"), "Provide").isDisabled(), "it can be provided without a file");
  await owner.locator("input[type=file]").setInputFiles({ name: "review.txt", mimeType: "text/plain", buffer: Buffer.from("All payments are in order.") });
  await owner.getByLabel("What it shows").fill("The payments of this week.");
  await button(owner.locator(".dialog"), "Provide").click();
  await owner.locator(".dialog").waitFor({ state: "detached" });
  await until(
    async () => (await api("admin", "GET", `/policies/mitigations/${scene.ids.mitigation}`)).state === "active",
    "the mitigation still waits for evidence",
  );

  step("it is reviewed");
  await go(second, "/inbox?kind=mitigation_review&assigned=all");
  await second.getByText(`Review evidence for ${scene.names.control}`).first().click();
  await button(second, "Download review.txt").waitFor();
  await second.getByText("The payments of this week.").waitFor();
  await seen(second, "the review of evidence");
  await second.getByRole("button", { name: /^Accept/ }).first().click();
  await until(async () => {
    const { items } = await api("admin", "GET", `/policies/mitigations/${scene.ids.mitigation}/evidence`);
    return items[0].verdict === "accepted";
  }, "the evidence is not accepted");

  step("the list of mitigations, and one with its evidence");
  await go(page, "/separation-of-duties");
  await sections.getByRole("link", { name: "Mitigations" }).click();
  await page.getByRole("link", { name: scene.names.control }).waitFor();
  await seen(page, "mitigations");
  await button(page, "Due").click();
  await page.getByText("No results match these filters").waitFor();
  await button(page, "Active").click();
  await page.getByRole("link", { name: control }).waitFor();
  await page.getByRole("link", { name: scene.names.control }).first().click();
  await page.getByRole("list", { name: "Evidence" }).getByText("The payments of this week.").waitFor();
  await page.getByRole("list", { name: "Evidence" }).getByText("accepted", { exact: true }).waitFor();
  await page.getByRole("list", { name: "Evidence" }).getByText(/The query (found|could not be answered)/).waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Download review.txt").click()]);
  same(file.suggestedFilename(), "review.txt", "the file of the evidence");
  await seen(page, "a mitigation with its evidence");
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 1000 });
    await seen(page, `a mitigation at ${width}`);
  }
  await page.setViewportSize({ width: 1360, height: 860 });

  step("its owner sees it, and an auditor reads all of it");
  await go(owner, "/separation-of-duties/mitigations");
  await owner.getByRole("link", { name: scene.names.control }).first().click();
  await owner.getByText("The payments of this week.").waitFor();
  same(await button(owner, "End mitigation…").count(), 0, "the buttons of the owner");
  const reads = await open("auditor", `/separation-of-duties/controls/${made.id}`);
  await reads.getByRole("row").filter({ hasText: person.name }).getByText("active").waitFor();
  same(await reads.getByRole("button", { name: /^(Edit|Disable|More)$/ }).count(), 0, "the buttons of an auditor");

  step("the first mitigation is ended");
  await go(page, `/separation-of-duties/controls/${made.id}`);
  await page.getByRole("row").filter({ hasText: person.name }).getByRole("link", { name: control }).click();
  await page.getByRole("list", { name: "Evidence" }).or(page.getByText("No evidence was provided yet.")).waitFor();
  const mitigation = new URL(page.url()).pathname;
  await seen(page, "a mitigation in force");
  await page.getByRole("link", { name: "Show the violation" }).click();
  await button(page, "End mitigation…").click();
  await page.getByLabel("Reason", { exact: true }).fill("The clerk has started.");
  await button(dialog, "End").click();
  await dialog.waitFor({ state: "detached" });
  await until(async () => (await one()).state === "open", "it is not open again");
  await button(page, "False positive…").waitFor({ timeout: 30_000 });
  await go(page, mitigation);
  await page.getByText(/a person ended it/).waitFor();
  await seen(page, "a mitigation that was ended");
});
