// An operator founds a tenant; its first administrator sets a password by the link that was shown once; it is suspended, and closed with its name typed.
import { expect, journey, same, seen, settled, step, url, watched } from "../lib/house.mjs";

await journey(async ({ open, browser }) => {
  const slug = `new-${Date.now().toString(36)}`;
  const name = `New House ${slug}`; // of this run alone
  const page = await open("operator", "/admin/tenants", { allow: [409, 422] });
  await seen(page, "tenants");

  step("a short name that is taken is refused at its field, and what was typed stays");
  await page.getByRole("button", { name: "Create tenant" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name", { exact: true }).fill(name);
  await form.getByLabel("Short name").fill("ops");
  await form.getByLabel("E-mail of the first administrator").fill(`admin@${slug}.example`);
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByRole("alert").first().waitFor();
  same(await form.getByLabel("Name", { exact: true }).inputValue(), name, "what was typed");
  await seen(page, "founding refused");

  step("founded: the link that its administrator comes in by is shown once");
  await form.getByLabel("Short name").fill(slug);
  await form.getByRole("button", { name: "Create" }).click();
  await page.getByText(/^Tenant .* created/).waitFor();
  const link = await page.getByRole("region", { name: "One-time link" }).innerText();
  const token = new URL(link).searchParams.get("token") ?? "";
  expect(token.length > 20 && link.startsWith(`${url}/t/${slug}/invited?`), `the link is ${link.replace(token, "…")}`);
  await seen(page, "founded");
  await page.reload();
  await settled(page);
  expect(!(await page.content()).includes(token), "the token is shown again");

  step("its first administrator sets a password by that link alone");
  const theirs = await (await watched(browser, { name: "first administrator" })).newPage();
  await theirs.goto(link);
  await seen(theirs, "invited");
  await theirs.locator("input[type=password]").first().fill("correct horse of the new house");
  const again = theirs.locator("input[type=password]").nth(1);
  if (await again.count()) await again.fill("correct horse of the new house");
  await theirs.keyboard.press("Enter");
  await theirs.waitForSelector("nav.rail");
  await seen(theirs, "a new tenant's dashboard");

  step("suspended with a reason, resumed, and closed with its name typed");
  await page.getByRole("link", { name }).click();
  await seen(page, "a tenant");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Suspend" }).click();
  await dialog.getByLabel("Reason").fill("unpaid");
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await page.getByText("Suspended: unpaid").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await dialog.getByRole("button", { name: "Resume" }).click();
  await dialog.waitFor({ state: "detached" }); // it has a button of the name Close, too
  await page.getByRole("button", { name: "Close" }).click();
  await dialog.getByLabel("Reason").fill("the house is sold");
  expect(await dialog.getByRole("button", { name: "Close", exact: true }).last().isDisabled(), "it can be closed without typing its name");
  await dialog.getByLabel(/^Enter /).fill(slug);
  await seen(page, "closing a tenant");
  await dialog.locator("button[type=submit]").click();
  await page.getByText("Closing: the house is sold").waitFor();
  await page.getByRole("button", { name: "Reopen" }).click();
  await dialog.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Suspend" }).waitFor();
  await seen(page, "open again");
});
