// What browsers offer only over TLS, or on this machine itself. A service that is tried out over plain HTTP from another machine works all the same.

/** A random UUID (RFC 9562, version 4) of the browser's own source of chance. */
export function uuid(): `${string}-${string}-${string}-${string}-${string}` {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

if (!("randomUUID" in crypto)) Object.defineProperty(crypto, "randomUUID", { value: uuid });

/** Does something while no other tab does it; without locks it only does it. */
export async function withLock(name: string, act: () => Promise<void>): Promise<void> {
  if ("locks" in navigator) await navigator.locks.request(name, act);
  else await act();
}
