// seed: own
// A violation of an enforced policy is a decision task: it tells both sides and the smallest ways out, and one of them is taken there.
import { apart, duty, holder, named, violation } from "../lib/duties.mjs";
import { api, expect, journey, same, seen, step } from "../lib/house.mjs";

await journey(async ({ open }) => {
  const { person, both } = await holder();
  const policy = await apart(named("Salaries and keys"), [await duty(named("Pay salaries"), both[0]), await duty(named("Keep the keys"), both[1])]);
  const found = await violation(policy, person);

  step("the task");
  const page = await open("admin", "/inbox?kind=sod_violation");
  await page.getByRole("button", { name: /^Violations/ }).waitFor();
  await page.locator(".inbox-list, [role=list], main").getByText(`${person.name} violates ${policy.name}`).first().click();
  await page.getByRole("heading", { level: 3, name: "Facts" }).waitFor();
  await page.getByText("Remove any one of these").waitFor();
  await seen(page, "the task of a violation");
  const text = await page.locator(".inbox-detail").innerText();
  for (const words of ["Pay salaries", "Keep the keys", both[0].name, both[1].name, "Ask the head of the department"])
    expect(text.includes(words), `the task does not say ${words}`);

  step("access is revoked from the task");
  await page.getByRole("button", { name: /^Revoke access/ }).click();
  await page.getByRole("radio", { name: both[0].name }).waitFor();
  await seen(page, "which access is revoked");
  const act = page.locator(".dialog").getByRole("button", { name: "Revoke access", exact: true });
  expect(await act.isDisabled(), "it can be sent without a choice");
  await page.getByRole("radio", { name: both[0].name }).check();
  await page.locator(".dialog").getByLabel("Reason", { exact: true }).fill("The keys are enough.");
  await act.click();
  await page.locator(".dialog").waitFor({ state: "detached" });
  const gone = await violation(policy, person, "remediated");
  same(gone.id, found.id, "the violation");
  same((await api("admin", "GET", `/policies/violations/${found.id}`)).resolution, "access_removed", "its resolution");
});
