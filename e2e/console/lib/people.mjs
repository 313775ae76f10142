// Who uses the console, and what they can do past it.
import { createHmac } from "node:crypto";
import { settled } from "./screen.mjs";
import { scene, url } from "./tools.mjs";

/** Fills the form by which somebody signs in and sends it. who is a name of scene.users. */
export async function enter(page, who, more = {}) {
  const user = { ...scene.users[who], ...more };
  await page.fill("[name=email]", user.email);
  await page.fill("[name=password]", user.password);
  await page.keyboard.press("Enter");
  if (!user.totp || more.password) return;
  await page.fill("[name=otp]", code(user.totp));
  await page.keyboard.press("Enter");
}

/** Signs in through the form, and opens the address to which it leads: for journeys that are about signing in. */
export async function signIn(page, who, to = "/") {
  await page.goto(url + to);
  await page.waitForSelector("[name=email]");
  await enter(page, who);
  await page.waitForSelector("nav.rail");
  await settled(page);
}

/** What a browser keeps of a session: the cookie of the refresh token, and that there is one. Playwright's option storageState. */
export async function session(who) {
  const answer = await login(who, { cookie: true });
  const [pair, ...rest] = answer.headers.getSetCookie().find((c) => c.startsWith("grantwright_refresh="))?.split("; ") ?? [];
  if (!pair) throw new Error("the sign-in sets no cookie");
  const about = Object.fromEntries(rest.map((a) => a.split("=")));
  const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
  const { hostname, origin } = new URL(url);
  return {
    cookies: [{ name, value, domain: hostname, path: about.Path, expires: -1, httpOnly: "HttpOnly" in about, secure: "Secure" in about, sameSite: about.SameSite }],
    origins: [{ origin, localStorage: [{ name: "grantwright-signed-in", value: "yes" }] }],
  };
}

/** Opens an address with a session that the window was given. */
export async function arrive(page, to) {
  await page.goto(url + to);
  await page.waitForSelector("nav.rail");
  await settled(page);
}

/** The code of a second factor (RFC 6238), so many half minutes from now. */
export function code(secret, later = 0) {
  let bits = "";
  for (const c of secret) bits += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((b) => Number.parseInt(b, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const sum = createHmac("sha1", key).update(counter).digest();
  return String((sum.readUInt32BE(sum[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

const tokens = new Map();

/** Asks the API past the console, as somebody of scene.users; path begins after /api/v1. An answer that is no success is thrown. */
export async function api(who, method, path, body, headers = {}) {
  const answer = await fetch(`${scene.url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${await token(who)}`, "Content-Type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} as ${who} answers ${answer.status}: ${text.slice(0, 400)}`);
  return text && answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
}

/** An access token of somebody, of a session beside that of the browser. */
export async function token(who) {
  if (!tokens.has(who)) tokens.set(who, (await (await login(who)).json()).access_token);
  return tokens.get(who);
}

/** Signs a user of scene.users in, past the console; more are further members of what is sent. */
async function login(who, more = {}) {
  const { email, password, totp } = scene.users[who];
  const answer = await fetch(`${scene.url}/api/v1/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password, ...(totp ? { otp: code(totp) } : {}), ...more }),
  });
  if (!answer.ok) throw new Error(`${who} cannot sign in: ${answer.status} ${await answer.text()}`);
  return answer;
}
