// when: long
// seed: own
// An administrator takes a lost second factor away, ends somebody's sessions, and sees to the providers by which people sign in.
import { api, expect, go, journey, same, scene, seen, step, url, watched } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

async function act(page, choice, verb) {
  await page.getByRole("button", { name: "More actions for this user" }).click();
  await page.getByRole("menuitem", { name: choice }).click();
  await seen(page, `asked: ${choice}`);
  await button(page.locator(".dialog"), verb).click();
  await page.locator(".dialog").waitFor({ state: "detached" });
}

await journey(async ({ browser, open }) => {
  const page = await open("admin", "/settings/users", { allow: [409, 412, 422] });
  const { items } = await api("admin", "GET", `/settings/users?q=${encodeURIComponent(scene.users.careful.email)}`);
  const careful = items[0].id;
  const one = () => api("admin", "GET", `/settings/users/${careful}`);

  step("a lost second factor");
  await go(page, `/settings/users/${careful}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  same((await one()).mfa.enrolled, true, "whether there is a second factor");
  await act(page, "Remove second factor", "Remove");
  await page.getByText("Second factor removed.").waitFor();
  same((await one()).mfa.enrolled, false, "whether there is a second factor");
  const context = await watched(browser, { name: "careful", allow: [401] });
  const theirs = await context.newPage();
  await theirs.goto(`${url}/login`);
  await theirs.fill("[name=email]", scene.users.careful.email);
  await theirs.fill("[name=password]", scene.users.careful.password);
  await theirs.keyboard.press("Enter");
  await theirs.waitForSelector("nav.rail");

  step("their sessions end");
  await act(page, "End sessions", "End sessions");
  await page.getByText("Sessions ended.").waitFor();
  await theirs.goto(`${url}/people`);
  await theirs.waitForSelector("[name=email]");
  await context.close();

  step("changed by two at once: what was typed stays");
  await page.getByLabel("Name", { exact: true }).fill("Carla Careful");
  await api("admin", "PATCH", `/settings/users/${careful}`, { locale: "de" }, { "Content-Type": "application/merge-patch+json" });
  await button(page, "Save").click();
  await button(page, "Reload").click();
  same(await page.getByLabel("Name", { exact: true }).inputValue(), "Carla Careful", "what was typed");
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Carla Careful" }).waitFor();
  same((await one()).display_name, "Carla Careful", "the name");

  await providers(page);
});

async function providers(page) {
  step("a provider is enabled and disabled");
  await go(page, "/settings/identity-providers");
  const card = page.getByRole("region", { name: scene.names.provider });
  const dialog = page.locator(".dialog");
  const one = () => api("admin", "GET", `/settings/identity-providers/${scene.ids.provider}`);
  await button(card, "Enable").click();
  await button(card, "Disable").waitFor();
  same((await one()).enabled, true, "whether it is enabled");
  await button(card, "Disable").click();
  await seen(page, "before a provider is disabled");
  await button(dialog, "Disable").click();
  await button(card, "Enable").waitFor();
  same((await one()).enabled, false, "whether it is enabled");

  step("changed: a wrong name is refused at its field");
  await button(card, "Edit").click();
  await dialog.getByLabel("Name", { exact: true }).fill("Not A Name");
  await button(dialog, "Save").click();
  await dialog.locator(".field").filter({ has: page.getByLabel("Name", { exact: true }) }).locator("[data-wrong]").waitFor();
  await seen(page, "a provider is refused");
  await button(dialog, "Cancel").click();
  await dialog.waitFor({ state: "detached" });

  step("deleted");
  await button(card, "Delete").click();
  await seen(page, "before a provider is deleted");
  await button(dialog, "Delete").click();
  await dialog.waitFor({ state: "detached" });
  await card.waitFor({ state: "detached" });
  same((await api("admin", "GET", "/settings/identity-providers")).items.some((p) => p.id === scene.ids.provider), false, "whether it is there");
}
