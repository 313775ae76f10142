// seed: own
// A request that would violate a policy says so before it is sent, with both sides and the smallest way out; a warning lets it pass; what changes meanwhile is refused in words; and direct assignments are told the same.
import { apart, duty, holder, named } from "../lib/duties.mjs";
import { api, expect, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const merge = { "Content-Type": "application/merge-patch+json" };

await journey(async ({ open }) => {
  const { person, both } = await holder(["Printers", "Editors"], 1);
  const policy = await apart(named("Cheques and the site"), [await duty(named("Print cheques"), both[0]), await duty(named("Write for the site"), both[1])]);
  const effect = (on_request) => api("admin", "PATCH", `/policies/separation-of-duties/${policy.id}`, { effects: { on_request } }, merge);
  const { items: all } = await api("admin", "GET", "/entitlements?limit=500");
  const other = all.find((e) => e.name === "Translators");

  step("a request that is refused says why, and what to do");
  const page = await open("member", `/access/request?items=${both[1].id},${other.id}&view=review`, { allow: [409] });
  const section = page.getByRole("region", { name: "Separation of duties" });
  await section.waitFor();
  await section.getByText(policy.name).first().waitFor();
  await section.getByText("refused").waitFor();
  await section.getByText("The smallest way out: do without any one of these").waitFor();
  await page.getByText("It cannot be requested together with other access of the person.").first().waitFor();
  await seen(page, "a request that would violate a policy");
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 1000 });
    await seen(page, `a request that would violate a policy at ${width}`);
  }
  await page.setViewportSize({ width: 1360, height: 860 });
  same(await button(page, "Send").isDisabled(), true, "whether it cannot be sent");

  step("one item is left out");
  await button(page, `Leave out ${both[1].name}`).click();
  await section.waitFor({ state: "detached" });
  expect(!page.url().includes(both[1].id), "it is still in the address");
  await page.getByRole("article", { name: /Translators/ }).waitFor();

  step("a warning can be sent");
  await effect("warn");
  await page.goto(page.url().replace(/items=[^&]*/, `items=${both[1].id}`));
  await settled(page);
  await section.getByText("warning").waitFor();
  await seen(page, "a warning");
  await page.getByRole("textbox", { name: "Reason" }).fill("The site has to say so.");
  await page.waitForFunction(() => [...document.querySelectorAll("button")].some((b) => b.textContent === "Send" && !b.disabled));

  step("what was changed since is refused in words");
  await effect("block");
  await button(page, "Send").click();
  await page.getByText(/would violate the policy .* The smallest way out is to do without any one of these/).first().waitFor();
  await seen(page, "a refusal of a request");

  step("an administrator who assigns it is told before, and refused");
  const admin = await open("admin", `/access/${both[1].id}`, { allow: [409] });
  await button(admin, "Actions").click();
  await admin.getByRole("menuitem", { name: "Assign", exact: true }).click();
  const dialog = admin.locator(".dialog");
  await dialog.getByLabel("Person", { exact: true }).fill(person.name);
  await admin.getByRole("option", { name: person.name }).first().click();
  await dialog.getByText("It will be refused").waitFor();
  await dialog.getByText(policy.name).first().waitFor();
  await seen(admin, "an assignment that would violate a policy");
  await dialog.getByLabel("Reason", { exact: true }).fill("He asked for it.");
  await button(dialog, "Assign").click();
  await dialog.getByText(/would violate the policy/).first().waitFor();
  await seen(admin, "a refused assignment");
  same(scene.users.member.identity_id, person.id, "the person");

  step("a policy asks for exceptions");
  const { id: rule } = await api("admin", "POST", "/approval-rules", {
    name: named("Exceptions of duties"),
    applies_to: { risk_levels: ["critical"] },
    branches: [{ outcome: { kind: "chain", stages: [{ name: "Exception", groups: [{ approvers: [{ kind: "app_role", app_role: "admin" }] }] }] } }],
  });
  await admin.goto(new URL(`/separation-of-duties/${policy.id}?show=edit`, admin.url()).href);
  await settled(admin);
  await admin.getByLabel("Requests that would violate the policy", { exact: true }).selectOption("exception");
  await admin.getByLabel("Approval rule of exceptions", { exact: true }).selectOption(rule);
  await seen(admin, "a policy that asks for exceptions");
  await button(admin, "Save").click();
  await admin.getByText("needs an exception").first().waitFor();

  step("the request says who allows the exception");
  await page.goto(new URL(`/access/request?items=${both[1].id}&view=review`, page.url()).href);
  await settled(page);
  await section.getByText("needs an exception").waitFor();
  await section.getByText(/The approvers of the rule .* must allow an exception/).waitFor();
  await seen(page, "a request that needs an exception");

  step("an administrator is advised to request it");
  await admin.goto(new URL(`/access/${both[1].id}`, admin.url()).href);
  await settled(admin);
  await button(admin, "Actions").click();
  await admin.getByRole("menuitem", { name: "Assign", exact: true }).click();
  await dialog.getByLabel("Person", { exact: true }).fill(person.name);
  await admin.getByRole("option", { name: person.name }).first().click();
  await dialog.getByText("This access needs an exception").waitFor();
  await seen(admin, "an assignment that needs an exception");
});
