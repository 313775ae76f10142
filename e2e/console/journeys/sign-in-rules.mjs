// seed: own
// An administrator gives sign-in to managers by a rule: previews it, adds it, enables, changes, disables and deletes it.
import { until } from "../lib/desk.mjs";
import { api, go, journey, same, seen, step } from "../lib/house.mjs";
import { provider } from "../lib/provider.mjs";

const button = (at, name) => at.getByRole("button", { name, exact: true });
const rules = async () => (await api("admin", "GET", "/settings/sign-in-rules")).items;

await journey(async ({ open }) => {
  const company = await provider();
  try {
    await api("admin", "POST", "/settings/identity-providers", {
      name: "harbour-login",
      issuer: company.issuer,
      client_id: "grantwright",
      client_secret: "of-the-harbour",
      scopes: ["profile", "email"],
    });
    await story(open);
  } finally {
    company.close();
  }
});

async function story(open) {
  const page = await open("admin", "/settings/sign-in-rules", { allow: [422] });
  await page.getByText("No sign-in rules yet").waitFor();
  await seen(page, "no rules");

  step("a preview changes nothing");
  await button(page, "Add rule").click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Managers and owners");
  await dialog.getByLabel("Invitation").selectOption("single_sign_on");
  await button(dialog, "Preview").click();
  await dialog.getByText(/people meet the rule\./).waitFor();
  await dialog.getByRole("columnheader", { name: "Effect" }).waitFor();
  await seen(page, "a preview of a rule");
  same((await rules()).length, 0, "the number of rules after the preview");

  step("a limit that is none is refused at its field");
  await dialog.getByLabel(/^Limit of losses/).fill("0");
  await button(dialog, "Add").click();
  await dialog.locator("[data-wrong], [role=alert]").first().waitFor();
  await dialog.getByLabel(/^Limit of losses/).fill("20");

  step("the rule is added");
  await button(dialog, "Add").click();
  await dialog.waitFor({ state: "detached" });
  const card = page.getByRole("region", { name: "Managers and owners" });
  await card.getByText("everyone who manages people or owns access").waitFor();
  same((await rules())[0].enabled, false, "whether a new rule is enabled");
  await seen(page, "a rule");

  step("it is enabled, and gives people sign-in");
  await button(card, "Enable").click();
  await button(card, "Disable").waitFor();
  await until(async () => (await rules())[0].people > 0, "nobody has sign-in by the rule");

  step("it is changed");
  await button(card, "Edit").click();
  await dialog.getByLabel("own entitlements or roles").uncheck();
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  await card.getByText("everyone who manages people", { exact: true }).waitFor();

  step("it is disabled and deleted");
  await button(card, "Disable").click();
  await button(dialog, "Disable").click();
  await dialog.waitFor({ state: "detached" });
  await button(card, "Enable").waitFor();
  await button(card, "Delete").click();
  await button(dialog, "Delete").click();
  await page.getByText("No sign-in rules yet").waitFor();

  step("an auditor reads them");
  const auditor = await open("auditor", "/settings/sign-in-rules");
  await auditor.getByText("No sign-in rules yet").waitFor();
  same(await button(auditor, "Add rule").count(), 0, "the number of buttons that add a rule");
  await go(page, "/settings/users");
}
