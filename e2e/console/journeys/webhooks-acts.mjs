// when: long
// A webhook's receiver says that it is gone, and nothing more is sent; it is tested, enabled, and what was missed is replayed. Then it is disabled by hand and changed.
import { createServer } from "node:http";
import { api, expect, journey, same, seen, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

async function receiver() {
  const got = [];
  const self = { status: 410, got };
  const server = createServer((q, a) => {
    let body = "";
    q.on("data", (b) => (body += b)).on("end", () => got.push({ id: q.headers["webhook-id"], body: JSON.parse(body) }) && a.writeHead(self.status).end());
  });
  await new Promise((on) => server.listen(0, "127.0.0.1", on));
  return Object.assign(self, { url: `http://127.0.0.1:${server.address().port}/in`, close: () => server.close() });
}

const somebody = (n) =>
  api("admin", "POST", "/identities", { external_id: `${n}${Date.now()}`, email: `${n}${Date.now()}@example.org`, first_name: "Rita", last_name: `Replay ${n}` });

await journey(async ({ open }) => {
  const there = await receiver();
  const name = `Hooks ${Date.now()}`;
  const made = await api("admin", "POST", "/settings/webhooks", { name, url: there.url, events: ["identity.created"] });
  const one = () => api("admin", "GET", `/settings/webhooks/${made.id}`);
  const page = await open("admin", `/settings/webhooks/${made.id}`, { allow: [409, 422] });
  const dialog = page.locator(".dialog");
  try {
    step("the receiver is gone: it is disabled by the service");
    const missed = await somebody("a");
    await button(page, "Enable").waitFor({ timeout: 90_000 });
    same((await one()).health.disabled_by, "service", "who has disabled it");
    await seen(page, "disabled by the service");
    await somebody("b");

    step("it is not enabled before a test has arrived");
    await button(page, "Enable").click();
    await page.getByText(/test/i).last().waitFor();
    same((await one()).enabled, false, "whether it is enabled");
    await seen(page, "not enabled without a test");
    await button(page, "Close the message").click();
    there.status = 200;
    await button(page, "Send test").click();
    await page.getByRole("dialog", { name: "Test delivered" }).waitFor();
    await button(dialog, "Close").last().click();
    await button(page, "Enable").click();
    await button(page, "Enable").waitFor({ state: "detached" });
    same((await one()).enabled, true, "whether it is enabled");

    await replayed(page, there, missed);

    step("disabled by hand");
    await button(page, "More").click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await button(dialog, "Disable").click();
    await button(page, "Enable").waitFor();
    same((await one()).health.disabled_by, "administrator", "who has disabled it");

    step("changed");
    await button(page, "More").click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await dialog.getByLabel("Name", { exact: true }).fill(`${name} anew`);
    await dialog.getByLabel("identity.updated").check();
    await seen(page, "a webhook is changed");
    await button(dialog, "Save").click();
    await page.getByRole("heading", { name: `${name} anew` }).waitFor();
    same((await one()).events.join(), "identity.created,identity.updated", "its events");
  } finally {
    await api("admin", "DELETE", `/settings/webhooks/${made.id}`).catch(() => {});
    there.close();
  }
});

async function replayed(page, there, missed) {
  const dialog = page.locator(".dialog");
  step("a window that ends before it begins is refused at its field");
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Replay events" }).click();
  const from = await dialog.getByLabel("From").inputValue();
  const to = page.getByLabel("To", { exact: true });
  await to.fill(`${Number(from.slice(0, 4)) - 1}${from.slice(4)}`);
  await button(dialog, "Count events").click();
  await dialog.locator(".field").filter({ has: to }).locator("[data-wrong]").waitFor();
  await seen(page, "a window that is refused");

  step("what was missed is counted, and sent again");
  const soon = new Date(Date.now() + 120_000).toISOString().slice(0, 16);
  await to.fill(soon);
  await button(dialog, "Count events").click();
  const send = dialog.getByRole("button", { name: /^Replay \d+ events?$/ });
  await send.waitFor();
  const count = Number(/\d+/.exec(await send.innerText())[0]);
  expect(count >= 2, `${count} were missed`);
  await seen(page, "what a replay sends");
  const before = there.got.length;
  await send.click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("cell", { name: "replay", exact: true }).first().waitFor();
  await expectSoon(() => there.got.length >= before + count, "what was missed does not arrive");
  expect(there.got.slice(before).some((g) => JSON.stringify(g.body).includes(missed.id)), "the person whom it missed is not told");
}

/** Holds that something comes true within half a minute. */
async function expectSoon(is, otherwise) {
  for (const until = Date.now() + 30_000; !is() && Date.now() < until; ) await new Promise((on) => setTimeout(on, 100));
  expect(is(), otherwise);
}
