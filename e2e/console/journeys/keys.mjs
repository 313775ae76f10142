// The console by keyboard alone: the palette, the key sheet, G and a letter, and no place from which Tab does not lead out again.
import { expect, focus, focused, go, journey, path, places, same, scene, seen, settled, step } from "../lib/house.mjs";

await journey(async ({ open }) => {
  const page = await open("admin", "/people");

  step("the palette");
  await page.locator("main h1").focus();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
  await focused(page, "[role=dialog] input", "in the palette");
  await seen(page, "palette");
  await page.keyboard.type(scene.names.report);
  await page.getByRole("dialog").getByText(scene.names.report).first().waitFor();
  await settled(page);
  await seen(page, "palette with results");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await focused(page, "h1", "after the palette was closed");
  step("the palette leads somewhere");
  await page.keyboard.press("Control+k");
  await focused(page, "[role=dialog] input", "in the palette");
  await page.keyboard.type("Audit log");
  await page.getByRole("dialog").getByText("Audit log").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/audit/);
  await settled(page);
  await focused(page, "h1", "on the page that was chosen");

  step("the key sheet");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await seen(page, "key sheet");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await focused(page, "h1", "after the key sheet was closed");

  for (const place of places.filter((p) => p.key && !p.roles?.includes("operator"))) {
    step(`G ${place.key}`);
    await page.keyboard.press("g");
    await page.keyboard.press(place.key);
    await page.waitForFunction((to) => location.pathname === to, place.path, { timeout: 3000 }).catch(() => {});
    same(path(page).split("?")[0], place.path, "the address");
    await settled(page);
    await focused(page, "h1", "on a new page");
  }

  step("letters are letters where one types");
  await go(page, "/people");
  await page.keyboard.press("/");
  await page.keyboard.type("gdjkx?");
  same(await page.inputValue("input[type=search]"), "gdjkx?", "what was typed");
  same(path(page).split("?")[0], "/people", "the address");

  step("skipping to the page");
  await go(page, "/accounts");
  await page.reload();
  await page.waitForSelector("nav.rail");
  await settled(page);
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.locator("a.skip").focus();
  await page.keyboard.press("Enter");
  await focused(page, "main", "after skipping");

  const fixed = places.filter((p) => !p.path.includes("$") && !p.roles?.includes("operator"));
  for (const place of fixed) {
    step(`Tab through ${place.path}`);
    await go(page, place.path);
    await through(page);
  }
  for (const address of [`/people/${scene.ids.person}`, `/connectors/${scene.ids.connector}`, `/roles/${scene.ids.role}`, `/connectors/new/${scene.ids.mapped}/mapping`, `/requests/${scene.ids.request}`]) {
    step(`Tab through ${address}`);
    await go(page, address);
    await through(page);
  }
});

/** Presses Tab until the page is left: it is, and every stop on the way can be seen. */
async function through(page) {
  await page.evaluate(() => {
    window.scrollTo(0, 0);
    document.querySelector("main")?.focus();
    const way = { left: false, hidden: [] };
    if (!window.way)
      document.addEventListener("focusin", ({ target }) => {
        const box = target.getBoundingClientRect();
        if (!target.closest("main")) window.way.left = true;
        else if (box.width === 0 || box.height === 0) window.way.hidden.push(target.outerHTML.slice(0, 100));
      });
    window.way = way;
  });
  for (let presses = 0; presses < 900; presses += 30) {
    for (let i = 0; i < 30; i++) await page.keyboard.press("Tab");
    const way = await page.evaluate(() => window.way);
    if (way.hidden.length > 0) return expect(false, `the focus is on what cannot be seen: ${way.hidden[0]}`);
    if (way.left) return;
  }
  expect(false, `Tab does not lead out of the page; it is on ${await focus(page)}`);
}
