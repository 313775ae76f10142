import { beforeEach, expect, test, vi } from "vitest";

// What the service answers, by the end of the path; what was asked for stands in asked.
let answers: Record<string, () => Response>;
let asked: string[];

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
const signed = (id: string) => () =>
  json(200, { access_token: `of ${id}`, expires_in: 900, user: { id, email: "", display_name: "", roles: [] } });
const ended = () => json(401, { status: 401, code: "invalid_token", detail: "The token has ended." });

async function signedIn() {
  vi.resetModules();
  vi.stubGlobal("document", { querySelector: () => null });
  vi.stubGlobal("navigator", {});
  vi.stubGlobal(
    "BroadcastChannel",
    class {
      postMessage() {}
    },
  );
  vi.stubGlobal("fetch", async (url: string) => {
    const path = url.replace("/api/v1", "");
    asked.push(path);
    return (answers[path] ?? ended)();
  });
  const session = await import("./session");
  const client = await import("./client");
  await session.signIn("anna@example.org", "a password", {}, "");
  return { ...session, ...client };
}

const turns = () => new Promise((then) => setTimeout(then, 5));

beforeEach(() => {
  asked = [];
  answers = { "/auth/login": signed("anna") };
});

test("a lapsed session stays lapsed after further refusals, and asks for nothing", async () => {
  const s = await signedIn();
  const calls = [s.ask("GET", "/identities"), s.ask("GET", "/accounts")];
  for (const call of calls) call.catch(() => undefined);
  await turns();
  expect(s.current()).toEqual({ state: "out", lapsed: true, left: false });
  asked = [];
  s.ask("GET", "/decision-tasks/summary").catch(() => undefined);
  await s.refresh();
  await turns();
  expect(asked).toEqual(["/auth/refresh"]);
  expect(s.sessionHasExpired()).toBe(true);
});

test("what was refused is sent again when the same user is back", async () => {
  const s = await signedIn();
  const call = s.ask<{ id: string }>("POST", "/identities", { body: { name: "Half typed" } });
  await turns();
  answers["/identities"] = () => json(201, { id: "made" });
  await s.signIn("anna@example.org", "a password", {}, "");
  expect(await call).toEqual({ id: "made" });
  expect(asked.filter((a) => a === "/identities")).toHaveLength(2);
});

test("another user does not send what the first one meant", async () => {
  const s = await signedIn();
  const call = s.ask("POST", "/identities", { body: {} });
  const refused = call.catch((e: unknown) => e);
  await turns();
  answers["/auth/login"] = signed("ben");
  answers["/identities"] = () => json(201, {});
  await s.signIn("ben@example.org", "a password", {}, "");
  expect(await refused).toMatchObject({ code: "signed_out" });
  expect(asked.filter((a) => a === "/identities")).toHaveLength(1);
});

test("what waits for the session can be given up", async () => {
  const s = await signedIn();
  s.ask("GET", "/accounts").catch(() => undefined);
  await turns();
  const giveUp = new AbortController();
  const call = s.ask("GET", "/identities", { signal: giveUp.signal });
  const refused = call.catch((e: unknown) => e);
  giveUp.abort();
  expect(await refused).toMatchObject({ name: "AbortError" });
});

test("signing out ends the session for good", async () => {
  const s = await signedIn();
  answers["/auth/logout"] = () => json(204, undefined);
  await s.signOut().catch(() => undefined);
  expect(s.current()).toEqual({ state: "out", lapsed: false, left: true });
});

test("where nobody has signed in the service is not asked for a session", async () => {
  vi.resetModules();
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
  const first = await import("./session");
  await first.refresh();
  expect(asked).toEqual([]);
  expect(first.current()).toEqual({ state: "out", lapsed: false, left: false });
  await first.signIn("anna@example.org", "a password", {}, "");
  vi.resetModules();
  const second = await import("./session");
  await second.refresh();
  expect(asked).toEqual(["/auth/login", "/auth/refresh"]);
  vi.stubGlobal("localStorage", undefined);
});
