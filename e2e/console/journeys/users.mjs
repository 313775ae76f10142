// An administrator invites somebody, who sets a password by the link; then the user is changed, disabled, enabled and deleted.
import { api, expect, go, journey, same, scene, seen, settled, step, url, watched } from "../lib/house.mjs";

const email = `newcomer-${Date.now()}@main.example`;
const secret = "a heron over the harbour";

await journey(async ({ browser, open }) => {
  const page = await open("admin", "/settings/users");
  await seen(page, "users");

  step("somebody is invited");
  await page.getByRole("button", { name: "Invite user" }).click();
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Name", { exact: true }).fill("Nadia Newcomer");
  await page.getByLabel(/^Auditor/).check();
  await seen(page, "an invitation");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const link = (await page.locator(".verbatim pre").innerText()).trim();
  await seen(page, "the link, once");
  expect(/\/invited\?token=\w+$/.test(link), `the link is ${link}`);
  await page.getByRole("button", { name: "Done" }).click();
  await page.locator(".dialog").waitFor({ state: "detached" });

  const token = new URL(link).searchParams.get("token");
  await comesIn(browser, token);

  step("the user has come in, and is changed");
  await go(page, `/settings/users?q=${email.split("@")[0]}`);
  await page.getByRole("link", { name: "Nadia Newcomer" }).click();
  await page.waitForSelector("h1:has-text('Nadia Newcomer')");
  const id = page.url().split("/").at(-1);
  await seen(page, "a user");
  await page.getByLabel("Name", { exact: true }).fill("Nadia Neumann");
  await page.getByLabel(/^Administrator/).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForSelector("h1:has-text('Nadia Neumann')");
  same((await api("admin", "GET", `/settings/users/${id}`)).roles.join(), "admin,auditor", "the roles");
  expect(await page.getByText("so they could audit their own work").isVisible(), "nobody is told that the two roles do not go together");

  step("disabled, enabled, deleted");
  await act(page, "Disable", "Disable");
  await page.getByText("User disabled.").waitFor();
  same((await api("admin", "GET", `/settings/users/${id}`)).status, "disabled", "the state");
  await page.getByRole("button", { name: "More actions for this user" }).click();
  await page.getByRole("menuitem", { name: "Enable" }).click();
  await page.getByText("User enabled.").waitFor();
  await act(page, "Delete", "Delete");
  await page.waitForURL(/\/settings\/users$/);
  await settled(page);

  step("nobody takes themselves away");
  const { items } = await api("admin", "GET", `/settings/users?q=${encodeURIComponent(scene.users.admin.email)}`);
  await go(page, `/settings/users/${items[0].id}`);
  await page.getByRole("button", { name: "More actions for this user" }).click();
  same(await page.getByRole("menuitem", { name: /Disable|Delete/ }).count(), 0, "ways to take oneself away");

  step("an auditor reads, and changes nothing");
  const auditor = await open("auditor", `/settings/users/${items[0].id}`);
  await seen(auditor, "a user, read only");
  same(await auditor.getByRole("button", { name: /Actions for|Save/ }).count(), 0, "ways to change a user");
});

async function act(page, choice, verb) {
  await page.getByRole("button", { name: "More actions for this user" }).click();
  await page.getByRole("menuitem", { name: choice }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByRole("button", { name: verb, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

/** The link: a weak password is refused at the field, a good one signs in, and then the link is spent. */
async function comesIn(browser, token) {
  const context = await watched(browser, { name: "newcomer", allow: [422, 401] });
  const page = await context.newPage();
  step("a weak password is refused");
  await page.goto(`${url}/invited?token=${token}`);
  await page.getByLabel("New password").fill("password1234");
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page.getByText(/too common/).waitFor();
  await seen(page, "a weak password");
  step("a good one signs in");
  await page.getByLabel("New password").fill(secret);
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page.waitForSelector("nav.rail");
  await settled(page);
  expect(await page.getByText("Read-only").isVisible(), "the newcomer is no auditor");
  step("the link works once");
  await page.goto(`${url}/invited?token=${token}`);
  await page.getByLabel("New password").fill(secret);
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page.getByText("The link is not valid").waitFor();
  await seen(page, "a spent link");
  await context.close();
}
