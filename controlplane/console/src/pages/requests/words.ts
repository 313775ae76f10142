import * as text from "#text/requests";
import type { Of } from "../../api/types";
import { durationSeconds, inLargestUnit } from "../../kit/duration";

type Request = Of<"AccessRequest">;

/** How long something takes, in its largest unit: nobody is served by the seconds of days. Empty where it is not known. */
export function roughDuration(span: string | null | undefined): string {
  const seconds = durationSeconds(span);
  if (seconds === undefined) return "";
  return inLargestUnit(seconds, Math.round) ?? text.lessThanAMinute;
}

/** Statuses in which something can still become of a request. */
export const open = "submitted,pending_approval,blocked,approved,scheduled,provisioning";

const says: Record<string, string> = {
  pending_approval: text.waitingForApprovalLower,
  blocked: text.noApproverFound,
  approved: text.approvedLower,
  scheduled: text.startsLaterLower,
  provisioning: text.beingProvisionedLower,
  fulfilled: text.fulfilled,
  partially_fulfilled: text.partiallyFulfilled,
  failed: text.provisioningFailed,
  closed: text.endedLower,
  cancelled: text.withdrawnLower,
  expired: text.expired,
  rejected: text.refused,
  submitted: text.sent,
};

/** A status in plain words; of one's own request to extend or end access, in its own. */
export const statusWords = (status: string, kind = "grant"): string => {
  if (status === "fulfilled" && kind === "extend") return "extended";
  if ((status === "fulfilled" || status === "closed") && (kind === "return" || kind === "revoke")) return "ended";
  return says[status] ?? status.replaceAll("_", " ");
};

/** Tones that differ from the usual ones. */
export const statusTone = (status: string) =>
  ({ blocked: "warn", closed: "neutral", cancelled: "neutral", expired: "bad", approved: "info" })[status] as
    | "warn"
    | "neutral"
    | "bad"
    | "info"
    | undefined;

export const itemKinds: Record<string, string> = {
  grant: text.requestsAccess,
  extend: text.requestsAnExtension,
  return: text.returnsAccess,
  revoke: text.endsAccess,
};

/** Who somebody waits for now: the names in the open stages. */
export function waitsFor(r: Pick<Request, "items">): string[] {
  const names = r.items.flatMap((i) =>
    i.stages
      .filter((s) => s.state === "open")
      .flatMap((s) => s.groups.flatMap((g) => g.slots.filter((x) => x.state === "open").map((x) => x.display))),
  );
  return [...new Set(names)];
}

/** What somebody may be able to do with a request: what its state allows, by who they are to it. The service decides all the same. */
export function requestPermissions(
  r: Request,
  who: { user: string; identity: string; admin: boolean; manager: boolean; roles: string[]; readOnly: boolean },
) {
  const mine = r.requested_by.id === who.user || (who.identity !== "" && r.requested_by.identity_id === who.identity);
  const own = who.identity !== "" && r.requested_for_identity_id === who.identity;
  const asked = (i: Of<"AccessRequestItem">) =>
    i.stages
      .filter((s) => s.state === "open")
      .flatMap((s) => s.groups.flatMap((g) => g.slots))
      .find((x) => x.state === "open" && (x.identity_id ? x.identity_id === who.identity : x.role ? who.roles.includes(x.role) : false));
  const can = (what: string) => !who.readOnly && r.allowed.includes(what);
  return {
    asked,
    decides: can("decide") && !own && !mine && r.items.some((i) => i.allowed.includes("decide") && asked(i)),
    cancels: can("cancel") && (mine || own || who.admin),
    withdraws: (i: Of<"AccessRequestItem">) => !who.readOnly && i.allowed.includes("withdraw") && (mine || own || who.admin),
    reassigns: (i: Of<"AccessRequestItem">) => !who.readOnly && i.allowed.includes("reassign") && Boolean(asked(i) || who.admin),
    extends: can("extend") && (mine || own || who.manager || who.admin),
    returns: can("return") && (mine || own || who.manager || who.admin),
    takesBack:
      can("withdraw-approval") &&
      who.identity !== "" &&
      r.items.some(
        (i) =>
          i.allowed.includes("withdraw-approval") &&
          i.stages.some((s) => s.groups.some((g) => g.slots.some((x) => x.state === "approved" && x.identity_id === who.identity))),
      ),
    comments: !who.readOnly,
    aside: Boolean(who.admin || (!own && !mine)),
  };
}
export type RequestPermissions = ReturnType<typeof requestPermissions>;
