// when: long
// seed: own
// Behind a dialog the page has no keys: none moves, selects, decides or leads away, wherever the focus is, and all are back when it has gone.
import { api, expect, journey, path, same, scene, settled, step } from "../lib/house.mjs";

const { items: access } = await api("admin", "GET", "/entitlements?q=Editors");
const editors = access.find((e) => (e.display_name || e.name) === "Editors");
const waiting = async () => (await api("second", "GET", "/decision-tasks?kind=request_approval&limit=1")).total;

/** Asks, as an administrator, for access that another administrator decides about. */
async function asked() {
  const { items } = await api("admin", "GET", "/identities?status=active&limit=4&sort=-display_name");
  const requests = items.map((p) => ({ requested_for_identity_id: p.id, requested_resources: [{ entitlement_id: editors.id }], justification: "The site" }));
  const before = await waiting();
  const { created } = await api("admin", "POST", "/access-requests/bulk", { requests });
  for (let tries = 0; tries < 100 && (await waiting()) < before + created; tries++) await new Promise((r) => setTimeout(r, 100));
}

/** What keys could have changed of a page. */
const state = (page) =>
  page.evaluate(() => ({
    at: location.pathname + location.search,
    row: document.querySelector("main [data-at]")?.textContent ?? "",
    chosen: document.querySelectorAll("main [data-chosen]").length,
    dialogs: document.querySelectorAll("[role=dialog]:not([aria-modal=false]),dialog[open]").length,
    hint: Boolean(document.querySelector(".shortcut-hint")),
  }));

/** Loses the focus, as when what had it is taken out of the page, and presses all that pages know. */
async function nothingHappens(page, what) {
  await page.evaluate(() => document.activeElement?.blur());
  const before = await state(page);
  for (const key of ["j", "k", "x", "X", "a", "r", "d", "z", "]", "[", "u", "ArrowDown", "?", "/", "g", "i"]) {
    await page.keyboard.press(key);
    await page.evaluate(() => document.activeElement?.blur());
  }
  same(await state(page), before, `${what}, after every key`);
}

const close = async (page) => {
  await page.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
};

await journey(async ({ open }) => {
  await asked();
  const page = await open("admin", "/people");
  await page.keyboard.press("j");
  await page.keyboard.press("j");

  step("behind the palette");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
  await nothingHappens(page, "people behind the palette");
  await page.mouse.click(5, 5);
  await page.getByRole("dialog").waitFor({ state: "detached" });

  step("behind the key sheet");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await nothingHappens(page, "people behind the key sheet");
  await close(page);

  step("the keys are back");
  const before = (await state(page)).row;
  await page.keyboard.press("k");
  await page.waitForFunction((row) => document.querySelector("main [data-at]")?.textContent !== row, before);

  step("Ctrl A selects all of the page of a list, but not behind a dialog");
  await page.goto(new URL("/access", page.url()).href);
  await settled(page);
  const rows = await page.locator("main tbody tr").count();
  await page.keyboard.press("Control+a");
  await page.getByText(`${rows} selected`).waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("select all rows of the page").waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("Control+a");
  same((await state(page)).chosen, 0, "what is selected behind the key sheet");
  await close(page);

  step("what is typed before the palette is there is not for the page");
  await page.goto(new URL("/people", page.url()).href);
  await settled(page);
  let late = () => {};
  await page.route(/palette-[^/]*\.js$/, (r) => new Promise((go) => { late = go; }).then(() => r.continue()));
  await page.keyboard.press("Control+k");
  await nothingHappens(page, "people while the palette is fetched");
  late();
  await page.getByRole("dialog").waitFor();

  step("behind a drawer");
  await page.goto(new URL("/audit", page.url()).href);
  await settled(page);
  await page.locator(".audit-action").first().click();
  await page.getByRole("dialog").getByText("Raw entry").waitFor();
  await nothingHappens(page, "the log behind an entry");
  await close(page);

  step("behind what asks for the session again");
  await page.goto(new URL("/people", page.url()).href);
  await settled(page);
  await page.keyboard.press("j");
  await page.evaluate(() => {
    const over = document.createElement("dialog");
    over.textContent = "Over everything";
    document.body.append(over);
    over.showModal();
  });
  await page.keyboard.press("Control+k");
  await nothingHappens(page, "people behind the browser's own dialog");

  step("behind a question of the inbox");
  const inbox = await open("second", "/inbox?kind=request_approval");
  await inbox.locator(".inbox-row").first().waitFor();
  const open_ = await waiting();
  await inbox.keyboard.press("j");
  await inbox.locator(".inbox-history li").first().waitFor();
  let answer = () => {};
  await inbox.route(/answer-[^/]*\.js$/, (r) => new Promise((go) => { answer = go; }).then(() => r.continue()));
  await inbox.keyboard.press("r");
  await nothingHappens(inbox, "the inbox while its question is fetched");
  answer();
  await inbox.getByRole("dialog").waitFor();
  await nothingHappens(inbox, "the inbox behind its question");
  await inbox.evaluate(() => document.activeElement?.blur());
  await inbox.keyboard.press("Control+a");
  same((await state(inbox)).chosen, 0, "what is selected behind the question");
  await inbox.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await inbox.getByRole("dialog").waitFor({ state: "detached" });
  same(await waiting(), open_, "what waits after keys behind a question");

  step("the inbox has its keys back");
  const was = path(inbox);
  await inbox.keyboard.press("]");
  await inbox.waitForFunction((to) => location.pathname + location.search !== to, was);
  expect(path(inbox).includes("task="), "no task is open");
});
