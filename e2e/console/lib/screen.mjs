// What is looked at on each screen.
import { waitsFor } from "./browser.mjs";
import { expect, fail, step } from "./tell.mjs";
import { axe, shots, url } from "./tools.mjs";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Waits until a page shows what it has: a title, nothing that is still being read, and no request under way. */
export async function settled(page, { within = 45_000 } = {}) {
  const until = Date.now() + within;
  let calm = 0;
  let shows = {};
  while (Date.now() < until) {
    shows = await page
      .evaluate(() => {
        const router = window.__TSR_ROUTER__?.state; // the page before is shown until the program of the next one is there
        return {
          title: Boolean(document.querySelector("h1")),
          reading: document.querySelectorAll("[aria-busy=true]").length,
          going: router?.status === "pending" || router?.isLoading || (router?.resolvedLocation && router.resolvedLocation.pathname !== router.location.pathname),
        };
      })
      .catch(() => ({})); // the page is being exchanged
    calm = shows.title && !shows.going && shows.reading === 0 && waitsFor(page).length === 0 ? calm + 1 : 0;
    if (calm === 2) return;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  fail(`${path(page)} does not settle: title ${shows.title}, being read ${shows.reading}, under way ${waitsFor(page).join(", ") || "nothing"}`);
}

/** Waits until nothing moves or changes its colour; what turns for ever is not waited for. */
export const still = (page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((next) => requestAnimationFrame(next));
    const ends = (a) => a.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY;
    for (let calm = 0, i = 0; calm < 2 && i < 200; i++) {
      await frame();
      calm = document.getAnimations().some((a) => a.playState === "running" && ends(a)) ? 0 : calm + 1;
    }
  });

/** The address of a page within the console. */
export const path = (page) => page.url().slice(url.length);

/** Goes to an address within the single page, without loading it anew; settled says whether to wait. */
export async function go(page, to, { settle = true } = {}) {
  await page.evaluate((to) => window.history.pushState(null, "", to), to);
  await page.waitForFunction((to) => location.pathname + location.search === to, to, { timeout: 5000 }).catch(() => {});
  if (settle) await settled(page);
}

/** Accessibility by axe; only: the rules to apply, all without it. */
export async function accessible(page, name, only) {
  const runs = () =>
    page.evaluate(
      (run) => window.axe.run(document, { runOnly: run, resultTypes: ["violations"], elementRef: false }),
      only ? { type: "rule", values: only } : { type: "tag", values: rules },
    );
  if (!(await page.evaluate(() => Boolean(window.axe)))) await page.evaluate(axe);
  for (const v of (await runs()).violations) {
    const [first] = v.nodes;
    const why = first?.any[0]?.message ?? first?.all[0]?.message ?? first?.none[0]?.message ?? v.help;
    fail(`${name}: ${v.id} (${v.nodes.length}): ${why}: ${first?.html?.slice(0, 200)} at ${first?.target?.join(" ")}`);
  }
}

/** Nothing that a program has forgotten to say in words stands on the page, or in the names of what is on it. */
export async function inWords(page, name) {
  const text = await page.evaluate(() =>
    [
      document.body.innerText,
      ...[...document.querySelectorAll("[aria-label],[title],[placeholder]")].map(
        (e) => `${e.getAttribute("aria-label")} ${e.getAttribute("title")} ${e.getAttribute("placeholder")}`.replaceAll("null", ""),
      ),
    ].join("\n"),
  );
  for (const [word, pattern] of [["undefined", /\bundefined\b/], ["NaN", /\bNaN\b/], ["[object", /\[object/], ["Invalid Date", /Invalid Date/]]) {
    const line = text.split("\n").find((l) => pattern.test(l));
    if (line !== undefined) fail(`${name} shows ${word}: ${line.slice(0, 120)}`);
  }
}

/** The page is not wider than its window. */
export async function fits(page, name) {
  const { over, who } = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const over = document.documentElement.scrollWidth - width;
    const wide = over > 0 ? [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > width + 1) : [];
    return { over, who: wide.slice(-3).map((e) => `${e.tagName.toLowerCase()}.${e.className?.baseVal ?? e.className}`).join(", ") };
  });
  if (over > 0) fail(`${name} is ${over} px wider than the window: ${who}`);
}

/**
 * Lists and tables at the width of a window: their views, search and filters are one row, no column is behind an edge, no text in a cell or
 * head is cut off unless pointing at it shows the whole, a list takes the whole page, and the head of one that is longer than the window
 * stays in sight.
 */
