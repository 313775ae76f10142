import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { exceptionFrom } from "#text/approvals";
import * as text from "#text/requests";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useDebounced } from "../../kit/debounce";
import type { ApprovalStep } from "../approvals/path";
import { type Drafting, requestOf } from "./draft";

export type Problem = Of<"AccessRequestProblem">;
/** What would become of the request for one person. */
export type RequestPreview = {
  person: string;
  items: Of<"ForeseenItem">[];
  problems: Problem[];
  expected: string | null;
  separation?: Of<"SeparationVerdict"> | undefined;
};

/** Asks what would become of the requests as they stand, a moment after the last change. */
export function useRequestPreview(d: Drafting) {
  const now = JSON.stringify(d.whom.map((p) => requestOf(d, p)));
  const asked = useDebounced(now, 350);
  const query = useQuery({
    queryKey: ["/access-requests/preview", asked],
    queryFn: ({ signal }) => fetchPreview(JSON.parse(asked) as Of<"NewAccessRequest">[], signal),
    enabled: d.whom.length > 0 && d.things.length > 0,
    placeholderData: keepPreviousData,
  });
  return { query, stale: query.isPlaceholderData || asked !== now };
}

async function fetchPreview(all: Of<"NewAccessRequest">[], signal: AbortSignal): Promise<RequestPreview[]> {
  const whom = (i: number) => all[i]?.requested_for_identity_id ?? "";
  if (all.length === 1) {
    const one = await ask<Of<"AccessRequestPreview">>("POST", "/access-requests/preview", { body: all[0], signal });
    return [
      {
        person: whom(0),
        items: one.items,
        problems: one.problems,
        expected: one.expected_at ?? null,
        separation: one.separation_of_duties,
      },
    ];
  }
  const many = await ask<Of<"AccessRequestBulk">>("POST", "/access-requests/bulk", {
    query: { dry_run: true },
    body: { requests: all },
    signal,
  });
  return many.results.map((r, i) => ({
    person: whom(i),
    items: r.foreseen?.items ?? [],
    problems: r.problems,
    expected: r.foreseen?.expected_at ?? null,
    separation: r.separation_of_duties,
  }));
}

/** The place of a problem within a request: requested_resources/0/duration. */
export const placeOf = (p: Problem): string => (p.pointer ?? "").replace(/^#\//, "").replace(/^requests\/\d+\//, "");

/** The problems about a place and what is under it. */
export const problemsAt = (all: Problem[], place: string): Problem[] =>
  all.filter((p) => placeOf(p) === place || placeOf(p).startsWith(`${place}/`));

/** What a step is asked for beside the access. */
export const exceptionNote = (policies: string[]): string | undefined =>
  policies.length > 0 ? exceptionFrom(text.andList(policies)) : undefined;

/** The approval steps that a request would go through. */
export const stepsOf = (stages: Of<"ForeseenStage">[] | null | undefined): ApprovalStep[] =>
  (stages ?? []).map((s) => ({
    name: s.name,
    due: s.due_at ?? null,
    note: s.satisfied ?? exceptionNote(s.exception_policies),
    groups: s.groups.map((g) => ({
      needed: g.needed,
      approvers: g.approvers.map((a) => ({
        words: a.display,
        via: a.fallback ? "fallback" : a.via,
        because: a.because,
        for: a.acting_for,
      })),
      unavailable: g.unavailable,
    })),
  }));

/** A path in one line: who, then who. */
export const approvalSummary = (stages: Of<"ForeseenStage">[] | null | undefined): string =>
  text.thenList(
    (stages ?? []).map((s) =>
      text.andList(
        s.groups.map((g) => {
          const names = g.approvers.map((a) => a.display);
          return g.needed >= names.length ? text.andList(names) : text.orList(names);
        }),
      ),
    ),
  );
