import * as text from "#text/tokens";
import type { Of } from "../../api/types";
import { State } from "../../kit/state";

export type Token = Of<"Token">;
export type Role = Token["role"];

export const roles: readonly (readonly [Role, string])[] = [
  ["auditor", text.auditorReadsTheWholeTenant],
  ["admin", text.administratorReadsAndChangesTheWhole],
  ["manager", text.managerViewOfOneManager],
  ["resource_owner", text.ownerViewOfOneOwner],
];

/** Roles that see what a person sees, who must be named. */
export const needsIdentity = (role: string) => role === "manager" || role === "resource_owner";

const tones = { active: "ok", expiring: "warn", disabled: "neutral", revoked: "neutral", expired: "neutral" } as const;

/** Whether a token works. */
export const TokenState = ({ of }: { of: Token["state"] }) => <State of={of} tone={tones[of]} />;

/** Why a token is disabled, in plain words. */
export const why: Record<string, string> = {
  administrator: text.theTokenWasDisabledByAn,
  idle: text.theTokenWasDisabledBecauseIt,
  creator: text.theTokenWasDisabledBecauseIts,
  maker: text.theTokenWasDisabledBecauseThe,
};

/** A day of a date field as the moment at its end. */
export const endOf = (day: string) => new Date(`${day}T23:59:59`).toISOString();

/** The day that is so many days from now, as a date field has it. */
export function dayIn(days: number): string {
  const d = new Date(Date.now() + days * 86_400_000);
  return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, "0")}-${String(d.getDate()).padStart(2, "0")}`;
}
