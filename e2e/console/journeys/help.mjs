// The documentation opens in the console: every page, its links to one another, its search, and the help of each screen.
import { expect, fail, focused, go, journey, path, places, same, seen, settled, step } from "../lib/house.mjs";

await journey(async ({ open }) => {
  const page = await open("member", "/help");
  await seen(page, "documentation");

  step("every page opens, and every link in it leads somewhere");
  const links = await page.locator(".help-card a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  expect(links.length > 20, `there are ${links.length} pages only`);
  const heads = new Map();
  const said = new Map();
  for (const to of links) {
    await page.locator(`a[href="${to}"]`).first().click();
    await page.waitForSelector("article.help-text");
    heads.set(to, await page.locator("article [id]").evaluateAll((all) => all.map((e) => e.id)));
    said.set(to, await page.locator('article a[href*="/help/"]').evaluateAll((all) => all.map((a) => a.getAttribute("href"))));
    expect((await page.locator("article").innerText()).length > 200, `${to} says next to nothing`);
    expect(!(await page.locator("article script, article style, article iframe").count()), `${to} holds more than text`);
    await page.goBack();
    await page.waitForSelector(".help-card");
  }
  for (const [from, all] of said)
    for (const link of all) {
      const [to, at] = link.split("#");
      if (!heads.has(to) || (at && !heads.get(to).includes(decodeURIComponent(at)))) fail(`${from} leads to ${link}, which there is not`);
    }
  for (const place of places) expect(heads.has(`/help/${place.help}`), `the help of ${place.path} is /help/${place.help}, which there is not`);

  step("a heading is found by its words, and opened");
  await go(page, "/help");
  await page.getByLabel("Search titles and headings").fill("approval rules");
  await page.waitForURL(/q=approval/);
  await page.locator(".help-result a").first().waitFor();
  await seen(page, "documentation found");
  await page.reload();
  await page.locator(".help-result a").first().click();
  await page.waitForSelector("article.help-text");
  await settled(page);
  expect(path(page).startsWith("/help/appro"), `the search leads to ${path(page)}`);

  step("the contents of a page lead to its parts");
  await go(page, "/help/connectors");
  await seen(page, "a page of the documentation");
  const part = page.locator(".help-toc a").last();
  const id = (await part.getAttribute("href")).split("#")[1];
  await part.click();
  await focused(page, `#${id}`, "the part that was chosen");

  step("a screen leads to the page about it");
  await go(page, "/access");
  await page.getByLabel("Documentation of this page").click();
  await page.waitForURL(/\/help\/catalog/);
  await page.waitForSelector("article.help-text");

  step("a page that there is not says so");
  await go(page, "/help/nothing");
  same(await page.locator("h1").innerText(), "Page not found", "the title");
});
