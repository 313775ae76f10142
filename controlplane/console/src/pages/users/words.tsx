import type { Of } from "../../api/types";
import { State } from "../../kit/state";

export type User = Of<"User">;
export type RoleName = "admin" | "auditor" | "manager" | "resource_owner";

/** The roles, and what each lets somebody do. */
export const roleNames: readonly (readonly [RoleName, string])[] = [
  ["admin", "Administrator: sees and changes the whole tenant"],
  ["auditor", "Auditor: sees the whole tenant and changes nothing"],
  ["manager", "Manager: sees direct and indirect reports"],
  ["resource_owner", "Owner: sees the holders of owned access"],
];

const short: Record<string, string> = { admin: "administrator", auditor: "auditor", manager: "manager", resource_owner: "owner" };

/** Roles in a few words. */
export const rolesOf = (u: { roles: string[]; control_plane_admin: boolean }) =>
  [...u.roles.map((r) => short[r] ?? r), ...(u.control_plane_admin ? ["service operator"] : [])].join(", ");

/** Whether somebody can sign in. */
export function UserState({ of }: { of: string }) {
  return <State of={of} tone={of === "active" ? "ok" : of === "disabled" ? "neutral" : "info"} />;
}

/** What an administrator should look at, in plain words. */
export const findings: Record<string, string> = {
  toxic_role_pair: "This user is an administrator and an auditor, so they could audit their own work. Remove one of the two roles.",
  identity_inactive: "The linked person has left or is inactive, but can still sign in.",
  identity_missing: "The linked person no longer exists.",
};
