// when: long
// An operator bounds a tenant, visits it with a banner, changes something there that is logged in both, and leaves; a suspended tenant lets nobody in until it is resumed.
import { api, expect, journey, path, same, seen, settled, step, url } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const slug = `visit-${Date.now().toString(36)}`;
  const founded = await api("operator", "POST", "/control-plane/tenants", { name: "Visited House", slug, admin_email: `admin@${slug}.example` });
  const one = () => api("operator", "GET", `/control-plane/tenants/${founded.id}`);
  const page = await open("operator", `/admin/tenants/${founded.id}`, { allow: [422] });
  const dialog = page.locator(".dialog");

  step("limits: what cannot be is refused at its field");
  const rps = page.getByLabel("Requests per second");
  await rps.fill("0");
  await button(page, "Save").click();
  await page.locator(".field").filter({ has: rps }).locator("[data-wrong]").waitFor();
  same(await rps.inputValue(), "0", "what was typed");
  await seen(page, "limits refused");
  await rps.fill("40");
  await page.getByLabel("Burst").fill("60");
  await button(page, "Save").click();
  await page.getByText("Saved").first().waitFor();
  same(JSON.stringify((await one()).limits), JSON.stringify({ rps: 40, burst: 60 }), "the limits");

  step("what was typed for one thing is not there for the next");
  await button(page, "Close").click();
  await dialog.getByLabel("Reason").fill("a mistake");
  await dialog.getByLabel(/^Enter /).fill(slug);
  await button(dialog, "Cancel").click();
  await dialog.waitFor({ state: "detached" });
  await button(page, "Close").click();
  same(await dialog.getByLabel(/^Enter /).inputValue(), "", "the name that has to be typed");
  await button(dialog, "Cancel").click();
  await dialog.waitFor({ state: "detached" });

  step("visited, with a banner");
  await button(page, "Act in tenant").click();
  expect(await button(dialog, "Act in tenant").isDisabled(), "it can be visited without a reason");
  await dialog.getByLabel("Reason").fill("ticket 4711");
  await seen(page, "before a visit");
  await button(dialog, "Act in tenant").click();
  await page.getByRole("status").getByText("You are working in").waitFor();
  await settled(page);
  same(path(page), "/", "where a visit begins");
  await seen(page, "visiting");
  await page.goto(`${url}/settings/webhooks`);
  await page.getByRole("status").getByText("Visited House").waitFor();
  await seen(page, "visiting, after a reload");

  step("left");
  await button(page, "Leave this tenant").click();
  await page.waitForURL(/\/admin\/tenants$/);
  await settled(page);
  same(await page.getByText("You are working in").count(), 0, "banners");
  const own = await api("operator", "GET", "/audit-events?limit=100&q=ticket 4711");
  expect(own.total > 0, "the operators' log does not tell of the visit");

  await stopped(page, founded.id, one);
  await api("operator", "POST", `/control-plane/tenants/${founded.id}/close`, { confirm: slug, grace: "PT0S", reason: "the journey is over" }, { "If-Match": `"${(await one()).version}"` });
});

async function stopped(page, id, one) {
  const dialog = page.locator(".dialog");
  step("suspended, and resumed");
  await page.goto(`${url}/admin/tenants/${id}`);
  await button(page, "Suspend").click();
  await dialog.getByLabel("Reason").fill("unpaid");
  await button(dialog, "Suspend").click();
  await page.getByText("Suspended: unpaid").waitFor();
  same((await one()).status, "suspended", "the state");
  same(await button(page, "Act in tenant").count(), 0, "ways to visit a suspended tenant");
  await seen(page, "a suspended tenant");
  await button(page, "Resume").click();
  await button(dialog, "Resume").click();
  await button(page, "Suspend").waitFor();
  same((await one()).status, "active", "the state");
}
