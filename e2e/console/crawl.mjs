// Opens every screen of the console as one of its users, named by GRANTWRIGHT_CRAWL, and looks at it; see README.md. "admin dark" is
// the administrator in the dark, "admin narrow" with a telephone.
import { addresses, inOtherStates, screens } from "./lib/addresses.mjs";
import { accessible, expect, fail, fits, go, inWords, journey, listsFit, literal, path, picture, step, still } from "./lib/house.mjs";
import { controls, inRail, mayOpen } from "./lib/roles.mjs";

const [who, way = "light"] = (process.env.GRANTWRIGHT_CRAWL ?? "admin").split(" ");
const windows = { dark: { colorScheme: "dark" }, narrow: { viewport: { width: 320, height: 700 } } };
const usual = [1280, 1920]; // how wide screens are: every list fits there
const only = process.env.GRANTWRIGHT_ONLY ?? ""; // a part of the addresses, while one works on a screen
const spent = {};

/** Adds up how long a part of the crawl takes. */
async function timed(part, work) {
  const began = performance.now();
  try {
    return await work();
  } finally {
    spent[part] = (spent[part] ?? 0) + (performance.now() - began) / 1000;
  }
}

const said = (page, words) => page.locator("main h1", { hasText: words }).count();

// Screens that show other parts to others than the administrator.
const ofTheirs = ["/", "/my-access", "/inbox", "/requests", "/requests/$id", "/access/$id", "/access/request", "/settings/me"];

/**
 * Whether axe looks at a screen, which takes half of the time of a crawl: at all of the administrator's, and of others' at those that are
 * made for them. The rest are the administrator's with fewer controls.
 */
const judged = (place) => who === "admin" || !place || !mayOpen("admin", place) || ofTheirs.includes(place.path);

/** What everybody sees of a screen that they may open. */
async function look(page, address, place) {
  const name = `${who} ${address} (${way})`;
  step(name);
  await timed("opening", () => go(page, address));
  if (await said(page, /still to come/)) return fail(`${name} is still to be written`);
  if (await said(page, /Request failed/)) fail(`${name}: ${await page.locator(".failure").first().innerText()}`);
  expect((await page.locator("h1").count()) === 1, `${await page.locator("h1").count()} titles`);
  await timed("still", () => still(page));
  await timed("words", () => inWords(page, name));
  await timed("width", () => fits(page, name));
  if (who === "admin" && way === "light") await timed("code", () => literal(page, name));
  if (way !== "narrow" && judged(place)) await timed("axe", () => accessible(page, name, way === "dark" ? ["color-contrast", "link-in-text-block"] : undefined));
  if (way === "light" && judged(place) && (await page.locator("main section.table, main .list-line").count()) > 0)
    for (const width of usual) await timed("lists", () => listsFit(page, `${who} ${address}`, width));
  await picture(page, name);
  if (who === "auditor") {
    const found = await controls(page);
    if (found.length > 0) fail(`${name} has ${found.length} controls that change something: ${[...new Set(found)].slice(0, 6).join(", ")}`);
  }
}

/** A screen that somebody may not open: its address says so. */
async function forbidden(page, address) {
  step(`${who} may not open ${address}`);
  await go(page, address);
  expect((await said(page, /Not visible to you|Not found, or not visible to you/)) === 1, `it shows ${await page.locator("h1").allInnerTexts()}`);
  const found = await controls(page);
  expect(found.length === 0, `it offers ${found.slice(0, 4).join(", ")}`);
}

await journey(async ({ open }) => {
  // Of what is asked for by address only, some is not there, or not theirs: that is what a 404 says.
  const page = await open(who, "/", windows[way]);
  const context = page.context();
  for (const place of screens.filter((p) => p.nav)) {
    const links = await page.locator(`nav.rail a[href="${place.path}"]`).count();
    expect(links === (inRail(who, place) ? 1 : 0), `the navigation leads ${links} times to ${place.path}`);
  }
  for (const place of screens) {
    if (only && !place.path.includes(only)) continue;
    const { all, theirs } = await addresses(who, place);
    const may = mayOpen(who, place);
    context.allow = theirs ? [] : [403, 404];
    for (const address of may ? all : all.slice(0, 1)) await (may ? look(page, address, place) : forbidden(page, address));
  }
  context.allow = [403, 404];
  if (who === "admin") for (const address of inOtherStates()) if (!only || address.includes(only)) await look(page, address);
  expect(path(page) !== "", "it ended nowhere");
}, () => [`${who}, ${way}: ${Object.entries(spent).map(([part, s]) => `${part} ${s.toFixed(1)} s`).join(", ")}`]);
