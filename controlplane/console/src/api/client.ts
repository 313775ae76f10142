import { basePath } from "./base";
import { access, Refusal, refresh, refusal } from "./session";

type Query = Record<string, string | number | boolean | undefined>;

/** Asks the API. A token that has ended is renewed once; what is refused is thrown. */
export async function ask<T>(
  method: string,
  path: string,
  options: { query?: Query; body?: unknown; ifMatch?: string; key?: string; signal?: AbortSignal } = {},
): Promise<T> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const url = `${basePath}/api/v1${path}${search.size ? `?${search}` : ""}`;
  for (let again = false; ; again = true) {
    const token = await access();
    const answer = await send(url, method, token, options);
    if (answer.status === 401 && !again) {
      await refresh();
      continue;
    }
    if (!answer.ok) throw await refusal(answer);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }
}

async function send(
  url: string,
  method: string,
  token: string,
  o: { body?: unknown; ifMatch?: string; key?: string; signal?: AbortSignal },
) {
  const headers: Record<string, string> = { Accept: "application/json", Authorization: `Bearer ${token}` };
  if (o.body !== undefined) headers["Content-Type"] = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  if (o.ifMatch) headers["If-Match"] = o.ifMatch;
  if (o.key) headers["Idempotency-Key"] = o.key;
  try {
    return await fetch(url, { method, headers, body: o.body === undefined ? null : JSON.stringify(o.body), signal: o.signal ?? null });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new Refusal(0, "unreachable", "The service cannot be reached. Nothing was lost; try again.");
  }
}

/** A page of a list. */
export type Page<T> = { items: T[]; total: number; limit: number; offset: number };
