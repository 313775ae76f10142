// seed: own
// Somebody sets up a passkey, signs in with it alone and after a password, and deletes it. The authenticator is Chromium's virtual one.
import { expect, journey, same, scene, seen, settled, step, url, watched } from "../lib/house.mjs";

// A passkey belongs to a host name: an address of numbers has none.
const local = url.replace("127.0.0.1", "localhost");

await journey(async ({ browser, open }) => {
  const { email, password } = scene.users.member;
  step("an address without a host name says where passkeys work");
  const numbers = await open("auditor", "/settings/me");
  same(await numbers.getByRole("link", { name: local }).getAttribute("href"), `${local}/settings/me`, "the address at which passkeys work");
  same(await numbers.getByRole("button", { name: "Add passkey" }).count(), 0, "buttons to add a passkey");
  await numbers.context().close();

  const context = await watched(browser, { name: "passkeys", allow: [401] });
  const page = await context.newPage();
  const device = await context.newCDPSession(page);
  await device.send("WebAuthn.enable");
  const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const enter = async () => {
    await page.fill("[name=email]", email);
    await page.fill("[name=password]", password);
    await page.keyboard.press("Enter");
  };

  step("a passkey is added after the password");
  await page.goto(`${local}/login?next=/settings/me`);
  await page.waitForSelector("[name=email]");
  await seen(page, "sign in, with a passkey too");
  await enter();
  await page.waitForSelector("nav.rail");
  await settled(page);
  await page.getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByLabel("Password").fill("not this one at all");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("The current password is wrong.").waitFor();
  await dialog.getByLabel("Password").fill(password);
  await seen(page, "a passkey is added");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Passkey added.").waitFor();
  await page.getByRole("cell", { name: "Laptop", exact: true }).waitFor();
  const { credentials } = await device.send("WebAuthn.getCredentials", { authenticatorId });
  same(credentials.length, 1, "passkeys of the device");
  expect(credentials[0].isResidentCredential && credentials[0].rpId === "localhost", `the passkey is ${JSON.stringify(credentials[0])}`);
  await seen(page, "passkeys");

  step("it gets another name");
  await page.getByRole("button", { name: "Rename passkey Laptop" }).click();
  await dialog.getByLabel("Name").fill("Old laptop");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("cell", { name: "Old laptop", exact: true }).waitFor();

  const leave = async () => {
    await page.evaluate(() => localStorage.removeItem("grantwright-signed-in"));
    await context.clearCookies();
    await page.goto(`${local}/login?next=/settings/me`);
    await page.waitForSelector("[name=email]");
  };

  step("it signs in without a password");
  await leave();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForSelector("nav.rail");
  await settled(page);
  await page.getByRole("cell", { name: "passkey", exact: true }).waitFor();

  step("a password alone is no longer enough");
  await leave();
  await enter();
  await page.getByText("Confirm with one of your passkeys.").waitFor();
  await seen(page, "a passkey is the second factor");
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForSelector("nav.rail");
  await settled(page);
  await page.getByRole("cell", { name: "password and passkey", exact: true }).first().waitFor();

  step("it is deleted, confirmed by itself");
  await page.getByRole("button", { name: "Delete passkey Old laptop" }).click();
  await dialog.getByText("Your browser asks for one of your passkeys").waitFor();
  await seen(page, "a passkey is deleted");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Passkey deleted.").waitFor();
  await page.getByText("A passkey signs you in with your fingerprint").waitFor();

  step("the device still offers it, and is refused");
  await leave();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByText("The passkey was not accepted.").waitFor();
  await enter();
  await page.waitForSelector("nav.rail");
  await context.close();
});
