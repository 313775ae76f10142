// The dashboard tells each role what needs them; its figures are those of the lists that they lead to.
import { api, expect, journey, path, same, scene, seen, settled, step } from "../lib/house.mjs";

await journey(async ({ open }) => {
  const page = await open("admin", "/");
  await page.locator(".dash-figures").waitFor();
  await seen(page, "dashboard of an administrator");
  step("figures are those of the lists");
  const sum = await api("admin", "GET", "/dashboard");
  const inbox = await api("admin", "GET", "/decision-tasks?limit=1");
  const orphans = await api("admin", "GET", "/accounts?orphaned=true&limit=1");
  const shown = (words) => page.locator(".dash-figure", { hasText: words }).locator(".figure").innerText();
  same(await shown("Decision tasks"), inbox.total.toLocaleString("en"), "the decisions");
  same(await shown("Orphan accounts"), orphans.total.toLocaleString("en"), "the accounts of people who have left");
  same(await shown("Failing connectors"), String(sum.connectors.failing_total), "the connectors that fail");

  step("what fails is told with its reason, and leads to the run");
  const failing = sum.connectors.failing.find((c) => c.name === scene.names.failing);
  const look = page.locator("section", { has: page.getByRole("heading", { name: "Needs attention" }) });
  expect((await look.innerText()).includes(failing.error_summary.slice(0, 60)), "nobody is told why it fails");
  await look.getByRole("link", { name: scene.names.failing }).click();
  await page.waitForURL(/\/runs\//);
  await settled(page);

  step("the syncs of a day, as a picture and as a table");
  await page.goBack();
  await page.getByRole("img", { name: /syncs of \d+ systems in the last 24 hours; \d+ failed/ }).waitFor();
  await page.getByRole("button", { name: "Table" }).click();
  same(await page.getByRole("table").locator("tbody tr").count(), sum.runs.items.length, "the rows of the table");
  await seen(page, "syncs as a table");

  step("a figure leads to its list");
  await page.locator(".dash-figure", { hasText: "Orphan accounts" }).click();
  await settled(page);
  expect(path(page).startsWith("/accounts?orphaned=true"), `the figure leads to ${path(page)}`);

  for (const who of ["manager", "member", "auditor"]) {
    step(`the dashboard of the ${who}`);
    const own = await open(who, "/");
    await own.locator(".dash-figures").waitFor();
    await own.getByRole("heading", { name: "Decision tasks" }).waitFor();
    await seen(own, `dashboard of the ${who}`);
    same(await own.getByRole("heading", { name: "Syncs, last 24 hours" }).count(), who === "auditor" ? 1 : 0, "pictures of systems");
    same(await own.getByRole("link", { name: "Connect a system" }).count(), 0, "ways to connect a system");
    same(await own.getByRole("link", { name: /^(Assign owners|Disable accounts|Resume writes)$/ }).count(), 0, `actions that the ${who} cannot take`);
    await own.context().close();
  }

  step("a new tenant has first steps instead of pictures");
  const fresh = await open("stranger", "/");
  const { checklist } = await api("stranger", "GET", "/dashboard");
  if (!checklist.complete) await fresh.getByRole("heading", { name: "First steps" }).waitFor();
  same(await fresh.locator(".dash-steps li.done").count(), Object.entries(checklist).filter(([n, done]) => n !== "complete" && done).length, "the steps that are done");
  await seen(fresh, "first steps");
});
