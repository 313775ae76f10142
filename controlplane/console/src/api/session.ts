import * as text from "#text/api";
import { basePath } from "./base";
import { withLock } from "./browser";

/** Who is signed in, as POST /auth/login and /auth/refresh answer. */
export type SignedUser = { id: string; email: string; display_name: string; identity_id: string | null; roles: string[] };

type Tokens = { access_token: string; expires_in: number; user: SignedUser };

/**
 * The session of this page. It is unknown until the first refresh has answered. A lapsed session ended while a user was at work: their page
 * stays, and its requests wait until they have signed in again. A session that was left was ended by the user, here.
 */
export type Session = { state: "unknown" } | { state: "out"; lapsed: boolean; left: boolean } | { state: "in"; user: SignedUser };

let session: Session = { state: "unknown" };
let latest: SignedUser | undefined;
let token = "";
let expires = 0; // milliseconds of Date.now
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel("grantwright-session");

export const current = () => session;

/** Whoever was signed in last in this tab, and may come back. */
export const latestUser = () => latest;

/** Whether the session has ended while somebody was at work: what they typed is kept until they are back. */
export const sessionHasExpired = () => session.state === "out" && session.lapsed;
export const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

function become(next: Session) {
  session = next;
  for (const listener of listeners) listener();
}

const mark = "grantwright-signed-in";

/** Whether somebody has signed in with this browser since the last time that nobody was: without it there is no cookie to ask with. */
const mayBeIn = () => remembered() !== "no";

function remembered(): string | null {
  try {
    return localStorage.getItem(mark) ?? "no";
  } catch {
    return null; // nothing is kept here: the service is asked
  }
}

function remember(is: boolean) {
  try {
    if (is) localStorage.setItem(mark, "yes");
    else localStorage.removeItem(mark);
  } catch {
    // Without it the service is asked once more than is needed.
  }
}

function take(t: Tokens) {
  remember(true);
  token = t.access_token;
  expires = Date.now() + t.expires_in * 1000;
  latest = t.user;
  become({ state: "in", user: t.user });
}

function forget(how: { lapsed?: boolean; left?: boolean } = {}) {
  remember(false);
  token = "";
  expires = 0;
  become({ state: "out", lapsed: how.lapsed ?? false, left: how.left ?? false });
}

tabs.onmessage = (m) => {
  if (m.data === "out") forget();
  if (m.data === "in" && session.state === "out") void refresh();
};

/** What is wrong with one member of what was sent: pointer is a JSON pointer such as #/name, or parameter a query's. */
export type FieldProblem = { pointer?: string; parameter?: string; code: string; detail: string };

/** What the service has refused, or that it could not be asked. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId = "",
    readonly errors: FieldProblem[] = [],
    /** The whole problem document: some refusals say more than the common members. */
    readonly problem: Record<string, unknown> = {},
    /** Seconds after which it may be tried again; 0 when that was not said. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

/** The refusal that an answer is. */
export async function refusal(answer: Response): Promise<Refusal> {
  const id = answer.headers.get("X-Request-Id") ?? "";
  const wait = Number(answer.headers.get("Retry-After")) || 0;
  try {
    const p = (await answer.json()) as { code?: string; detail?: string; title?: string; request_id?: string; errors?: FieldProblem[] };
    return new Refusal(answer.status, p.code ?? "", p.detail ?? p.title ?? answer.statusText, p.request_id ?? id, p.errors ?? [], p, wait);
  } catch {
    return new Refusal(answer.status, "", text.theServiceReturnedStatusStatus(answer.status), id, [], {}, wait);
  }
}

async function post(path: string, body?: unknown): Promise<Response> {
  try {
    return await fetch(`${basePath}/api/v1/auth/${path}`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(token && /^(logout|logout-all|password)$/.test(path) ? { Authorization: `Bearer ${token}` } : {}),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0, "unreachable", text.theServiceCannotBeReachedCheck);
  }
}

/** Signs a user in; factor is the second one, {otp} or {passkey}. The refresh token stays in a cookie that no script can read. */
export async function signIn(email: string, password: string, factor: Record<string, unknown>, tenant: string) {
  const answer = await post("login", { email, password, cookie: true, ...factor, ...(tenant ? { tenant } : {}) });
  if (!answer.ok) throw await refusal(answer);
  take((await answer.json()) as Tokens);
  tabs.postMessage("in");
}

/** Ends the session here, or everywhere, and in every tab. */
export async function signOut(everywhere = false) {
  try {
    await post(everywhere ? "logout-all" : "logout");
  } finally {
    forget({ left: true });
    tabs.postMessage("out");
  }
}

/** Starts a sign-in with a passkey: the options for the browser. */
export async function startPasskey(): Promise<{ public_key: unknown }> {
  const answer = await post("passkey/start");
  if (!answer.ok) throw await refusal(answer);
  return (await answer.json()) as { public_key: unknown };
}

/** Takes the tokens of another way of signing in than a password: a passkey, single sign-on, or a one-time link; or those after a new password. */
export async function signInBy(path: "passkey/login" | "oidc/token" | "sign-in-link" | "password", body: Record<string, unknown>) {
  if (path === "password") await access();
  const answer = await post(path, { ...body, cookie: true });
  if (!answer.ok) throw await refusal(answer);
  take((await answer.json()) as Tokens);
  tabs.postMessage("in");
}

/** Asks for a mail with a link to choose another password. */
export async function askForReset(email: string, tenant: string) {
  const answer = await post("password-reset", { email, ...(tenant ? { tenant } : {}) });
  if (!answer.ok) throw await refusal(answer);
}

let refreshing: Promise<void> | undefined;

/** Gets a new access token by the cookie. Of all tabs one does so at a time: a refresh token works once. */
export function refresh(): Promise<void> {
  if (refreshing) return refreshing;
  const mine = withLock("grantwright-refresh", renew).finally(() => {
    refreshing = undefined;
  });
  refreshing = mine;
  return mine;
}

async function renew(): Promise<void> {
  if (session.state === "unknown" && !mayBeIn()) return forget();
  const answer = await post("refresh");
  if (answer.ok) {
    take((await answer.json()) as Tokens);
  } else if (answer.status < 500 && answer.status !== 429) {
    // A second refusal must not end what a first one has only paused.
    forget({ lapsed: session.state === "in" || sessionHasExpired() });
  } else {
    throw await refusal(answer);
  }
}

/**
 * A token that is good for a while yet; empty when nobody is signed in. While the session is lapsed it waits: nothing is asked for, and
 * what was under way goes on when the same user is back.
 */
export async function access(signal?: AbortSignal): Promise<string> {
  if (session.state === "unknown" || (token && expires - Date.now() < 30_000)) await refresh();
  if (sessionHasExpired()) await returned(signal);
  return token;
}

/** Resolves when the user whose session has lapsed is back; what another user would send instead is refused. */
function returned(signal?: AbortSignal): Promise<void> {
  const whose = latest?.id;
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      stop();
      signal?.removeEventListener("abort", aborted);
      act();
    };
    const aborted = () => settle(() => reject(signal?.reason ?? new DOMException("Aborted", "AbortError")));
    const stop = subscribe(() => {
      if (sessionHasExpired()) return;
      if (session.state === "in" && session.user.id === whose) settle(resolve);
      else settle(() => reject(new Refusal(401, "signed_out", text.youAreSignedOutThisChange)));
    });
    signal?.addEventListener("abort", aborted);
    if (signal?.aborted) aborted();
  });
}
