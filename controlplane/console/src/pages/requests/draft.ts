import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Of } from "../../api/types";
import { useMe } from "../../api/use";
import { useGo } from "../../kit/link";
import type { Picked } from "../../kit/pick";
import type { MitigationChoice } from "../separation/mitigate";
import { itemsOf, itemsParam, type RequestableItem } from "./items";

/** What a role wants to be told when it is asked for. */
export type RequestParameter = {
  name: string;
  type: "string" | "integer" | "boolean" | "date";
  required?: boolean;
  allowed_values?: string[];
};

/** What was said about one thing that is asked for. */
export type Detail = {
  name?: string;
  system?: string;
  risk?: string;
  wants?: RequestParameter[];
  max?: string | null;
  /** How long: nothing is what is usual, span an ISO 8601 length, until a day. */
  long?: "" | "span" | "until";
  span?: string;
  until?: string;
  from?: string;
  account?: string;
  parameters?: Record<string, string | number | boolean>;
};

/** What was typed, beside what stands in the address. */
export type Draft = {
  details: Record<string, Detail>;
  people: Record<string, string>;
  justification: string;
  reference: string;
  emergency: boolean;
  chosen: Picked[];
  /** Mitigations that are proposed along, by the policy that the access would violate. */
  mitigations: Record<string, MitigationChoice>;
};

const nothing: Draft = { details: {}, people: {}, justification: "", reference: "", emergency: false, chosen: [], mitigations: {} };

/**
 * A request that is being written. What is asked for and for whom stands in the address; what was typed is kept in the tab, so that
 * leaving and coming back loses nothing.
 */
export function useDraft() {
  const me = useMe();
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useGo();
  const place = `ask:${me?.tenant.id ?? ""}:${me?.user?.id ?? ""}`;
  const [draft, write] = useState<Draft>(nothing);
  const [read, setRead] = useState("");
  useEffect(() => {
    if (!me || read === place) return;
    write(kept(place));
    setRead(place);
  }, [me, place, read]);
  useEffect(() => {
    if (read) sessionStorage.setItem(read, JSON.stringify(draft));
  }, [draft, read]);
  const go = (change: Record<string, string | undefined>) => {
    const next = { ...search, ...change };
    void navigate({
      to: ".",
      search: Object.fromEntries(Object.entries(next).filter(([, v]) => v)),
      resetScroll: Boolean(change.view),
    });
  };
  const things = itemsOf(search.items);
  const whom = (search.for ?? "").split(",").filter(Boolean);
  return {
    draft,
    things,
    whom: whom.length ? whom : me?.user?.identity_id ? [me.user.identity_id] : [],
    view: search.view ?? (things.length && search.items ? "review" : "choose"),
    show: (view: "choose" | "review") => go({ view }),
    set: (change: Partial<Draft>) => write((was) => ({ ...was, ...change })),
    detail: (key: string, change: Detail) =>
      write((was) => ({ ...was, details: { ...was.details, [key]: { ...was.details[key], ...change } } })),
    ask: (all: RequestableItem[], more: Detail = {}, key = "") => {
      // Other access violates other policies.
      write((was) => ({
        ...was,
        mitigations: {},
        ...(key ? { details: { ...was.details, [key]: { ...was.details[key], ...more } } } : {}),
      }));
      go({ items: itemsParam(all), view: search.view ?? "choose" });
    },
    askFor: (ids: string[], names: Record<string, string> = {}) => {
      write((was) => ({ ...was, mitigations: {}, people: { ...was.people, ...names } }));
      go({ for: ids.join(","), view: search.view ?? (things.length ? "review" : "choose") });
    },
    forget: () => {
      sessionStorage.removeItem(place);
      write(nothing);
    },
  };
}

export type Drafting = ReturnType<typeof useDraft>;

function kept(place: string): Draft {
  try {
    return { ...nothing, ...(JSON.parse(sessionStorage.getItem(place) ?? "{}") as Partial<Draft>) };
  } catch {
    return nothing;
  }
}

/** A request as the API takes it, for one person. */
export function requestOf(d: Drafting, person: string): Of<"NewAccessRequest"> {
  const { draft } = d;
  return {
    kind: "grant",
    requested_for_identity_id: person,
    requested_resources: d.things.map((t) => resource(t, draft.details[t.key] ?? {})),
    ...(draft.justification.trim() ? { justification: draft.justification.trim() } : {}),
    ...(draft.reference.trim() ? { external_reference: draft.reference.trim() } : {}),
    urgency: draft.emergency ? "emergency" : "normal",
    ...(d.whom.length === 1 ? mitigationsOf(draft) : {}),
    ...(draft.chosen.length ? { approvers: draft.chosen.map((p) => p.id) } : {}),
  };
}

/** The mitigations whose controls are chosen. */
function mitigationsOf(draft: Draft): Pick<Of<"NewAccessRequest">, "mitigations"> {
  const all = Object.entries(draft.mitigations).flatMap(([policy_id, m]) =>
    m.mitigation_policy_id
      ? [
          {
            policy_id,
            mitigation_policy_id: m.mitigation_policy_id,
            ...(m.duration ? { duration: m.duration } : {}),
            ...(m.owner_id ? { owner_id: m.owner_id } : {}),
          },
        ]
      : [],
  );
  return all.length > 0 ? { mitigations: all } : {};
}

function resource(t: RequestableItem, d: Detail): Of<"RequestedResource"> {
  return {
    ...(t.kind === "role" ? { role_id: t.id } : { entitlement_id: t.id }),
    ...(d.long === "span" && d.span ? { duration: d.span } : {}),
    ...(d.long === "until" && d.until ? { ends_at: dayEnd(d.until) } : {}),
    ...(d.from ? { starts_at: new Date(`${d.from}T00:00:00`).toISOString() } : {}),
    ...(d.account ? { account_id: d.account } : {}),
    ...(d.parameters && Object.keys(d.parameters).length ? { parameters: d.parameters } : {}),
  };
}

/** The last second of a day where one is. */
export const dayEnd = (day: string) => new Date(`${day}T23:59:59`).toISOString();
