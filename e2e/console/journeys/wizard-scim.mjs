// seed: own
// A SCIM application is connected directly: what it refuses is shown word for word, an edit asks for another test, and the draft survives leaving.
import { api, expect, focused, go, journey, same, scene, seen, settled, step } from "../lib/house.mjs";

const { connection, credentials } = scene.systems.apps;
const button = (page, name) => page.getByRole("button", { name });
const path = (page) => new URL(page.url()).pathname;

await journey(async ({ open }) => {
  const page = await open("admin", "/connectors/new", { allow: [422] });
  await seen(page, "what is connected");
  step("a standard is chosen");
  expect(await button(page, "Select a type").isDisabled(), "one can go on without a type");
  await page.getByLabel("SCIM 2.0").check();
  await page.getByLabel("Name", { exact: true }).fill("Reading room");
  await page.getByLabel("Provides").selectOption("target");
  await seen(page, "a type is chosen");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/connection$/);
  await focused(page, "h1", "on a new step");
  same(await page.locator("[aria-current=step]").innerText().then((t) => t.split("\n").at(-2)), "Connection", "the step that is marked");
  const id = path(page).split("/")[3];

  step("only the fields of the chosen method");
  same(await page.getByLabel("Client ID").count(), 0, "fields of another method");
  await page.getByLabel("Base URL").fill(connection.base_url);
  await page.getByLabel("Bearer token").fill("not-the-token");
  await button(page, "Test connection").click();
  const answer = page.getByRole("region", { name: /^Response of the target/ }).last();
  await page.getByText("Failed", { exact: true }).waitFor();
  expect(/HTTP 401/.test(await answer.innerText()), `the answer is not word for word: ${await answer.innerText()}`);
  expect(await page.getByText("Request one user instead").isVisible(), "the fallback is not among the checks");
  await seen(page, "a test that fails");
  expect(await button(page, "The connection test must succeed").isDisabled(), "one can go on without a test");

  step("the right token");
  await button(page, "Replace").click();
  await page.getByLabel("Bearer token").fill(credentials.bearer_token);
  await button(page, "Test connection").click();
  await page.getByText("Passed", { exact: true }).waitFor();
  expect(await button(page, "Continue").isEnabled(), "one cannot go on after the test");
  await seen(page, "a test that passes");

  step("an edit asks for another test");
  const wrong = `${connection.base_url}/nowhere`;
  await page.getByLabel("Base URL").fill(wrong);
  expect(await button(page, "Test the connection first").isDisabled(), "one can go on after an edit");
  await page.getByText("Changed after the test", { exact: true }).waitFor();

  step("left, and taken up again");
  await page.getByLabel("Base URL").blur();
  await settled(page);
  await page.goto(new URL("/connectors/new", page.url()).href);
  await settled(page);
  await page.getByRole("link", { name: "Reading room" }).click();
  await page.waitForURL(/\/connection$/);
  same(await page.getByLabel("Base URL").inputValue(), wrong, "what was typed before leaving");
  same(await api("admin", "GET", `/connectors/${id}`).then((c) => c.connection.base_url), wrong, "what the service keeps");
  await page.getByLabel("Base URL").fill(connection.base_url);
  await button(page, "Test connection").click();
  await page.getByText("Passed", { exact: true }).waitFor();

  step("what it offers, and back by the browser");
  await button(page, "Continue").click();
  await page.waitForURL(/\/discovery/);
  await page.getByRole("table").waitFor();
  await seen(page, "discovery");
  expect((await page.getByRole("navigation", { name: "Objects" }).innerText()).includes("Groups"), "groups have no tab");
  await page.goBack();
  await page.waitForURL(/\/connection$/);
  await page.goForward();
  await page.waitForURL(/\/discovery/);

  step("the next step stays closed by its address");
  await go(page, `/connectors/new/${id}/sync`);
  await page.getByRole("heading", { name: "Not available yet" }).waitFor();
  await seen(page, "a step that is closed");

  step("discarded");
  await button(page, "Discard").click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.waitForURL(/\/connectors\/new$/);
  await api("admin", "GET", `/connectors/${id}`).then(
    (c) => expect(c.status === "deleted", `the draft is ${c.status}`),
    (e) => expect(/404/.test(e.message), e.message),
  );
});
