import { current } from "../api/session";
import type { PaletteEntry } from "./commands";

// For as long as the tab is open, and for whoever is signed in: names of people are not left behind in the browser.
const key = () => {
  const session = current();
  return `recent ${session.state === "in" ? session.user.id : ""}`;
};

/** What was chosen in the palette last, the latest first. */
export function recent(): PaletteEntry[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key()) ?? "[]") as unknown;
    return Array.isArray(kept) ? (kept as PaletteEntry[]).filter((o) => typeof o?.words === "string" && typeof o.way?.to === "string") : [];
  } catch {
    return [];
  }
}

/** Keeps what was chosen, if it leads somewhere. */
export function addRecent(o: PaletteEntry) {
  if (!o.way) return;
  const { id, words, detail, way } = o;
  const next = [{ id, words, ...(detail ? { detail } : {}), way }, ...recent().filter((r) => r.id !== id)].slice(0, 6);
  sessionStorage.setItem(key(), JSON.stringify(next));
}
