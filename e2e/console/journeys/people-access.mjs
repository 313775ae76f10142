// when: long
// seed: own
// What one person holds: extended, taken away with a day until which no rule gives it again, and the rules about them looked at.
import { api, expect, journey, same, scene, seen, settled, step, url } from "../lib/house.mjs";

const who = scene.users.member.identity_id;
const button = (at, words) => at.getByRole("button", { name: words, exact: true });
const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const entitlement = async (name) => (await api("admin", "GET", `/entitlements?q=${name}`)).items.find((e) => (e.display_name || e.name) === name);
const grantOf = async (what) => (await api("admin", "GET", `/identities/${who}/grants?entitlement_id=${what}`)).items[0];

await journey(async ({ open }) => {
  const page = await open("admin", "/people", { allow: [404, 409, 422] });
  const [lasting, ruled] = [await entitlement("Archive"), await entitlement("Editors")];
  await extended(page, lasting);
  await byRule(page, ruled);
});

/** Waits until the service says something. */
async function until(what, is) {
  for (const end = Date.now() + 45_000; Date.now() < end; ) {
    if (await is()) return;
    await new Promise((r) => setTimeout(r, 200));
  }
  throw new Error(`${what} does not come`);
}

/** Opens why somebody holds something. */
async function why(page, grant) {
  await page.goto(`${url}/people/${who}?why=${grant.id}`);
  const drawer = page.locator(".dialog").first();
  await drawer.getByRole("link", { name: "Open entitlement" }).waitFor();
  await settled(page);
  return drawer;
}

async function extended(page, what) {
  await api("admin", "POST", "/entitlements/grants", {
    entitlement_id: what.id, identity_id: who, justification: "For the move.", ends_at: new Date(`${day(10)}T12:00:00Z`).toISOString(),
  });
  await until("what was given", async () => (await grantOf(what.id))?.status === "active");
  step("an end in the past is refused at its day");
  const drawer = await why(page, await grantOf(what.id));
  await button(drawer, "Extend").click();
  const asked = page.locator(".dialog").last();
  await asked.getByText(`It ends on ${day(10)}.`).waitFor();
  await asked.getByLabel("Last day").fill(day(-5));
  await button(asked, "Extend").click();
  await asked.locator(".field").locator("[data-wrong]").waitFor();
  await seen(page, "an extension that cannot be");

  step("it is extended");
  await asked.getByLabel("Last day").fill(day(40));
  await button(asked, "Extend").click();
  await page.getByText(`Extended until ${day(40)}.`).waitFor();
  await until("the later end", async () => (await grantOf(what.id)).ends_at?.slice(0, 10) === day(40));
  await seen(page, "access that was extended");
}

async function byRule(page, what) {
  step("a rule gives something");
  const policy = {
    name: `Editing ${Date.now()}`, mode: "enforce", birthright: true,
    subject: { match: "all", rules: [{ field: "id", op: "eq", value: who }] },
    resources: { entitlement_ids: [what.id] },
  };
  await api("admin", "POST", "/policies/access-grant", policy);
  await until("what the rule gives", async () => (await grantOf(what.id))?.status === "active");

  step("it would come back, and is kept away until a day");
  const drawer = await why(page, await grantOf(what.id));
  await button(drawer, "Revoke").click();
  const asked = page.locator(".dialog").last();
  await asked.getByLabel("Reason").fill("They write no more.");
  await asked.getByLabel("Block until").waitFor();
  expect(await button(asked, "Revoke").isDisabled(), "what a rule gives again can be taken away without a day");
  await seen(page, "what a rule would give again");
  await asked.getByLabel("Block until").fill(day(30));
  await asked.getByText(`Blocked until ${day(30)}.`).waitFor();
  await button(asked, "Revoke").click();
  await page.getByText("Access is being revoked.").waitFor();
  await until("the end of it", async () => !["active", "revoking"].includes((await grantOf(what.id))?.status));

  step("rules are looked at now");
  await page.goto(`${url}/people/${who}`);
  await settled(page);
  await button(page, "Actions").click();
  await page.getByRole("menuitem", { name: "Evaluate policies" }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByText(policy.name).waitFor();
  await settled(page);
  await seen(page, "what rules would give somebody now");
  const told = await api("admin", "POST", `/identities/${who}/birthrights/evaluate`, { dry_run: true });
  same(await dialog.locator("li", { hasText: /^[+−]/ }).count(), (told.impact.gains ?? []).length + (told.impact.losses ?? []).length, "what would change");
  const answer = page.waitForResponse((r) => r.url().endsWith("/birthrights/evaluate") && r.request().postDataJSON().dry_run === false);
  await button(dialog, "Apply changes").click();
  same((await answer).status(), 200, "the answer");
  await dialog.waitFor({ state: "detached" });
  await seen(page, "somebody whose rules were looked at");
}
