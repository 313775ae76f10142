// when: long
// The whole of a long log: it loads on to its end, only rows near to what is seen are drawn, and it is still gone through by keys, by its text and by address.
import { api, expect, focused, journey, same, seen, settled, step } from "../lib/house.mjs";

const many = 2000;
const size = 100;
let most = 0;

/** Entry n of a log of many, the newest first; all else of it is as the service writes it. */
const entry = (like, n) => ({
  ...like,
  id: String(900_000 - n),
  seq: 900_000 - n,
  action: n % 2 ? "identity.updated" : "role.updated",
  actor: { ...like.actor, display: `Clerk ${n}` },
  subject: { type: "identity", id: like.actor.id ?? "", display: `Person ${n}` },
});

/** Answers for a log that is longer than what a seeded service has. */
async function long(page, like) {
  await page.route(/\/api\/v1\/audit-events(\?|\/\d+$)/, (r) => {
    const at = new URL(r.request().url());
    const one = at.pathname.match(/\/(\d+)$/);
    if (one) return r.fulfill({ json: entry(like, 900_000 - Number(one[1])) });
    const from = Number(at.searchParams.get("cursor") ?? 0);
    const items = Array.from({ length: Math.min(size, many - from) }, (_, i) => entry(like, from + i));
    return r.fulfill({ json: { items, total: many, limit: size, offset: 0, next_cursor: from + size < many ? String(from + size) : null } });
  });
}

const drawn = (page) => page.locator(".audit-log .audit-action").count();
const here = (page) => page.evaluate(() => document.activeElement?.closest("[role=row],tr,li")?.textContent ?? "");

await journey(
  async ({ open }) => {
    const { items } = await api("auditor", "GET", "/audit-events?limit=1");
    const page = await open("auditor", "/dashboard");
    await long(page, items[0]);
    await page.goto(new URL("/audit", page.url()).href);
    await page.locator(".audit-action").first().waitFor();

    step("to its end");
    for (let turns = 0; turns < 400 && !(await page.getByText(`${many.toLocaleString("en")} of ${many.toLocaleString("en")}`).isVisible()); turns++) {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      most = Math.max(most, await drawn(page));
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
    }
    await settled(page);
    const last = page.getByText(`Clerk ${many - 1}`, { exact: true });
    for (let turns = 0; turns < 50 && !(await last.isVisible()); turns++) {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
    }
    await last.waitFor({ timeout: 5000 });
    most = Math.max(most, await drawn(page));
    expect((await drawn(page)) <= 160, `${await drawn(page)} rows are drawn at the end of ${many}`);
    await seen(page, "the end of a long log");

    step("a table says how long it is and where one is");
    const table = page.getByRole("table", { name: "Entries, newest first" });
    same(await table.getAttribute("aria-rowcount"), String(many + 1), "its rows");
    same(await page.getByRole("row").last().getAttribute("aria-rowindex"), String(many + 1), "the number of the last row");

    step("rows that are not drawn are found by their text, where they are");
    const up = await page.evaluate(() => {
      window.getSelection()?.removeAllRanges();
      const found = window.find("Clerk 700", false, true);
      return { found, far: window.scrollY < document.body.scrollHeight - 20_000 };
    });
    expect(up.found && up.far, `the text of a row that is not drawn is ${JSON.stringify(up)}`);
    await page.getByRole("link", { name: /updated/ }).first().waitFor();
    await page.getByText("Clerk 700", { exact: true }).waitFor();
    const box = await page.getByText("Clerk 700", { exact: true }).boundingBox();
    expect(box && box.y > -50 && box.y < 900, `the row that was found stands at ${box?.y}`);

    step("J and K go through it, Enter opens, and one is back where one was");
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.getByText("Clerk 0", { exact: true }).waitFor();
    for (let i = 0; i < 120; i++) await page.keyboard.press("j");
    await page.waitForFunction(() => document.activeElement?.closest("tr")?.textContent.includes("Clerk 119"));
    await page.keyboard.press("k");
    await page.waitForFunction(() => document.activeElement?.closest("tr")?.textContent.includes("Clerk 118"));
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("Raw entry").waitFor();
    expect(page.url().includes(`event=${900_000 - 118}`), `the address is ${page.url()}`);
    await page.keyboard.press("j");
    same(page.url().includes(`event=${900_000 - 118}`), true, "the entry that is open after J behind it");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await focused(page, ".audit-action", "after the entry was closed");
    expect((await here(page)).includes("Clerk 118"), `the focus is in ${await here(page)}`);

    step("an entry by its address, and a narrow window");
    await page.goto(new URL(`/audit?event=${900_000 - 3}`, page.url()).href);
    await page.getByRole("dialog").getByText("Raw entry").waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.evaluate(() => window.scrollTo(0, 6000));
    await page.waitForFunction(() => [...document.querySelectorAll(".audit-action")].some((a) => a.getBoundingClientRect().top > 0 && a.getBoundingClientRect().top < 600));
    await seen(page, "a long log, narrow");
  },
  () => [`rows drawn of ${many}: at most ${most}`],
);
