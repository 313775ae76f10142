/** Something that can be asked for. key is how it stands in the address. */
export type Thing = { kind: "role" | "entitlement"; id: string; key: string };

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** The things of an address: ids by comma, those of roles with role: before them. Each stands there once, at most 50. */
export function thingsOf(text: string | undefined): Thing[] {
  const all = new Map<string, Thing>();
  for (const word of (text ?? "").split(",")) {
    const [, role, , id = ""] = /^\s*(role:)?(entitlement:)?(.*?)\s*$/.exec(word) ?? [];
    if (!uuid.test(id)) continue;
    const thing = role ? make("role", id) : make("entitlement", id);
    all.set(thing.key, thing);
  }
  return [...all.values()].slice(0, 50);
}

const make = (kind: Thing["kind"], id: string): Thing => ({ kind, id, key: kind === "role" ? `role:${id}` : id });

/** The thing that a row of the catalogue is. */
export const thingOf = (row: { kind: string; id: string }): Thing => make(row.kind === "role" ? "role" : "entitlement", row.id);

/** The things as they stand in an address. */
export const joined = (all: Thing[]): string => all.map((t) => t.key).join(",");
