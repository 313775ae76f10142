import type { Of } from "../../api/types";
import { State } from "../../kit/state";

export type User = Of<"User">;
export type RoleName = "admin" | "auditor" | "manager" | "resource_owner";

/** The roles, and what each lets somebody do. */
export const roleNames: readonly (readonly [RoleName, string])[] = [
  ["admin", "Administrator: sees and changes the whole tenant"],
  ["auditor", "Auditor: sees the whole tenant, changes nothing"],
  ["manager", "Manager: sees the people who report to them"],
  ["resource_owner", "Owner: sees who holds what they own"],
];

const short: Record<string, string> = { admin: "administrator", auditor: "auditor", manager: "manager", resource_owner: "owner" };

/** Roles in a few words. */
export const rolesOf = (u: { roles: string[]; control_plane_admin: boolean }) =>
  [...u.roles.map((r) => short[r] ?? r), ...(u.control_plane_admin ? ["operator of the service"] : [])].join(", ");

/** Whether somebody can sign in. */
export function UserState({ of }: { of: string }) {
  return <State of={of} tone={of === "active" ? "ok" : of === "disabled" ? "neutral" : "info"} />;
}

/** What an administrator should look at, in plain words. */
export const findings: Record<string, string> = {
  toxic_role_pair: "This user administers and audits. Nobody should audit their own work: take one of the two roles away.",
  identity_inactive: "The person has left or is not active any more, and can still sign in here.",
  identity_missing: "The person that this user was linked to is not known any more.",
};
