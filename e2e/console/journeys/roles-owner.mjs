// when: long
// seed: own
// An owner describes the role that is theirs: exactly the fields that are theirs to write, its risk only upwards, and nothing of what administrators decide.
import { api, expect, focused, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const own = scene.users.owner.identity_id;
const role = async (id) => api("owner", "GET", `/entitlements/roles/${id}`);

/** A role in use of which somebody is the owner. */
async function made(name, more = {}) {
  const { id } = await api("admin", "POST", "/entitlements/roles", {
    name, description: "Reads the archive.", lifecycle: "draft", entitlement_ids: [scene.ids.entitlementFree], owner_ids: [own], labels: { site: "hq", floor: "2" }, ...more,
  });
  await api("admin", "POST", `/entitlements/roles/${id}/publish`, {});
  return id;
}

await journey(async ({ open }) => {
  const id = await made("Archivist");
  const page = await open("owner", `/roles/${id}`, { allow: [404, 409, 412, 422] });
  const dialog = page.getByRole("dialog", { name: "Edit description" });
  const button = (words) => dialog.getByRole("button", { name: words, exact: true });
  const begin = async () => {
    await page.getByRole("button", { name: "Edit description", exact: true }).click();
    await dialog.waitFor();
  };

  step("what an owner is offered");
  await page.getByRole("heading", { name: "Archivist" }).waitFor();
  for (const name of ["Edit", "Publish…", "More actions"])
    same(await page.getByRole("button", { name, exact: true }).count(), 0, `"${name}" for an owner`);
  same(await page.getByRole("link", { name: /^Draft/ }).count(), 0, "the draft for an owner");
  await seen(page, "a role, for its owner");
  await begin();
  const fields = await dialog.locator("label").allInnerTexts();
  same(fields.map((f) => f.split("\n")[0].trim()), ["Purpose", "Requestable", "Risk", "Duty tags", "Compliance tags", "Labels"], "the fields of an owner");
  same(await dialog.getByLabel("Risk").locator("option").allInnerTexts(), ["Highest risk of its entitlements: low", "low", "medium"], "the risk that an owner may say");
  await seen(page, "an owner describes a role");

  step("all of it is written");
  await dialog.getByLabel("Purpose", { exact: true }).fill("Reads what was printed before 1990.");
  await dialog.getByRole("checkbox", { name: /Requestable/ }).check();
  await dialog.getByLabel("Risk").selectOption("medium");
  await dialog.getByLabel("Duty tags").fill("records");
  await dialog.getByLabel("Compliance tags").fill("GDPR");
  await dialog.getByLabel("Labels").fill("site=hq\nfloor=2\nshelf=long=1");
  await button("Save").click();
  await page.getByText("Saved.").waitFor();
  await settled(page);
  const now = await role(id);
  same(
    [now.description, now.requestable, now.risk_level, now.duty_tags, now.compliance_tags, now.labels],
    ["Reads what was printed before 1990.", true, "medium", ["records"], ["GDPR"], { floor: "2", shelf: "long=1", site: "hq" }],
    "what the service has",
  );
  await page.getByText("Reads what was printed before 1990.").waitFor();
  await focused(page, "button", "after the dialog");

  step("risk goes upwards only");
  await begin();
  same(await dialog.getByLabel("Risk").locator("option").allInnerTexts(), ["medium"], "the risk that an owner may say now");

  step("a refusal stands at its field");
  await dialog.getByLabel("Purpose", { exact: true }).fill("");
  await button("Save").click();
  await dialog.locator(".field", { has: page.getByLabel("Purpose", { exact: true }) }).locator("[data-wrong]").waitFor();
  await seen(page, "words that a role cannot be without");

  step("somebody was faster, and what was typed stays");
  await dialog.getByLabel("Purpose", { exact: true }).fill("Reads the oldest prints.");
  await api("admin", "PATCH", `/entitlements/roles/${id}`, { duty_tags: ["paper", "records"] }, { "Content-Type": "application/merge-patch+json" });
  await button("Save").click();
  await button("Reload").click();
  await page.waitForFunction(() => !document.querySelector(".dialog .note.warn"));
  same(await dialog.getByLabel("Purpose", { exact: true }).inputValue(), "Reads the oldest prints.", "what was typed");
  await button("Save").click();
  await dialog.waitFor({ state: "detached" });
  const after = await role(id);
  same([after.description, after.duty_tags], ["Reads the oldest prints.", ["paper", "records"]], "what both of them wrote");

  step("a role of a file is not described here");
  const filed = await api("admin", "POST", "/entitlements/roles/import", { yaml: `version: 1\nroles:\n  - key: of-a-file\n    name: Of a file\n    lifecycle: active\n    owners: [${(await api("admin", "GET", `/identities/${own}`)).external_id}]\n` });
  expect(filed, "the file is not imported");
  const { items } = await api("owner", "GET", "/entitlements/roles?q=Of a file");
  await page.goto(new URL(`/roles/${items[0].id}`, page.url()).href);
  await page.getByText("This role is managed by a file. Change it there.").waitFor();
  same(await page.getByRole("button", { name: "Edit description" }).count(), 0, "describing the role of a file");

  step("narrow");
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto(new URL(`/roles/${id}`, page.url()).href);
  await begin();
  await seen(page, "an owner describes a role, narrow");

  step("who does not own it has nothing to change");
  const auditor = await open("auditor", `/roles/${id}`);
  await auditor.getByRole("heading", { name: "Archivist" }).waitFor();
  same(await auditor.getByRole("button", { name: "Edit description" }).count(), 0, "describing it as an auditor");
});
