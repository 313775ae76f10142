import type { Of } from "../../api/types";
import { State } from "../../kit/state";

export type Token = Of<"Token">;
export type Role = Token["role"];

export const roles: readonly (readonly [Role, string])[] = [
  ["auditor", "Auditor: reads the whole tenant"],
  ["admin", "Administrator: reads and changes the whole tenant"],
  ["manager", "Manager: sees what one manager sees"],
  ["resource_owner", "Owner: sees what one owner sees"],
];

/** Roles that see what a person sees, who must be named. */
export const bound = (role: string) => role === "manager" || role === "resource_owner";

const tones = { active: "ok", expiring: "warn", disabled: "neutral", revoked: "neutral", expired: "neutral" } as const;

/** Whether a token works. */
export const TokenState = ({ of }: { of: Token["state"] }) => <State of={of} tone={tones[of]} />;

/** Why a token is disabled, in plain words. */
export const why: Record<string, string> = {
  administrator: "An administrator has disabled it.",
  idle: "Nobody has used it for as long as it may be idle.",
  creator: "Whoever made it is no active administrator any more.",
  maker: "The token that made it is disabled or revoked.",
};

/** A day of a date field as the moment at its end. */
export const endOf = (day: string) => new Date(`${day}T23:59:59`).toISOString();

/** The day that is so many days from now, as a date field has it. */
export function dayIn(days: number): string {
  const d = new Date(Date.now() + days * 86_400_000);
  return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, "0")}-${String(d.getDate()).padStart(2, "0")}`;
}
