/** Something that can be asked for. key is how it stands in the address. */
export type RequestableItem = { kind: "role" | "entitlement"; id: string; key: string };

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** The things of an address: ids by comma, those of roles with role: before them. Each stands there once, at most 50. */
export function itemsOf(text: string | undefined): RequestableItem[] {
  const all = new Map<string, RequestableItem>();
  for (const word of (text ?? "").split(",")) {
    const [, role, , id = ""] = /^\s*(role:)?(entitlement:)?(.*?)\s*$/.exec(word) ?? [];
    if (!uuid.test(id)) continue;
    const thing = role ? make("role", id) : make("entitlement", id);
    all.set(thing.key, thing);
  }
  return [...all.values()].slice(0, 50);
}

const make = (kind: RequestableItem["kind"], id: string): RequestableItem => ({ kind, id, key: kind === "role" ? `role:${id}` : id });

/** The thing that a row of the catalog is. */
export const itemOf = (row: { kind: string; id: string }): RequestableItem => make(row.kind === "role" ? "role" : "entitlement", row.id);

/** The things as they stand in an address. */
export const itemsParam = (all: RequestableItem[]): string => all.map((t) => t.key).join(",");
