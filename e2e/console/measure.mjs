// Measures the console as somebody far away with an old computer meets it: a processor four times slower, 1.6 Mbit/s, 150 ms. It reads
// on standard input what journeys read, and prints figures; it passes no judgement.
import { go, journey, settled, signIn, step, url, watched } from "./lib/house.mjs";

const figures = [];
const figure = (what, value, unit, goal) => figures.push(`${what}: ${value} ${unit}${goal ? `, goal ${goal} ${unit}: ${value <= goal ? "PASS" : "MISS"}` : ""}`);

await journey(async ({ browser }) => {
  const context = await watched(browser, { name: "measuring" });
  const page = await context.newPage();
  await signIn(page, "admin", "/connectors");
  await shifts(page);

  step("/connectors, near");
  figure("rows of /connectors, near", Math.round(await rows(page)), "ms");
  step("/connectors, far away and cold");
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.clearBrowserCache");
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: (1.6e6 / 8), uploadThroughput: (750e3 / 8) });
  figure("rows of /connectors, far away, nothing kept", Math.round(await rows(page)), "ms", 3000);
  step("/connectors, far away and warm");
  figure("rows of /connectors, far away, opened before", Math.round(await rows(page)), "ms", 3000);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });

  for (const address of ["/", "/inbox", "/people", "/accounts", "/access", "/connectors", "/requests", "/roles", "/policies", "/audit", "/settings/webhooks"]) {
    step(`how ${address} moves while it is read`);
    await page.goto(url + address);
    await settled(page);
    figure(`shift of ${address}`, Number((await page.evaluate(() => window.shifted)).toFixed(4)), "CLS", 0.02);
  }
  step("how soon a page of the console shows another");
  await page.goto(`${url}/people`);
  await settled(page);
  const began = performance.now();
  await go(page, "/accounts");
  figure("from one page to another", Math.round(performance.now() - began), "ms", 300);
}, () => figures);

/** Adds up by how much what is shown moves by itself. */
async function shifts(page) {
  await page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/** Milliseconds from opening /connectors until its rows are there. */
async function rows(page) {
  const began = performance.now();
  await page.goto(`${url}/connectors`, { waitUntil: "commit" });
  await page.waitForSelector("tbody tr", { timeout: 60_000 });
  return performance.now() - began;
}
