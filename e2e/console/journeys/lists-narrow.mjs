// when: long
// Every column of a list is there on a small screen, and none is behind an edge; a day before history proves nothing; who only reads is offered no request.
import { expect, go, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

await journey(async ({ open }) => {
  const page = await open("auditor", "/requests");
  for (const list of ["requests", "policies", "people", "access"]) {
    step(`${list} at 1280 pixels`);
    await page.setViewportSize({ width: 1280, height: 720 });
    await go(page, `/${list}`);
    await settled(page);
    const table = page.locator("main section.table").first();
    await table.locator("tbody tr").first().waitFor();
    same(await table.evaluate((t) => t.scrollWidth - t.clientWidth), 0, `pixels of ${list} behind the edge`);
  }

  step("access is asked for by nobody who only reads");
  same(await page.getByRole("link", { name: /^Request access/ }).count(), 0, "ways to ask, in the catalog");
  await go(page, `/access/${scene.ids.entitlement}`);
  await settled(page);
  same(await page.getByRole("link", { name: /^Request access/ }).count(), 0, "ways to ask, of one thing");

  step("a day before anything was known");
  await go(page, `/access/${scene.ids.entitlement}?as_of=2001-01-01`);
  await page.getByRole("heading", { name: "No holders recorded at that time" }).waitFor();
  await seen(page, "holders before history");
  await page.getByRole("button", { name: "Back to today" }).click();
  await page.locator("main section.table tbody tr").first().waitFor();
  expect(!page.url().includes("as_of"), "the day stays in the address");
});
