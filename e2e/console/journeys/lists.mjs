// The habits of a list: all that is chosen stands in the address, keys move in it, views are kept, and a CSV is what is filtered.
import { readFile } from "node:fs/promises";
import { api, expect, focused, go, journey, path, same, scene, seen, settled, step } from "../lib/house.mjs";

const names = (page) => page.locator("tbody tr td:not(.select) a").allInnerTexts();
const first = async (page) => (await names(page))[0];

await journey(async ({ open }) => {
  const page = await open("admin", "/people");
  await settled(page);

  step("a filter, an order, a search and a page stand in the address");
  await page.locator("main select").first().selectOption({ index: 1 });
  await settled(page);
  const filter = path(page);
  expect(/^\/people\?\w+=\w+/.test(filter), `the address is ${filter}`);
  await page.locator("th button.sorter").first().click();
  await settled(page);
  expect(/[?&]sort=/.test(path(page)), `sorted, the address is ${path(page)}`);
  const sorted = path(page);
  const top = await first(page);
  await page.locator("th button.sorter").first().click();
  await settled(page);
  expect(/[?&]sort=-/.test(path(page)), `sorted the other way, the address is ${path(page)}`);
  expect((await first(page)) !== top, "the order has not changed");
  step("back and forward");
  await page.goBack();
  await settled(page);
  same(path(page), sorted, "the address after going back");
  same(await first(page), top, "the first row after going back");
  await page.goForward();
  await settled(page);
  expect(/sort=-/.test(path(page)), `forward leads to ${path(page)}`);
  await go(page, "/people");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("button", { name: "After" }).click();
  await settled(page);
  same(path(page), "/people?page=2", "the address of the second page");
  const second = await names(page);
  await page.reload();
  await page.waitForSelector("tbody tr");
  await settled(page);
  same(await names(page), second, "the second page after a reload");

  step("the search");
  await page.locator("main h1").focus();
  await page.keyboard.press("/");
  await focused(page, "input[type=search]", "after /");
  const [some] = (await api("admin", "GET", "/identities?limit=1&status=active")).items;
  await page.keyboard.type(some.last_name);
  await page.waitForURL(/q=/);
  await settled(page);
  expect(!/page=/.test(path(page)), `a search keeps the page: ${path(page)}`);
  expect((await names(page)).some((n) => n.includes(some.last_name)), `the search finds ${await names(page)}`);
  await page.keyboard.press("Escape");
  await page.waitForURL((u) => !u.search.includes("q="));
  await settled(page);

  step("keys in a list");
  await page.locator("main h1").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  const at = await page.evaluate(() => document.activeElement?.textContent);
  same(at, (await names(page))[0], "what j j k leads to");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/people\/[0-9a-f-]{36}/);
  await settled(page);
  expect((await page.locator("main h1").innerText()).includes(at), `Enter opens ${await page.locator("main h1").innerText()}`);
  await focused(page, "h1", "on the page of a person");
  await page.goBack();
  await settled(page);
  same(path(page), "/people", "the address after going back");

  step("a view of one's own");
  await go(page, "/people?status=active&sort=-display_name");
  await page.getByRole("button", { name: "Save this view" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("=SUM(<b>mine</b>)");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await go(page, "/people");
  await page.reload();
  await page.waitForSelector("tbody tr");
  await page.getByRole("button", { name: "=SUM(<b>mine</b>)", exact: true }).click();
  await settled(page);
  same(path(page), "/people?status=active&sort=-display_name", "the address of the view");
  await seen(page, "a list with a view of one's own");
  await page.getByRole("button", { name: "Forget the view =SUM" }).click();
  expect((await page.getByRole("button", { name: "=SUM(<b>mine</b>)", exact: true }).count()) === 0, "the view is still there");

  await csv(page);
  await selection(page);
});

/** The CSV holds what is filtered, all pages of it, and nothing that a spreadsheet would run. */
async function csv(page) {
  step("CSV");
  const mark = `csv${Date.now()}`;
  for (const [i, name] of ['=HYPERLINK("https://x.example","y")', "+1+1", "-2", "@SUM(A1)", "\t=1", 'a "quoted", name'].entries())
    await api("admin", "POST", "/identities", { external_id: `${mark}-${i}`, email: `${mark}-${i}@main.example`, first_name: mark, last_name: `n${i}`, display_name: name });
  await go(page, `/people?q=${mark}`);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  const text = await readFile(await file.path(), "utf8");
  const rows = cells(text.replace(/^\ufeff/, ""));
  same(rows.length - 1, 6, "the number of rows");
  expect(text.startsWith("\ufeff"), "it does not begin with a byte order mark");
  for (const cell of rows.flat()) expect(!/^\s*[=+@\t\r]|^\s*-\D|^-2$/.test(cell), `the cell ${JSON.stringify(cell)} is a formula`);
  expect(rows.some((r) => r.includes('a "quoted", name')), "quotes and commas were lost");
  await go(page, "/people?status=active");
  const whole = await api("admin", "GET", "/identities?status=active&limit=1");
  const [all] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  same(cells((await readFile(await all.path(), "utf8")).replace(/^\ufeff/, "")).length - 1, whole.total, "the number of all rows");
}

/** Rows are selected by x and Shift X, and counted. */
async function selection(page) {
  step("selecting rows");
  await go(page, "/accounts?orphaned=true");
  if ((await page.locator("tbody input[type=checkbox]").count()) < 3) await go(page, "/accounts");
  await page.locator("main h1").focus();
  for (const key of ["j", "x", "j", "j", "Shift+X"]) await page.keyboard.press(key);
  await page.getByRole("toolbar", { name: "What was selected" }).getByText("3 selected").waitFor();
  await seen(page, "rows are selected");
  await page.keyboard.press("Escape");
  await page.getByRole("toolbar", { name: "What was selected" }).getByRole("button", { name: "Clear" }).click().catch(() => {});
  expect((await page.getByRole("toolbar", { name: "What was selected" }).count()) === 0, "the selection stays");
  expect(scene.ids.account !== "", "there are no accounts");
}

/** The cells of a CSV (RFC 4180). */
function cells(text) {
  const rows = [[""]];
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    const row = rows.at(-1);
    if (c === '"' && quoted && text[i + 1] === '"') row[row.length - 1] += text[i++];
    else if (c === '"') quoted = !quoted;
    else if (c === "," && !quoted) row.push("");
    else if (c === "\r" && !quoted) continue;
    else if (c === "\n" && !quoted) rows.push([""]);
    else row[row.length - 1] += c;
  }
  return rows.filter((r) => r.length > 1 || r[0] !== "");
}
