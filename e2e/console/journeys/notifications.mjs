// seed: own
// An administrator enters a mail server, sends a test message, and sees in the delivery log what was sent. A person chooses how to be notified.
import { api, expect, journey, same, seen, settled, step } from "../lib/house.mjs";
import { mailbox } from "../lib/mail.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

await journey(async ({ open }) => {
  const desk = await mailbox();
  const page = await open("admin", "/settings/notifications", { allow: [422] });
  const server = page.locator("section", { has: page.getByRole("heading", { name: "Mail server", exact: true }) });
  try {
    await seen(page, "notifications without a mail server");
    step("a server is refused at its field, and what was typed stays");
    await server.getByLabel("Server", { exact: true }).selectOption("own");
    await server.getByLabel("Host name").fill("mail example org");
    await server.getByLabel("Sender address").fill("access@example.org");
    await button(server, "Save").click();
    await page.getByText(/must be the host name of a mail server/).first().waitFor();
    same(await server.getByLabel("Sender address").inputValue(), "access@example.org", "what was typed");

    step("the server is entered, and accepts a test message");
    await server.getByLabel("Host name").fill("127.0.0.1");
    await server.getByLabel("Port", { exact: true }).fill(String(desk.port));
    await server.getByLabel("Encryption").selectOption("none");
    await button(server, "Save").click();
    await server.getByText("Ready", { exact: true }).waitFor();
    await button(server, "Send a test message").click();
    await page.getByText(/The mail server accepted a test message/).waitFor();
    expect(desk.mails.some((m) => m.includes("Subject: Test message")), "the mail server has no test message");
    await seen(page, "a test message was accepted");

    step("an invitation is in the delivery log, and its message opens");
    const email = `invited${Date.now()}@example.org`;
    await api("admin", "POST", "/settings/users", { email, display_name: "Inge Invited", roles: ["auditor"] });
    await page.reload();
    await settled(page);
    const row = page.getByRole("row", { name: new RegExp(email) });
    await row.waitFor({ timeout: 60_000 });
    await row.getByRole("link").first().click();
    await page.locator(".dialog").getByRole("region", { name: "Text of the message" }).waitFor();
    await seen(page, "a message of the delivery log");
    await page.keyboard.press("Escape");

    step("a rejected address is a decision, which leads to its message");
    await api("admin", "POST", "/settings/users", {
      email: `rejected${Date.now()}@example.org`,
      display_name: "Rita Rejected",
      roles: ["auditor"],
    });
    await page.goto(new URL("/settings/notifications?marked=true", page.url()).href);
    await page.getByRole("row", { name: /rejected/ }).waitFor({ timeout: 60_000 });
    await seen(page, "messages whose address was rejected");
    await page.goto(new URL("/inbox?kind=mail_bounce", page.url()).href);
    await page.getByText("The mail address of Rita Rejected was rejected").first().click();
    await page.getByRole("link", { name: "Rejected message" }).first().waitFor();
    await seen(page, "the decision about a rejected address");

    step("a template with an unknown field is refused, one in German is previewed, saved and reset");
    await page.goto(new URL("/settings/notifications", page.url()).href);
    await settled(page);
    const words = page.locator("section", { has: page.getByRole("heading", { name: "Templates", exact: true }) });
    await words.getByLabel("Kind").selectOption({ label: "User invited" });
    await words.getByLabel("Language").fill("de");
    await words.getByLabel("Subject").fill("Willkommen bei {titel}");
    await button(words, "Save").click();
    await words.getByText(/column 16: \{titel\} is not a field/).first().waitFor();
    await words.getByLabel("Subject").fill("Willkommen bei {title}");
    await button(words, "Preview").click();
    await words.getByRole("region", { name: "Text of the message" }).waitFor();
    await button(words, "Save").click();
    await button(words, "Reset to default").waitFor();
    await seen(page, "a template in German");
    await button(words, "Reset to default").click();
    await button(words, "Reset to default").waitFor({ state: "detached" });

    step("a person chooses, and a locked group stays as it is");
    await api("admin", "PATCH", "/settings/notifications", { locked: ["requests"] });
    const mine = await open("member", "/settings/me");
    const part = mine.locator("section", { has: mine.getByRole("heading", { name: "Notifications", exact: true }) });
    expect(await part.getByLabel("Access requests").isDisabled(), "a locked group can be changed");
    await part.getByLabel("Decision tasks").selectOption("digest");
    await part.getByLabel("Hour of the digest").selectOption("7");
    await button(part, "Save").click();
    await mine.getByText("Saved.").first().waitFor();
    await mine.reload();
    await settled(mine);
    same(await part.getByLabel("Decision tasks").inputValue(), "digest", "the chosen mode");
    same(await part.getByLabel("Hour of the digest").inputValue(), "7", "the chosen hour");
    await seen(mine, "notifications of a person");
  } finally {
    desk.close();
  }
});
