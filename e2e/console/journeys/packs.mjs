// seed: own
// A sector pack: what it would change is seen first, then exactly that is done, is seen, and taken back.
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";

const key = "education";

await journey(async ({ open }) => {
  // A role of one's own stands where the pack would make one.
  const content = await api("admin", "GET", `/sector-packs/${key}/versions/1.0.0`);
  const role = content.objects.find((o) => o.kind === "role").object_key;
  await api("admin", "POST", "/entitlements/roles", { key: role, name: "Ours", description: "made by hand" });
  const page = await open("admin", "/sector-packs");
  await seen(page, "packs");
  await page.getByRole("link", { name: "Education" }).click();
  await page.waitForURL(/education/);
  await settled(page);
  await seen(page, "pack contents");

  step("what would change");
  await page.getByRole("link", { name: "Install" }).click();
  await page.getByRole("button", { name: "Preview changes" }).click();
  await page.getByRole("heading", { name: /^Added/ }).waitFor();
  await settled(page);
  const kept = page.getByRole("region", { name: "Kept until reviews and reports are available" });
  await kept.getByText("kept until reviews are available").first().waitFor();
  await kept.getByText("kept until reports are available").first().waitFor();
  const separation = page.getByRole("region", { name: "Separation of duties" });
  await separation.getByText("New violations").waitFor();
  const control = "Report of changed transcripts and fees";
  await page.getByRole("region", { name: "Added" }).getByText(control).waitFor();
  await seen(page, "pack plan");
  const installed = async () => (await api("admin", "GET", `/sector-packs/${key}`)).installation?.state;
  same(await installed(), undefined, "the pack after a plan");
  step("another parameter asks for another look");
  await page.getByLabel("Tag of the connector of your staff directory").fill("somewhere");
  expect((await page.getByRole("button", { name: "Install", exact: true }).count()) === 0, "what is shown is not what would be installed");
  await page.getByRole("button", { name: "Preview changes" }).click();

  step("it is installed");
  await page.getByRole("button", { name: "Install", exact: true }).click();
  await page.waitForURL(/part=(installed|conflicts)/);
  same(await installed(), "installed", "the pack");
  await page.getByRole("link", { name: "Installed objects" }).click();
  await settled(page);
  await seen(page, "pack objects");
  const total = (await api("admin", "GET", `/sector-packs/${key}/objects?limit=1`)).total;
  expect((await page.locator("main").innerText()).includes(`of ${total}`), "not all objects are listed");

  step("a conflict is decided");
  await page.getByRole("link", { name: "Conflicts" }).click();
  const conflict = page.getByRole("region", { name: role, exact: true });
  await conflict.getByText("made by hand").first().waitFor();
  await seen(page, "pack conflicts");
  await conflict.getByRole("radio", { name: "Keep your value" }).check();
  await conflict.getByRole("button", { name: "Resolve" }).click();
  await conflict.getByText("your value kept").waitFor();
  const decided = await api("admin", "GET", `/sector-packs/${key}/conflicts?state=resolved`);
  same(decided.items.map((c) => `${c.object_key} ${c.resolution}`).join(), `${role} mine`, "what is decided");

  step("its mitigating control is there, and its policies name it");
  await page.getByRole("link", { name: "Installed objects" }).click();
  await page.locator("main tbody").getByRole("link", { name: control }).click();
  await page.waitForURL(/\/separation-of-duties\/controls\//);
  await page.getByRole("heading", { name: control }).waitFor();
  await settled(page);
  const policies = (await api("admin", "GET", "/policies/separation-of-duties")).items;
  expect(policies.some((p) => p.mitigation_policy_ids.includes(page.url().split("/").pop().split("?")[0])), "no policy names the control");
  await page.goBack();

  step("its roles are there");
  const { items } = await api("admin", "GET", `/sector-packs/${key}/objects?kind=role&state=pending_binding&limit=1`);
  await page.getByRole("link", { name: "Installed objects" }).click();
  await page.locator("main tbody").getByRole("link", { name: items[0].content.name }).first().click();
  await page.waitForURL(/\/roles\//);
  await settled(page);

  step("it is uninstalled");
  await page.goBack();
  await page.getByRole("link", { name: "Uninstall" }).click();
  await page.getByRole("radio", { name: /Remove everything/ }).check();
  await page.getByRole("heading", { name: /^Removed/ }).waitFor();
  await settled(page);
  await seen(page, "pack uninstall");
  await page.getByLabel(`Enter ${key} to confirm`).fill(key);
  await page.getByRole("button", { name: "Uninstall", exact: true }).click();
  await page.getByText("not installed").waitFor();
  same(await installed(), "uninstalled", "the pack in the end");

  step("what is no pack is told with its mistakes");
  await page.getByRole("link", { name: "Sector packs" }).first().click();
  await page.getByRole("button", { name: "Upload a pack" }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Archive").setInputFiles({ name: "bad.gwpack", mimeType: "application/gzip", buffer: Buffer.from("this is no archive") });
  await dialog.getByRole("button", { name: "Validate" }).click();
  await dialog.getByText(/\d errors?/).waitFor();
  expect(await dialog.getByRole("button", { name: "Save" }).isDisabled(), "an unsound pack can be kept");
  await seen(page, "pack mistakes");
});