export async function listsFit(page, name, width) {
  const was = page.viewportSize();
  await page.setViewportSize({ width, height: was.height });
  await still(page);
  for (const wrong of await page.evaluate(wrongOfLists)) fail(`${name} at ${width} px: ${wrong}`);
  await fits(page, `${name} at ${width} px`);
  await page.setViewportSize(was);
}

/** Runs in the page. */
async function wrongOfLists() {
  const wrong = [];
  const inner = (e) => e.clientWidth - Number.parseFloat(getComputedStyle(e).paddingLeft) - Number.parseFloat(getComputedStyle(e).paddingRight);
  const heard = (e) => Boolean(e.closest(".sr"));
  /** Whether a part of an element's text is not seen. */
  const cut = (e) => {
    if (e.scrollWidth <= e.clientWidth + 1 && e.scrollHeight <= e.clientHeight + 1) return false;
    const { overflowX, overflowY, display } = getComputedStyle(e);
    if (display === "inline" || e.clientWidth === 0) return false;
    return (e.scrollWidth > e.clientWidth + 1 && overflowX === "hidden") || (e.scrollHeight > e.clientHeight + 1 && overflowY === "hidden");
  };
  const told = (e, cell) => e.title || e.closest("[title]")?.closest("td, th") === cell;
  for (const line of document.querySelectorAll("main .list-line"))
    if (line.hasAttribute("data-full") || line.clientHeight > 60) wrong.push(`views and filters take ${line.clientHeight} px`);
  for (const table of document.querySelectorAll("main section.table")) {
    const called = table.getAttribute("aria-label");
    const within = table.closest("section.table section.table, .card .list, [role=dialog]");
    const list = table.closest(".list");
    const over = table.firstElementChild.offsetWidth - table.clientWidth;
    if (over > 1) wrong.push(`${over} px of ${called} are behind the edge`);
    if (list && !within && table.offsetWidth < 0.97 * inner(document.querySelector("main"))) wrong.push(`${called} is ${table.offsetWidth} px wide`);
    for (const cell of table.querySelectorAll("th, td"))
      for (const e of [cell, ...cell.querySelectorAll("*")])
        if (!heard(e) && !e.matches("input, select, textarea, svg, svg *") && cut(e) && !told(e, cell)) {
          wrong.push(`"${cell.textContent.slice(0, 40)}" of ${called} is cut off`);
          break;
        }
    const head = table.querySelector("thead th");
    if (table.offsetHeight < window.innerHeight || !head) continue;
    const before = window.scrollY;
    window.scrollTo(0, table.getBoundingClientRect().top + window.scrollY + 200);
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    if (Math.abs(head.getBoundingClientRect().top) > 1) wrong.push(`the head of ${called} is at ${head.getBoundingClientRect().top} px when the page is scrolled`);
    window.scrollTo(0, before);
  }
  return wrong;
}

/** Code is shown letter by letter: a ligature would make one sign of "://" and another of "!=". */
export async function literal(page, name) {
  const joined = await page.evaluate(() =>
    [...document.querySelectorAll("body *")]
      .filter((e) => getComputedStyle(e).fontFamily.startsWith("Mono") && getComputedStyle(e).fontVariantLigatures !== "none")
      .map((e) => `${e.tagName.toLowerCase()}.${e.className}`),
  );
  if (joined.length > 0) fail(`${name} draws ligatures in ${[...new Set(joined)].slice(0, 4).join(", ")}`);
}

/** Looks at a screen as it is: accessibility, words, width, and a picture where pictures are wanted. */
export async function seen(page, name) {
  step(name);
  await settled(page);
  await still(page);
  await accessible(page, name);
  await inWords(page, name);
  await fits(page, name);
  await picture(page, name);
}

/** Keeps a picture of a page. */
export async function picture(page, name) {
  if (shots) await page.screenshot({ path: `${shots}/${name.replaceAll(/[^a-z0-9]+/gi, "-")}.png` });
}

/** Where the focus is, in words. */
export const focus = (page) =>
  page.evaluate(() => {
    const e = document.activeElement;
    return e ? `${e.tagName.toLowerCase()} ${e.getAttribute("aria-label") ?? e.textContent?.slice(0, 60) ?? ""}`.trim() : "";
  });

/** Fails unless the focus is on what a selector names. */
export async function focused(page, selector, what) {
  const is = await page
    .waitForFunction((s) => document.activeElement?.matches(s), selector, { timeout: 8000 })
    .then(() => true, () => false);
  expect(is, `${what}: the focus is on ${is ? "" : await focus(page)}`);
}
