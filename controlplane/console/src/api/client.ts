import * as texts from "#text/api";
import { actingHeaders } from "./acting";
import { basePath } from "./base";
import { access, current, Refusal, refresh, refusal, sessionHasExpired } from "./session";

/** What a query may hold; what is undefined or empty is left out. */
export type Query = Record<string, string | number | boolean | undefined>;

/** How the API is asked. key is the Idempotency-Key: made once for what somebody meant to do, and kept for each further attempt. */
export type RequestOptions = {
  query?: Query;
  body?: unknown;
  ifMatch?: string | number;
  key?: string;
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

/** Asks the API for JSON. A token that has ended is renewed once; what is refused is thrown as a Refusal. */
export async function ask<T>(method: string, path: string, asking: RequestOptions = {}): Promise<T> {
  const answer = await request(method, path, asking);
  const text = answer.status === 204 ? "" : await answer.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

// These say that a password or a code is wrong, and not that the token has ended: tried again they would be counted twice.
const proofs = new Set(["invalid_credentials", "invalid_otp", "invalid_passkey", "otp_required"]);

/** Asks the API and gives its answer as it came, so that a stream or a file can be read. path begins after /api/v1. */
export async function request(method: string, path: string, asking: RequestOptions = {}): Promise<Response> {
  const url = address(path, asking.query);
  for (let again = false; ; again = true) {
    const token = await access(asking.signal);
    const answer = await send(url, method, token, asking);
    if (answer.ok) return answer;
    const refused = await refusal(answer);
    if (answer.status !== 401 || again || proofs.has(refused.code)) throw refused;
    await refresh();
    if (current().state === "out" && !sessionHasExpired()) throw refused;
  }
}

function address(path: string, query: Query = {}): string {
  const [bare = "", given] = path.split("?");
  const search = new URLSearchParams(given);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  return `${basePath}${bare.startsWith("/openapi") ? "" : "/api/v1"}${bare}${search.size ? `?${search}` : ""}`;
}

async function send(url: string, method: string, token: string, o: RequestOptions) {
  const headers: Record<string, string> = {
    Accept: "application/json",
    Authorization: `Bearer ${token}`,
    ...actingHeaders(),
    ...o.headers,
  };
  const raw = o.body instanceof Blob;
  if (o.body !== undefined && !headers["Content-Type"])
    headers["Content-Type"] = raw ? (o.body as Blob).type : method === "PATCH" ? "application/merge-patch+json" : "application/json";
  if (o.ifMatch !== undefined) headers["If-Match"] = typeof o.ifMatch === "number" ? `"${o.ifMatch}"` : o.ifMatch;
  if (o.key) headers["Idempotency-Key"] = o.key;
  const body = o.body === undefined ? null : raw ? (o.body as Blob) : JSON.stringify(o.body);
  try {
    return await fetch(url, { method, headers, body, signal: o.signal ?? null });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new Refusal(0, "unreachable", texts.theServiceCannotBeReachedNothing);
  }
}

/** A page of a list. */
export type Page<T> = { items: T[]; total: number; limit: number; offset: number; next_cursor?: string | null };

/** Walks a whole list, a page of 500 at a time, up to most rows; told hears how far it has come. */
export async function fetchPages<T>(
  path: string,
  query: Query,
  most: number,
  told?: (rows: number, total: number) => void,
  signal?: AbortSignal,
): Promise<T[]> {
  const rows: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const at = cursor ? { cursor } : rows.length ? { offset: rows.length } : {};
    const page = await ask<Page<T>>("GET", path, { query: { ...query, limit: 500, ...at }, ...(signal ? { signal } : {}) });
    rows.push(...page.items);
    told?.(rows.length, page.total);
    cursor = page.next_cursor ?? undefined;
    if (rows.length >= most || page.items.length === 0 || (!cursor && rows.length >= page.total)) return rows.slice(0, most);
  }
}

/** Has the browser keep a file that the API answers. */
export async function download(path: string, name: string, asking: RequestOptions = {}) {
  const answer = await request("GET", path, { ...asking, headers: { Accept: "*/*", ...asking.headers } });
  save(await answer.blob(), name);
}

/** Has the browser keep a file. */
export function save(content: Blob, name: string) {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
