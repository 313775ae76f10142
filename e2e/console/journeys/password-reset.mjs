// seed: own
// Somebody who forgot their password asks for a link on the sign-in page, and chooses another password. Programs that open the link of the mail do not use it up.
import { api, enter, expect, journey, same, scene, seen, settled, step, url, watched } from "../lib/house.mjs";
import { mailbox } from "../lib/mail.mjs";

const next = "eleven herons over the weir";

/** The link of a message, as its reader gets it. */
const linkOf = (mail) => /https?:\/\/\S+\/reset-password\?token=\w+/.exec(mail.replaceAll("=\n", "").replaceAll("=3D", "="))?.[0];

async function until(what, find) {
  for (let i = 0; i < 300; i++) {
    const found = find();
    if (found) return found;
    await new Promise((on) => setTimeout(on, 200));
  }
  throw new Error(`there is no ${what}`);
}

await journey(async ({ browser, open }) => {
  const desk = await mailbox();
  try {
    await api("admin", "PATCH", "/settings/notifications", {
      server: { use: "own", host: "127.0.0.1", port: desk.port, security: "none", auth: "none" },
      sender: { address: "access@example.org", name: "Access" },
    });
    const before = await open("member", "/settings/me");
    const context = await watched(browser, { name: "forgotten", allow: [401, 422] });
    const page = await context.newPage();

    step("the sign-in page leads to the reset, which says the same of an address that nobody has");
    await page.goto(`${url}/login`);
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByRole("heading", { name: "Reset your password" }).waitFor();
    await seen(page, "a password is forgotten");
    const ask = async (email) => {
      await page.fill("[name=email]", email);
      await page.getByRole("button", { name: "Send the link" }).click();
      await page.getByRole("heading", { name: "Check your mail" }).waitFor();
      const said = await page.getByRole("status").innerText();
      return said.replace(email, "…");
    };
    const unknown = await ask("nobody@example.org");
    await page.goto(`${url}/forgot-password`);
    same(await ask(scene.users.member.email), unknown, "what is said of a known address");
    await seen(page, "a link was sent");

    step("the mail has a link; programs that open it change nothing");
    const link = await until("mail with a link", () => desk.mails.map(linkOf).find(Boolean));
    for (const method of ["GET", "HEAD", "GET"]) await fetch(link, { method });
    const scanner = await (await watched(browser, { name: "a mail scanner" })).newPage();
    await scanner.goto(link);
    await scanner.getByRole("heading", { name: "Choose a new password" }).waitFor();
    await scanner.context().close();
    await before.reload();
    await settled(before);
    same(await before.locator("nav.rail").count(), 1, "the session of whoever forgot the password");

    step("a weak password is refused, another one signs in");
    await page.goto(link);
    await page.getByLabel("New password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Set password and sign in" }).click();
    await page.getByText(/at least 12/).first().waitFor();
    await seen(page, "a weak password");
    await page.getByLabel("New password", { exact: true }).fill(next);
    await page.getByRole("button", { name: "Set password and sign in" }).click();
    await page.waitForSelector("nav.rail");
    await until("mail about the changed password", () => desk.mails.find((m) => /Subject: .*was changed/.test(m)));

    step("the link works once, and the earlier password not at all");
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForSelector("[name=email]");
    await page.goto(link);
    await page.getByLabel("New password", { exact: true }).fill("another thief in the night");
    await page.getByRole("button", { name: "Set password and sign in" }).click();
    await page.getByRole("heading", { name: "The link is not valid" }).waitFor();
    await page.getByRole("link", { name: "Request another link" }).waitFor();
    await seen(page, "a used link");
    await page.goto(`${url}/login`);
    await enter(page, "member");
    await page.waitForSelector("[role=alert]");
    await page.fill("[name=password]", next);
    await page.keyboard.press("Enter");
    await page.waitForSelector("nav.rail");
    expect(!page.url().includes("/login"), "the new password does not sign in");
    await context.close();
  } finally {
    desk.close();
  }
});
