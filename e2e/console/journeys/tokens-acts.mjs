// when: long
// A token is bounded and switched off and on; it is replaced with an overlap that is chosen; and when it was stolen, what has replaced it goes too.
import { api, expect, journey, same, seen, step, url } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const status = async (token) => (await fetch(`${url}/api/v1/identities?limit=1`, { headers: { Authorization: `Bearer ${token}` } })).status;

await journey(async ({ open }) => {
  const name = `Stolen export ${Date.now()}`;
  const made = await api("admin", "POST", "/settings/api-tokens", { name, role: "auditor", scopes: ["identities:read"] });
  const one = () => api("admin", "GET", `/settings/api-tokens/${made.id}`);
  const page = await open("admin", `/settings/tokens?token=${made.id}`, { allow: [422] });
  const drawer = page.locator(".dialog.side");

  step("bounded: a network that is none is refused at its field");
  await button(drawer, "Edit").click();
  const networks = page.getByLabel("Allowed networks");
  await networks.fill("the cellar");
  await button(drawer, "Save").click();
  await page.locator(".field").filter({ has: networks }).locator("[data-wrong]").waitFor();
  same(await networks.inputValue(), "the cellar", "what was typed");
  await seen(page, "a network that is none");
  await networks.fill("127.0.0.0/8");
  await page.getByLabel("Requests per second").fill("50");
  await button(drawer, "Save").click();
  await page.getByText("Saved. The change is effective within seconds.").waitFor();
  same(JSON.stringify([(await one()).allowed_cidrs, (await one()).rate_limit.rps]), JSON.stringify([["127.0.0.0/8"], 50]), "the bounds");

  step("switched off, and on");
  await button(drawer, "Disable").click();
  await button(drawer, "Enable").waitFor();
  same((await one()).state, "disabled", "the state");
  same(await status(made.token), 401, "what it is answered");
  await seen(page, "a disabled token");
  await button(drawer, "Enable").click();
  await button(drawer, "Disable").waitFor();
  same(await status(made.token), 200, "what it is answered again");

  step("replaced: the one before goes on for two hours");
  await button(drawer, "Replace").click();
  const dialog = page.locator(".dialog:not(.side)");
  await dialog.getByLabel("Overlap of the current token: unit").selectOption("hour");
  await dialog.getByLabel("Overlap of the current token", { exact: true }).fill("2");
  await seen(page, "before it is replaced");
  await button(dialog, "Replace").click();
  const once = page.getByRole("dialog", { name: "Copy the token now" });
  const next = (await once.locator("pre").innerText()).trim();
  const until = Date.parse((await one()).rotation_overlap_until) - Date.now();
  expect(until > 7_000_000 && until <= 7_200_000, `it goes on for ${until} ms`);
  await page.getByLabel("I have copied it").check();
  await button(page, "Done").click();
  await once.waitFor({ state: "detached" });
  same([await status(made.token), await status(next)].join(), "200,200", "what both are answered");

  step("it was stolen");
  await page.goto(`${url}/settings/tokens?token=${made.id}`);
  await button(drawer, "Revoke").click();
  await dialog.getByLabel("The token was stolen").check();
  await seen(page, "before a stolen token is revoked");
  await button(dialog, "Revoke").click();
  await page.getByText("Token revoked.").waitFor();
  same((await one()).state, "revoked", "the state");
  same([await status(made.token), await status(next)].join(), "401,401", "what both are answered");
});
