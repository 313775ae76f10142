import * as text from "#text/audit";
import type { Query } from "../../api/client";

/** What stands in the address of the log. */
export type AuditFilters = {
  actor?: string;
  action?: string;
  object?: string;
  object_type?: string;
  from?: string;
  to?: string;
  event?: string;
  category?: string;
  outcome?: string;
  actor_type?: string;
  request?: string;
  q?: string;
};

/** What the API is asked for; days are those of whoever looks, and the last one counts wholly. */
export function queryOf(a: AuditFilters): Query {
  return {
    actor_id: a.actor,
    action: a.action,
    subject_id: a.object,
    subject_type: a.object_type,
    from: instant(a.from, 0),
    to: instant(a.to, 1),
    category: a.category,
    outcome: a.outcome,
    actor_type: a.actor_type,
    request_id: a.request,
    q: a.q,
  };
}

function instant(day: string | undefined, plus: number): string | undefined {
  if (!day) return undefined;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return day;
  const [y = 0, m = 1, d = 1] = day.split("-").map(Number);
  const at = new Date(y, m - 1, d + plus);
  return Number.isNaN(at.getTime()) ? day : at.toISOString();
}

const breaks: Record<string, string> = {
  missing: text.anEntryIsMissingOrOut,
  edited: text.anEntryWasChanged,
  unlinked: text.anEntryDoesNotLinkTo,
  foreign: text.anEntryBelongsToAnotherTenant,
  unreadable: text.anEntryIsUnreadable,
  contested: text.aSignedCheckpointHasADifferent,
  truncated: text.aSignedCheckpointCoversMoreEntries,
  unsigned: text.aCheckpointIsNotSignedBy,
};

/** What is wrong with a log, in words. */
export const breakWords = (kind: string) => breaks[kind] ?? kind;

/** Where something that an entry names can be opened. */
export function placeOf(type: string): string | undefined {
  const places: Record<string, string> = {
    identity: "/people/$id",
    account: "/accounts/$id",
    entitlement: "/access/$id",
    role: "/roles/$id",
    connector: "/connectors/$id",
    access_request: "/requests/$id",
    policy: "/policies/$id",
    agent: "/settings/agents/$id",
    webhook: "/settings/webhooks/$id",
    user: "/settings/users/$id",
  };
  return places[type];
}
