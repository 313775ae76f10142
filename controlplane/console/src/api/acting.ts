/** The tenant of another that an operator acts in, and why. It holds for this tab until it is ended. */
export type Acting = { id: string; name: string; reason: string };

const listeners = new Set<() => void>();
let acting = read();

function read(): Acting | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem("acting") ?? "null") as Acting | null;
    return kept && typeof kept.id === "string" ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Acts in a tenant from now on, or with nothing in one's own again. */
export function act(as?: Acting) {
  acting = as;
  if (as) sessionStorage.setItem("acting", JSON.stringify(as));
  else sessionStorage.removeItem("acting");
  for (const listener of listeners) listener();
}

export const actingAs = () => acting;
export const subscribeActing = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** What every request says about it. Reasons are written in the audit logs of both tenants. */
export function actingHeaders(): Record<string, string> {
  // A header holds ASCII alone.
  return acting ? { "X-Tenant-Id": acting.id, "X-Tenant-Reason": acting.reason.replace(/[^\x20-\x7e]/g, "?") } : {};
}
