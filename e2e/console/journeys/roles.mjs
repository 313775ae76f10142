// seed: own
// A role from its first draft to people who have it: published, given, changed by a draft, compared, and written as a file.
import { api, expect, journey, path, same, scene, seen, settled, step } from "../lib/house.mjs";

const named = async (name) => (await api("admin", "GET", `/entitlements?q=${name}`)).items.find((e) => (e.display_name || e.name) === name);

await journey(async ({ open }) => {
  const page = await open("admin", "/roles");
  await seen(page, "roles");

  step("a role is drafted");
  await page.getByRole("link", { name: "New role" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Night reader");
  await page.getByRole("textbox", { name: "Purpose" }).fill("Reads at night.");
  await seen(page, "drafting a role");
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  const id = path(page).split("/")[2];

  step("access is put into it");
  const thing = await named("Archive");
  await page.getByLabel("Add to entitlements").fill("Archive");
  await page.getByRole("option", { name: /Archive/ }).first().click();
  await page.getByText("Entitlements (1)").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved. The role grants access after it is published.").waitFor();
  await settled(page);
  same((await api("admin", "GET", `/entitlements/roles/${id}`)).entitlement_ids, [thing.id], "what is in it");
  await seen(page, "the draft");

  step("it is published, once one has seen what that does");
  await page.getByRole("button", { name: "Publish…" }).click();
  await page.locator(".dialog").getByText("No one gains or loses access.").waitFor();
  await seen(page, "before publication");
  await page.locator(".dialog").getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Published. Provisioning has started.").waitFor();
  same((await api("admin", "GET", `/entitlements/roles/${id}`)).lifecycle, "active", "its state");

  step("somebody is given it");
  await page.getByRole("link", { name: /Members/ }).click();
  await page.getByText("No members yet").waitFor();
  await seen(page, "nobody has it");
  await page.getByRole("button", { name: "Assign" }).click();
  await page.getByLabel("Person").fill(scene.names.report);
  await page.getByRole("option", { name: scene.names.report }).first().click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Nights of December");
  await page.locator(".dialog").getByRole("button", { name: "Assign" }).click();
  await page.getByText("Granted. Provisioning has started.").waitFor();
  await page.getByRole("link", { name: scene.names.report }).waitFor();
  await seen(page, "who has it");
  same((await api("admin", "GET", `/entitlements/roles/${id}/members`)).items.map((m) => m.identity_id), [scene.ids.report], "who has it");

  step("a role in use is changed by a draft, and nobody feels it");
  await page.getByRole("link", { name: "Draft", exact: true }).click();
  await page.getByRole("textbox", { name: "Purpose" }).fill("Reads at night, and at dawn.");
  await page.getByRole("button", { name: /Remove .*Entitlements|Remove Archive/ }).click();
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByText("Saved in the draft. It takes effect after it is published.").waitFor();
  await page.getByRole("heading", { name: "Changes in the draft" }).waitFor();
  await page.getByRole("button", { name: "Preview changes" }).click();
  await page.getByText(/gain or lose access/).waitFor();
  await seen(page, "what the draft changes");
  same((await api("admin", "GET", `/entitlements/roles/${id}`)).entitlement_ids, [thing.id], "what is in it while there is a draft");

  step("and dropped");
  await page.getByRole("button", { name: "Discard draft…" }).click();
  await page.locator(".dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByText("Draft discarded.").waitFor();
  same((await api("admin", "GET", `/entitlements/roles/${id}`)).has_draft, false, "whether it has a draft");

  step("its versions are compared");
  await page.getByRole("link", { name: /Versions/ }).click();
  await page.getByRole("heading", { name: /^Version \d+ compared with/ }).waitFor();
  await page.getByLabel("Compare from version 1", { exact: true }).check();
  await page.getByRole("heading", { name: /^Version 1 compared with/ }).waitFor();
  await page.getByText("Entitlements").or(page.getByText("Access", { exact: true })).first().waitFor();
  await seen(page, "versions");

  step("a file is looked at before it is imported");
  await page.getByRole("link", { name: "Roles", exact: true }).first().click();
  await page.getByRole("button", { name: "Import…" }).click();
  await page.getByLabel("File contents").fill("version: 1\nroles:\n  - key: day-reader\n    name: Day reader\n    lifecycle: active\n");
  await page.getByRole("button", { name: "Preview import" }).click();
  await page.locator(".dialog").getByText("day-reader", { exact: true }).waitFor();
  await seen(page, "before an import");
  await page.getByRole("button", { name: "Import 1 change" }).click();
  await page.locator(".dialog").waitFor({ state: "detached" });
  same((await api("admin", "GET", "/entitlements/roles?q=day-reader")).total, 1, "the role of the file");

  step("who only reads finds nothing to change");
  const reader = await open("auditor", `/roles/${id}`);
  await reader.getByRole("heading", { name: "Night reader" }).waitFor();
  same(await reader.getByRole("button", { name: /Publish|Edit|More/ }).count(), 0, "what an auditor can change");
});
