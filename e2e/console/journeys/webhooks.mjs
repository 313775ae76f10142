// A webhook is made, its secret shown once, a test sent; what was refused is looked at and sent again.
import { createServer } from "node:http";
import { api, expect, go, journey, same, seen, step } from "../lib/house.mjs";

const button = (page, name) => page.getByRole("button", { name });

/** A receiver that answers what it is told to, and keeps what came. */
async function receiver() {
  const got = [];
  const self = { status: 200, got };
  const server = createServer((q, a) => {
    got.push(q.headers);
    q.resume().on("end", () => a.writeHead(self.status, { "Content-Type": "text/plain" }).end(self.status === 200 ? "thank you" : "the room is <b>full</b>"));
  });
  await new Promise((on) => server.listen(0, "127.0.0.1", on));
  return Object.assign(self, { url: `http://127.0.0.1:${server.address().port}/in`, close: () => server.close() });
}

await journey(async ({ open }) => {
  const there = await receiver();
  try {
    await story(open, there);
  } finally {
    there.close();
  }
});

async function story(open, there) {
  const page = await open("admin", "/settings/webhooks", { allow: [422] });
  step("an address that cannot be called");
  await button(page, "Create webhook").click();
  await page.getByLabel("Name", { exact: true }).fill(`Journeys ${Date.now()}`);
  await page.getByLabel("Address").fill("http://192.0.2.1/in");
  await page.getByLabel("identity.created").check();
  await button(page, "Create").click();
  await page.getByRole("dialog").getByRole("alert").first().waitFor();
  await seen(page, "an address that is refused");
  step("made, and the secret shown once");
  await page.getByLabel("Address").fill(there.url);
  await button(page, "Create").click();
  const dialog = page.getByRole("dialog", { name: "Copy the secret now" });
  const secret = await dialog.locator("code").innerText();
  expect(/^whsec_.{20,}$/.test(secret), `the secret is ${secret.slice(0, 8)}…`);
  await seen(page, "the secret");
  await button(page, "Done").click();
  await page.waitForURL(/\/settings\/webhooks\/.+/);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  await page.reload();
  await page.getByText("one, active").waitFor();
  same((await page.content()).includes(secret), false, "that the secret is shown again");

  step("a test that arrives, and one that does not");
  await button(page, "Send test").click();
  await page.getByRole("dialog", { name: "Test delivered" }).waitFor();
  same(there.got.at(-1)["webhook-signature"]?.startsWith("v1,"), true, "that it was signed");
  await button(page, "Close").last().click();
  there.status = 507;
  await button(page, "Send test").click();
  await page.getByRole("dialog", { name: "Test failed" }).waitFor();
  await page.getByText("the room is <b>full</b>").waitFor();
  await seen(page, "a test that does not arrive");
  await button(page, "Close").last().click();

  step("a chat service, whose address is secret");
  const chat = await api("admin", "POST", "/settings/webhooks", { name: `Chat ${Date.now()}`, url: `${there.url}/a1b2?sig=secret`, format: "teams", events: ["sync.held"] });
  await go(page, `/settings/webhooks/${chat.id}`);
  await page.getByText("Microsoft Teams", { exact: true }).waitFor();
  expect(!(await page.content()).includes("a1b2"), "the address of the chat service is shown");
  const edit = async () => {
    await button(page, "More").click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
  };
  await edit();
  same(await page.getByLabel("Format").inputValue(), "teams", "the format in the form");
  await page.getByLabel("Format").selectOption("standard");
  await button(page, "Save").click();
  await page.getByText("it would be shown in the new format").first().waitFor();
  await seen(page, "a chat service");
  await page.getByLabel("Format").selectOption("slack");
  await button(page, "Save").click();
  await page.getByText("Slack", { exact: true }).waitFor();
  same((await api("admin", "GET", `/settings/webhooks/${chat.id}`)).format, "slack", "the format");
  await api("admin", "DELETE", `/settings/webhooks/${chat.id}`);
  await go(page, `/settings/webhooks/${id}`);

  step("a delivery with its attempts");
  await api("admin", "POST", "/identities", { external_id: `W${Date.now()}`, email: `w${Date.now()}@example.org`, first_name: "Wanda", last_name: "Webhook" });
  await page.getByRole("cell", { name: "HTTP 507" }).first().waitFor();
  await page.getByRole("row", { name: /identity\.created.*HTTP 507/ }).getByRole("button").first().click();
  await page.getByRole("img", { name: /of 5 attempts in six hours/ }).waitFor();
  expect(/HTTP 507/.test(await page.getByRole("region", { name: "Attempt 1", exact: true }).innerText()), "the attempt does not tell its status");
  await seen(page, "a delivery");
  there.status = 200;
  const before = there.got.length;
  await button(page, "Redeliver").click();
  await page.getByText("Redelivery started").waitFor();
  for (let i = 0; i < 50 && there.got.length === before; i++) await new Promise((on) => setTimeout(on, 100));
  expect(there.got.length > before, "nothing arrived after it was sent again");
  await page.keyboard.press("Escape");

  step("the secret is rotated, and the webhook goes");
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Rotate secret" }).click();
  await button(page, "Create new secret").click();
  const next = await page.getByRole("dialog", { name: "Copy the secret now" }).locator("code").innerText();
  expect(next !== secret, "the secret is the one before");
  await button(page, "Done").click();
  await page.getByText("the previous one also signs").waitFor();
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Replay events" }).click();
  await button(page, "Count events").click();
  await page.getByText(/in this period|would be replayed/).waitFor();
  await seen(page, "a replay is counted");
  await button(page, "Cancel").click();
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/settings\/webhooks$/);
  await api("admin", "GET", `/settings/webhooks/${id}`).then(
    () => expect(false, "the webhook is still there"),
    (e) => expect(/404/.test(e.message), e.message),
  );
}
