// The habits of a list: all that is chosen stands in the address, keys move in it, views are kept, and a CSV is what is filtered.
import { readFile } from "node:fs/promises";
import { api, expect, focused, go, journey, listsFit, path, same, scene, seen, settled, step, still, url } from "../lib/house.mjs";

const names = (page) => page.locator("tbody tr td:not(.select) a").allInnerTexts();
const first = async (page) => (await names(page))[0];

await journey(async ({ open }) => {
  const page = await open("admin", "/people");
  await settled(page);

  step("a filter, an order, a search and a page stand in the address");
  await page.getByRole("button", { name: "Active", exact: true }).click();
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
  await page.getByRole("navigation", { name: "Pages" }).getByRole("button", { name: "Next" }).click();
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
  await page.getByRole("button", { name: "Delete the view =SUM" }).click();
  expect((await page.getByRole("button", { name: "=SUM(<b>mine</b>)", exact: true }).count()) === 0, "the view is still there");

  await csv(page);
  await selection(page);
  await filters(page);
  await sizes(page);
  await widths(page);
  await opened(open);
  await shifts(page);
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
  await page.getByRole("toolbar", { name: "Selection" }).getByText("3 selected").waitFor();
  await seen(page, "rows are selected");
  await page.keyboard.press("Escape");
  await page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Clear" }).click();
  expect((await page.getByRole("toolbar", { name: "Selection" }).count()) === 0, "the selection stays");
  expect(scene.ids.account !== "", "there are no accounts");
}

/** A part of a department's name narrows the list while it is typed; a view and a filter never say different things. */
async function filters(page) {
  step("filters");
  await page.setViewportSize({ width: 1920, height: 860 });
  await go(page, "/people");
  const field = page.getByRole("combobox", { name: "Department" });
  await field.fill("gineer");
  await page.waitForURL(/department_like=gineer/);
  await settled(page);
  const shown = await page.locator("tbody tr td:nth-child(3)").allInnerTexts();
  expect(shown.length > 0 && shown.every((d) => d === "Engineering"), `departments are ${[...new Set(shown)]}`);
  expect((await page.locator("datalist option").evaluateAll((all) => all.map((o) => o.value))).includes("Engineering"), "the department is not suggested");
  same(await page.getByRole("button", { name: "All", exact: true }).getAttribute("aria-pressed"), "false", "whether everything is shown");
  await go(page, "/people?status=notice&department_like=gineer");
  same(await page.getByRole("button", { name: "Leaving", exact: true }).getAttribute("aria-pressed"), "true", "whether the view is in effect");
  same(await page.getByRole("combobox", { name: "State" }).inputValue(), "notice", "the state beside it");
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.getByRole("button", { name: /^(More f|F)ilters \(/ }).click();
  await page.getByRole("dialog", { name: "More filters" }).getByRole("combobox", { name: "Department" }).waitFor();
  await seen(page, "more filters");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1360, height: 860 });
}

/** How many rows a page has stands in the address, and stays when the list is narrowed. */
async function sizes(page) {
  step("rows per page");
  await go(page, "/people?page=2");
  await page.getByLabel("Rows per page").selectOption("25");
  await page.waitForURL(/size=25/);
  await settled(page);
  same([path(page), (await names(page)).length], ["/people?size=25", 25], "a page of 25");
  await page.getByRole("button", { name: "Active", exact: true }).click();
  await settled(page);
  expect(/size=25/.test(path(page)), `narrowed, the address is ${path(page)}`);
}

/** Selecting rows, and saving a view, moves nothing; every list fits at the widths of usual screens. */
async function widths(page) {
  step("nothing moves when rows are selected");
  await go(page, "/accounts");
  const top = () => page.locator("tbody tr").first().evaluate((r) => r.getBoundingClientRect().top);
  const before = await top();
  await page.locator("tbody input[type=checkbox]").first().check();
  await page.getByRole("toolbar", { name: "Selection" }).waitFor();
  same(await top(), before, "where the first row is, with a row selected");
  await go(page, "/accounts?status=active");
  await page.getByRole("button", { name: "Save this view" }).waitFor();
  same(await top(), before, "where the first row is, with a view to save");
  for (const list of ["people", "accounts", "access", "connectors", "provisioning", "roles", "policies", "requests"]) {
    step(`${list} at the widths of usual screens`);
    await go(page, `/${list}`);
    for (const width of [1280, 1920]) await listsFit(page, list, width);
  }
}

/** A list that is opened in a usual window has one row of views and filters, also after its letters have come. */
async function opened(open) {
  step("the catalog, opened in a window of 1280 px");
  const page = await open("admin", "/access", { viewport: { width: 1280, height: 900 } });
  await page.evaluate(() => document.fonts.ready);
  await still(page);
  const height = await page.locator("main .list-line").evaluate((e) => e.clientHeight);
  expect(height <= 60, `views and filters take ${height} px`);
  await page.context().close();
}

/** What is shown does not move while a page is read: its cumulative layout shift is at most 0.02. */
async function shifts(page) {
  await page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  for (const list of ["connectors", "people", "provisioning", "inbox"]) {
    step(`how /${list} moves while it is read`);
    await page.goto(`${url}/${list}`);
    await page.waitForSelector("nav.rail");
    await settled(page);
    const shift = await page.evaluate(() => window.shifted);
    expect(shift <= 0.02, `it moves by ${shift.toFixed(3)}`);
  }
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
