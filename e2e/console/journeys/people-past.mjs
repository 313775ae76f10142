// seed: own
// Two people as they were: side by side at a moment of the past, on a day before anything was known, and from the page of one of them.
import { api, expect, journey, same, scene, seen, settled, step, url } from "../lib/house.mjs";

const titles = ".three h2";
const [first, second] = [scene.users.member, scene.users.owner];
const counts = async (page) => (await page.locator(`${titles} .count`).allInnerTexts()).map(Number);

await journey(async ({ open }) => {
  const page = await open("admin", "/people", { allow: [404, 422] });
  const before = await api("admin", "GET", `/identities/${first.identity_id}/compare?with=${second.identity_id}`);
  const then = new Date().toISOString();
  await page.waitForFunction((t) => Date.now() > Date.parse(t) + 1500, then);
  await api("admin", "POST", "/entitlements/grants", { entitlement_id: scene.ids.entitlementFree, identity_id: first.identity_id, justification: "Looks after it." });
  await held(scene.ids.entitlementFree);
  await api("admin", "PATCH", `/identities/${first.identity_id}`, { title: "Keeper of the archive" }, { "Content-Type": "application/merge-patch+json" });

  step("how they are");
  const now = await compared(page, "");
  same(await counts(page), now, "how much each holds now");
  expect(now[0] === before.entitlements.first_only.length + 1, `the first holds ${now[0]} alone, and held ${before.entitlements.first_only.length}`);
  await page.getByText("Keeper of the archive").first().waitFor();

  step("how they were");
  const past = await compared(page, then);
  same(await counts(page), past, "how much each held then");
  same(past[0], before.entitlements.first_only.length, "what the first alone held then");
  same(await page.getByText("Keeper of the archive").count(), 0, "titles of today in the past");
  await seen(page, "two people in the past");

  step("before anything was known");
  await page.getByLabel("As of").focus();
  await page.keyboard.type("01022001"); // by keyboard: a year that is not typed to its end is no day
  await page.waitForURL(/as_of=2001-0[12]-0[12]/);
  await seen(page, "two people before they were known");
  await page.getByRole("button", { name: "Back to today" }).click();
  await page.waitForURL((u) => !u.searchParams.has("as_of"));
  await settled(page);
  same(await counts(page), now, "how much each holds, back in the present");

  step("somebody before they were known, and the way back");
  await page.goto(`${url}/people/${first.identity_id}`);
  await settled(page);
  await page.getByLabel("As of").focus();
  await page.keyboard.type("01022001");
  await page.getByText("Earlier data is not known.").waitFor();
  await seen(page, "somebody before they were known");
  await page.getByRole("link", { name: "Back to today" }).click();
  await page.getByRole("heading", { level: 1, name: first.name }).waitFor();

  step("from somebody as they were");
  await page.goto(`${url}/people/${first.identity_id}?as_of=${encodeURIComponent(then)}`);
  await page.getByText(/^Access on /).waitFor();
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await page.waitForURL(/\/compare/);
  await settled(page);
  same(new URL(page.url()).searchParams.get("as_of"), then, "the moment that is compared");
  await page.getByLabel("Second").fill(second.name);
  await page.getByRole("option", { name: second.name }).first().click();
  await page.locator(titles).first().waitFor();
  await settled(page);
  same(await counts(page), past, "how much each held then, from the page of one of them");
});

/** Waits until the first holds something: the system has been told. */
async function held(entitlement) {
  for (const until = Date.now() + 45_000; Date.now() < until; ) {
    const { items } = await api("admin", "GET", `/identities/${first.identity_id}/grants?entitlement_id=${entitlement}`);
    if (items.some((g) => g.status === "active")) return;
    await new Promise((r) => setTimeout(r, 200));
  }
  throw new Error("what was given does not come");
}

/** Opens the comparison at a moment, and gives how much the service counts in each column. */
async function compared(page, at) {
  const told = await api("admin", "GET", `/identities/${first.identity_id}/compare?with=${second.identity_id}${at && `&to=${encodeURIComponent(at)}`}`);
  await page.goto(`${url}/people/compare?a=${first.identity_id}&b=${second.identity_id}${at && `&as_of=${encodeURIComponent(at)}`}`);
  await page.getByText(told.summary).waitFor();
  await settled(page);
  const { first_only, both, second_only } = told.entitlements;
  return [first_only.length, both.length, second_only.length];
}
