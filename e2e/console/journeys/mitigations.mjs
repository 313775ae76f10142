// seed: own
// A violation is mitigated: one administrator proposes a control, another one approves it, its owner uploads evidence, which is reviewed; then the mitigation is ended.
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

  step("a control is proposed");
  const page = await open("admin", `/violations/${found.id}`);
  const dialog = page.locator(".dialog");
  await button(page, "Mitigate…").click();
  await seen(page, "a control is chosen");
  expect(await button(dialog, "Propose").isDisabled(), "it can be proposed without a control");
  await dialog.getByLabel("Control").selectOption({ label: scene.names.control });
  await dialog.getByLabel("Days").fill("30");
  await dialog.getByLabel("Justification").fill("Until the new clerk starts.");
  await button(dialog, "Propose").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(/A mitigation by the control .* is proposed/).waitFor();
  same((await one()).mitigation.state, "proposed", "the mitigation");
  await seen(page, "a proposed mitigation");

  step("another administrator approves it");
  const second = await open("second", "/inbox?kind=mitigation_approval&assigned=all");
  await second.getByText(`Mitigate ${policy.name} by ${person.name}`).first().click();
  await second.getByRole("heading", { level: 3, name: "Facts" }).waitFor();
  await seen(second, "the task of a proposed mitigation");
  const told = await second.locator(".inbox-detail").innerText();
  for (const words of [scene.names.control, "Until the new clerk starts.", "P30D"])
    expect(told.includes(words), `the task does not say ${words}`);
  await second.getByRole("button", { name: /^Approve/ }).first().click();
  await until(async () => (await one()).state === "mitigated", "it is not mitigated");
  await page.getByText(/covers it until/).waitFor({ timeout: 30_000 });
  await seen(page, "a mitigated violation");

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

  step("the first mitigation is ended");
  await button(page, "End mitigation…").click();
  await page.getByLabel("Reason", { exact: true }).fill("The clerk has started.");
  await button(dialog, "End").click();
  await dialog.waitFor({ state: "detached" });
  await until(async () => (await one()).state === "open", "it is not open again");
  await button(page, "False positive…").waitFor({ timeout: 30_000 });
});
