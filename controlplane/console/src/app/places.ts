import type { Permissions } from "../api/use";
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
  /** To whom the navigation offers it, of those who may open it; to all of them without it. */
  navRoles?: string[];
  write?: boolean;
};

export const places = list as Place[];

/** Whether a user may open a screen. */
export const mayOpen = (place: Place, may: Permissions): boolean => !place.roles || hasOne(place.roles, may);

/** Whether the navigation offers a screen: an employee without a role is led to their own access, requests and decisions. */
export const inNavigation = (place: Place, may: Permissions): boolean =>
  Boolean(place.nav) && mayOpen(place, may) && (!place.navRoles || hasOne(place.navRoles, may));

function hasOne(roles: string[], may: Permissions): boolean {
  const is: Record<string, boolean> = {
    admin: may.admin,
    auditor: may.auditor,
    manager: may.manager,
    resource_owner: may.owner,
    operator: may.operator,
  };
  return roles.some((r) => is[r]);
}

const patterns = places.map((p) => ({ place: p, fixed: p.path.replace(/\$\w+/g, "").length, pattern: pattern(p.path) }));

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\$\w+/g, "[^/]+")}/?$`);
}

/** The screen at an address without its base path: of several the one that says most. */
export function placeAt(pathname: string): Place | undefined {
  return patterns.filter((p) => p.pattern.test(pathname)).sort((a, b) => b.fixed - a.fixed)[0]?.place;
}
