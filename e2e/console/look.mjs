// Opens a page in a real Chromium and tells, as JSON, what happened:
//
//   node look.mjs CHROMIUM URL SELECTOR [OPENER]
//
// -> {"found": n, "text": "...", "requests": ["..."], "errors": ["..."]}
//
// OPENER selects what is clicked first, the first four elements once each, to unfold what is hidden. found is how many elements matched SELECTOR in the end, text what the page shows, requests every address that was asked
// for, errors whatever the console or the page complained of. The browser resolves no name but the loopback address's.
import { chromium } from "playwright-core";

const [executablePath, url, selector, opener] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
});
try {
  const page = await browser.newPage();
  const requests = [];
  const errors = [];
  page.on("request", (r) => requests.push(r.url()));
  page.on("requestfailed", (r) => errors.push(`${r.url()}: ${r.failure()?.errorText}`));
  page.on("response", (r) => r.status() >= 400 && errors.push(`${r.url()}: ${r.status()}`));
  page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && errors.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => errors.push(String(e)));
  await page.goto(url, { waitUntil: "networkidle", timeout: 90000 });
  if (opener) {
    await page.waitForSelector(opener, { timeout: 90000 });
    // The first ones: when much is unfolded the viewer keeps only what is in sight.
    for (const folded of (await page.locator(opener).all()).slice(0, 4)) await folded.click();
  }
  await page.waitForSelector(selector, { timeout: 90000 }).catch((e) => errors.push(String(e)));
  const found = await page.locator(selector).count();
  const text = await page.locator("body").innerText();
  console.log(JSON.stringify({ found, text, requests, errors }));
} finally {
  await browser.close();
}
