import type { May } from "../api/use";
import list from "./places.json";

/** One screen: its address, what it is called, where it stands, who may open it, and the page of the documentation about it. */
export type Place = {
  path: string;
  title: string;
  help: string;
  icon?: string;
  nav?: boolean;
  key?: string;
  group?: string;
  section?: string;
  roles?: string[];
  write?: boolean;
};

export const places = list as Place[];

/** Whether somebody may open a screen. */
export function mayOpen(place: Place, may: May): boolean {
  const is: Record<string, boolean> = {
    admin: may.admin,
    auditor: may.auditor,
    manager: may.manager,
    resource_owner: may.owner,
    operator: may.operator,
  };
  return !place.roles || place.roles.some((r) => is[r]);
}

const patterns = places.map((p) => ({ place: p, fixed: p.path.replace(/\$\w+/g, "").length, pattern: pattern(p.path) }));

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\$\w+/g, "[^/]+")}/?$`);
}

/** The screen at an address without its base path: of several the one that says most. */
export function placeAt(pathname: string): Place | undefined {
  return patterns.filter((p) => p.pattern.test(pathname)).sort((a, b) => b.fixed - a.fixed)[0]?.place;
}
