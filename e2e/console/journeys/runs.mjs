// seed: own
// A run is followed live over a stream that breaks; one that is held is released in part, and the rest discarded.
import { api, expect, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const { connector, heldRun, hr } = scene.ids;

await journey(async ({ open }) => {
  await live(await open("admin", `/connectors/${hr}`));
  await held(await open("admin", `/connectors/${connector}`));
});

/** The first stream ends in the middle: the console asks again from the last event, and shows the end. */
async function live(page) {
  const asked = [];
  await page.route("**/sync-runs/*/events", async (route) => {
    asked.push(route.request().headers()["last-event-id"] ?? "");
    if (asked.length > 1) return route.continue();
    const counters = { identities_read: 41, accounts_discovered: 0, entitlements_mapped: 0, grants_recorded: 0 };
    const data = JSON.stringify({ event: "sync.progress", seq: 1, status: "running", phase: "read_identities", counters, chunks: 2 });
    return route.fulfill({ status: 200, contentType: "text/event-stream", body: `event: sync.progress\nid: 1\ndata: ${data}\n\n` });
  });
  step("a run is started");
  await page.getByRole("button", { name: "Sync now" }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Mode").selectOption("everything");
  await dialog.getByLabel("Records per write").fill("1");
  await seen(page, "sync now");
  await dialog.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/runs\//);
  step("the stream breaks, and the run is followed to its end");
  await page.locator("[data-counter=identities_read]").getByText(/^41/).waitFor();
  await page.getByText("The connection was lost").waitFor();
  await page.getByText("Details").waitFor();
  await settled(page);
  expect(asked.length >= 2, `the stream was asked for ${asked.length} times`);
  same(asked[1], "1", "the event from which the stream is taken up");
  const run = await api("admin", "GET", `/connectors/${hr}/sync-runs/${page.url().split("/").at(-1)}`);
  same(run.status, "succeeded", "the run");
  const people = page.getByRole("region", { name: "Changes by kind" }).getByRole("row").filter({ hasText: "People" });
  expect((await people.innerText()).includes(run.report.identities.unchanged.toLocaleString("en")), "the figures of the page and of the run differ");
  await seen(page, "run ended");
  await page.getByRole("link", { name: "Rejected records" }).click();
  await seen(page, "run set aside");
}

/** One department of what is held is released, a single change by itself, and the rest discarded. */
async function held(page) {
  step("the held run is found from its connector");
  await page.getByRole("link", { name: "Review held changes" }).click();
  await page.waitForURL(new RegExp(heldRun));
  await settled(page);
  await seen(page, "held run");
  const at = `/connectors/${connector}/sync-runs/${heldRun}`;
  const before = (await api("admin", "GET", `${at}/holds`)).held;

  step("a part is released");
  await page.getByRole("button", { name: "Release…" }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByText("Departments").waitFor();
  await dialog.getByRole("checkbox", { name: /^Finance/ }).check();
  await dialog.getByLabel("Reason").fill("the team was outsourced");
  await seen(page, "release");
  const apply = dialog.getByRole("button", { name: /^Apply/ });
  const answers = [];
  page.on("response", (r) => r.url().endsWith("/release") && answers.push(r.status()));
  page.context().allow = [409];
  await apply.click();
  await page.waitForFunction(() => !document.querySelector(".dialog") || document.querySelector(".dialog [role=alert]"));
  if (answers[0] === 409) await apply.click(); // the service has counted what goes along, and the button says so now
  await dialog.waitFor({ state: "detached" });
  page.context().allow = [];
  const left = await again(at, (h) => h.held < before);
  expect(left.held > 0, "everything was released");
  await page.waitForFunction((n) => document.body.innerText.includes(`${n} changes held`), left.held.toLocaleString("en"));

  step("one change by itself");
  await page.getByRole("button", { name: "Held", exact: true }).click();
  await settled(page);
  await page.getByRole("checkbox", { name: "Select row 1", exact: true }).check();
  await page.getByRole("button", { name: "Release 1 change…" }).click();
  await seen(page, "release one");
  await page.keyboard.press("Escape");

  step("the rest is discarded");
  await page.getByRole("button", { name: "Discard…" }).click();
  expect(await page.locator(".dialog").getByRole("button", { name: "Discard" }).isDisabled(), "it can be discarded without a word");
  await page.locator(".dialog").getByLabel("Reason").fill("the export was cut short");
  await page.locator(".dialog").getByRole("button", { name: "Discard" }).click();
  await page.locator(".dialog").waitFor({ state: "detached" });
  const run = await api("admin", "GET", at);
  same(run.status, "discarded", "the run in the end");
  await seen(page, "discarded run");
}

async function again(at, good) {
  for (let i = 0; i < 100; i++) {
    const now = await api("admin", "GET", `${at}/holds`);
    if (good(now) && (await api("admin", "GET", at)).status === "held") return now;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error("nothing was released");
}
