// Leaving a form with unsaved changes asks first; a dialog that an address opens has the focus, and gives it back.
import { focused, journey, path, same, scene, seen, settled, step, still, url } from "../lib/house.mjs";

const dialog = (page) => page.getByRole("dialog");

await journey(async ({ open }) => {
  const page = await open("admin", "/people");
  await page.getByRole("link", { name: "Add a person" }).click();
  await settled(page);
  const field = page.getByLabel("ID", { exact: true });

  step("an untouched form is left without a question");
  await page.locator("nav.rail").getByRole("link", { name: "People" }).click();
  await settled(page);
  same(path(page), "/people", "the address");
  await page.goBack();
  await settled(page);

  step("a form that was filled asks before it is left, and stays as it was");
  await field.fill("E-4711");
  await page.locator("nav.rail").getByRole("link", { name: "Requests" }).click();
  await dialog(page).waitFor();
  await seen(page, "discard unsaved changes");
  await dialog(page).getByRole("button", { name: "Keep editing" }).click();
  await dialog(page).waitFor({ state: "detached" });
  same(path(page), "/people/new", "the address after Keep editing");
  same(await field.inputValue(), "E-4711", "what was typed");

  step("Back asks as well");
  await page.evaluate(() => history.back());
  await dialog(page).waitFor();
  same(await field.inputValue(), "E-4711", "what was typed");
  await dialog(page).getByRole("button", { name: "Keep editing" }).click();
  await dialog(page).waitFor({ state: "detached" });
  same(path(page), "/people/new", "the address after Back");

  step("closing the window asks by the browser's own dialog");
  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => location.reload()));
  same((await asked).type(), "beforeunload", "what is asked");
  await page.waitForSelector("nav.rail");
  await settled(page);

  step("changes can be discarded");
  await field.fill("E-4712");
  await page.locator("nav.rail").getByRole("link", { name: "Requests" }).click();
  await dialog(page).getByRole("button", { name: "Discard changes" }).click();
  await page.waitForURL(`${url}/requests`);

  for (const [address, button] of [["/settings/users?invite=1", "Invite"], ["/settings/tokens?new=1", "token"], [`/audit?event=${scene.ids.audit}`, ""]]) {
    step(`${address}: the focus is in the dialog, and afterwards on the page`);
    await page.goto(url + address);
    await dialog(page).waitFor();
    await focused(page, "[role=dialog] *, [role=dialog]", address);
    await settled(page);
    await still(page); // nothing takes it away again
    await focused(page, "[role=dialog] *, [role=dialog]", `${address}, a moment later`);
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await focused(page, "main h1", `${address}, closed`);
    if (!button) continue;
    const opener = page.getByRole("main").getByRole("button", { name: button }).first();
    const name = await opener.innerText();
    await opener.click();
    await dialog(page).waitFor();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await focused(page, `main button:is(:focus)`, `${address}, opened by ${name} and closed`);
    same(await page.evaluate(() => document.activeElement.textContent.trim()), name.trim(), "what has the focus");
  }
});
