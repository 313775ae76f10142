import * as text from "#text/users";
import type { Of } from "../../api/types";
import { State } from "../../kit/state";

export type User = Of<"User">;
export type RoleName = "admin" | "auditor" | "manager" | "resource_owner";

/** The roles, and what each lets somebody do. */
export const roleNames: readonly (readonly [RoleName, string])[] = [
  ["admin", text.administratorSeesAndChangesTheWhole],
  ["auditor", text.auditorSeesTheWholeTenantAnd],
  ["manager", text.managerSeesDirectAndIndirectReports],
  ["resource_owner", text.ownerSeesTheHoldersOfOwned],
];

const short: Record<string, string> = {
  admin: text.administratorLower,
  auditor: text.auditorLower,
  manager: text.managerLower,
  resource_owner: text.owner,
};

/** Roles in a few words. */
export const rolesOf = (u: { roles: string[]; control_plane_admin: boolean }) =>
  [...u.roles.map((r) => short[r] ?? r), ...(u.control_plane_admin ? [text.serviceOperator] : [])].join(", ");

/** Whether somebody can sign in. */
export function UserState({ of }: { of: string }) {
  return <State of={of} tone={of === "active" ? "ok" : of === "disabled" ? "neutral" : "info"} />;
}

/** What an administrator should look at, in plain words. */
export const findings: Record<string, string> = {
  toxic_role_pair: text.thisUserIsAnAdministratorAnd,
  identity_inactive: text.theLinkedPersonHasLeftOr,
  identity_missing: text.theLinkedPersonNoLongerExists,
};
