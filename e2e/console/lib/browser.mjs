// A Chromium that watches itself. On every page: no error, nothing that the content policy forbids, no request to anybody else, no
// answer of 500 or more, and none of 400 or more that the test has not said it expects.
import { fail } from "./tell.mjs";
import { chromium, url } from "./tools.mjs";

/** Starts the browser; it resolves no name but this machine's own. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.GRANTWRIGHT_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });

// The same service by a name, which is as long: passkeys belong to a host name.
const local = url.replace("127.0.0.1", "localhost");

// Whoever has not signed in yet, or types a wrong password, is told so.
const usual = (answer) => answer.status() === 401 && /\/auth\/(refresh|login|logout)$/.test(new URL(answer.url()).pathname);

/**
 * A window of its own, without anybody signed in. options are Playwright's; beside them allow: statuses of answers that the test is
 * about, such as [404, 422], or "all" where the service is made to fail; name is said in failures.
 */
export async function watched(browser, { allow = [], name = "", ...options } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1360, height: 860 },
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-GB",
    acceptDownloads: true,
    ...options,
  });
  context.allow = allow;
  const whose = name ? `${name}: ` : "";
  const on = (page) => (page ? ` (at ${new URL(page.url()).pathname})` : "");
  await context.exposeBinding("violated", ({ page }, what) => fail(`${whose}content policy: ${what}${on(page)}`));
  await context.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (e) => window.violated(`${e.violatedDirective} ${e.blockedURI}`)),
  );
  context.on("request", (r) => {
    const own = r.url().startsWith(`${url}/`) || r.url().startsWith(`${local}/`);
    if (!own && !/^(data|blob):/.test(r.url())) fail(`${whose}a request to ${r.url()}`);
  });
  context.on("response", (r) => {
    if (r.status() < 400 || usual(r) || context.allow === "all" || context.allow.includes(r.status())) return;
    fail(`${whose}${r.request().method()} ${r.url().slice(url.length)} answered ${r.status()}${on(r.frame().page())}`);
  });
  context.on("weberror", (e) => fail(`${whose}an error of the page: ${e.error()}${on(e.page())}`));
  context.on("dialog", (d) => {
    // A page is left whose form holds unsaved changes: journeys that are about it look at it themselves.
    if (d.type() === "beforeunload") return void d.accept();
    fail(`${whose}the page opened a dialog of the browser: ${d.message()}`);
    void d.dismiss();
  });
  context.on("console", (m) => {
    const resource = /^Failed to load resource: .*(status of 4\d\d|status of 5\d\d|net::)/.test(m.text()); // answers are looked at above
    if (m.type() === "error" && !resource) fail(`${whose}the page complains: ${m.text().slice(0, 300)}${on(m.page())}`);
  });
  context.on("page", follow);
  return context;
}

// The requests to the API that a page waits for. A stream is none: it ends when it ends.
const open = new WeakMap();

function follow(page) {
  const waits = new Set();
  open.set(page, { waits, since: Date.now() });
  const ended = (r) => waits.delete(r) && Object.assign(open.get(page), { since: Date.now() });
  page.on("request", (r) => {
    if (r.url().includes("/api/") && !/events(\?|$)/.test(r.url()) && !/event-stream/.test(r.headers().accept ?? "")) waits.add(r);
  });
  page.on("response", (a) => ended(a.request())); // not when it is finished: a body that nobody reads never is
  page.on("requestfailed", ended);
  page.on("framenavigated", (frame) => frame === page.mainFrame() && page.url() === "about:blank" && waits.clear());
}

/** What a page waits for. */
export const waitsFor = (page) => [...(open.get(page)?.waits ?? [])].map((r) => `${r.method()} ${new URL(r.url()).pathname}`);
