// A token is made and shown once, works, is replaced with an overlap, and revoked.
import { api, expect, go, journey, same, scene, seen, settled, step, url } from "../lib/house.mjs";

const name = `Payroll export ${Date.now()}`;
const status = async (token) => (await fetch(`${url}/api/v1/identities?limit=1`, { headers: { Authorization: `Bearer ${token}` } })).status;

await journey(async ({ open }) => {
  const page = await open("admin", "/settings/tokens", { allow: [422] });
  await seen(page, "tokens");

  step("what is wrong is said at the field, and what was typed stays");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Read people and non-human identities").check();
  await page.getByLabel("Allowed networks").fill("nowhere");
  await seen(page, "a new token");
  await page.getByRole("button", { name: "Create" }).click();
  await page.locator(".problem-list").waitFor();
  same(await page.getByLabel("Name", { exact: true }).inputValue(), name, "the name that was typed");

  step("it is made, and shown once");
  await page.getByLabel("Allowed networks").fill("");
  await page.getByRole("button", { name: "Create" }).click();
  const first = await shown(page);
  same(await status(first), 200, "what the token is answered");
  await done(page);
  expect(!(await page.content()).includes(first), "the token is still in the page");

  step("its drawer has an address");
  await page.getByRole("link", { name }).click();
  await page.waitForURL(/token=/);
  await page.getByRole("dialog").getByText("identities:read").waitFor();
  await seen(page, "a token");
  await page.reload();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("identities:read").waitFor();

  step("it is replaced, and goes on for a while");
  await drawer.getByRole("button", { name: "Replace" }).click();
  await page.getByRole("button", { name: "Replace" }).click();
  const second = await shown(page);
  expect(second !== first, "the successor is the same token");
  same([await status(first), await status(second)].join(), "200,200", "what both are answered");
  await done(page);

  step("it is revoked");
  const { items } = await api("admin", "GET", `/settings/api-tokens?q=${encodeURIComponent(name)}&sort=created_at`);
  await go(page, `/settings/tokens?token=${items[0].id}`);
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Token revoked.").waitFor();
  await settled(page);
  same((await api("admin", "GET", `/settings/api-tokens/${items[0].id}`)).state, "revoked", "the state");

  step("an auditor reads, and changes nothing");
  const auditor = await open("auditor", `/settings/tokens?token=${scene.ids.token}`);
  await auditor.getByRole("dialog").getByText("identities:read").waitFor();
  await seen(auditor, "a token, read only");
  same(await auditor.getByRole("button", { name: /^(Make|Replace|Revoke|Change|Disable)/ }).count(), 0, "ways to change a token");
});

/** The token that the page shows this once; neither Escape nor a click beside closes it. */
async function shown(page) {
  const dialog = page.getByRole("dialog", { name: "Copy the token now" });
  await dialog.waitFor();
  const token = (await dialog.locator("pre").innerText()).trim();
  await page.keyboard.press("Escape");
  expect(await dialog.isVisible(), "Escape closes what is shown once");
  return token;
}

async function done(page) {
  await page.getByLabel("I have copied it").check();
  await seen(page, "a token, once");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("dialog", { name: "Copy the token now" }).waitFor({ state: "detached" });
}
