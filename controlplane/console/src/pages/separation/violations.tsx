import * as text from "#text/separation";
import "./separation.css";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay, useMe } from "../../api/use";
import { Head, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import type { Filter } from "../../kit/listtypes";
import { NotVisible } from "../../kit/notvisible";
import { PersonLink } from "../../kit/personlink";
import { Grade, Severity, ViolationState } from "./badges";
import { ScanButton, ScanProgress } from "./scan";
import { gradeOptions, gradeWords, severityOptions, severityWords, sidesOf, stateOptions, stateWords, type Violation } from "./words";

const columns: Column<Violation>[] = [
  {
    title: text.policy,
    text: (v) => v.conflict.policy.name,
    cell: (v) => (
      <Link to="/violations/$id" params={{ id: v.id }}>
        <Text of={v.conflict.policy.name} />
      </Link>
    ),
  },
  {
    title: text.person,
    text: (v) => v.identity.display,
    cell: (v) => (
      <PersonLink id={v.identity.id}>
        <Text of={v.identity.display} />
      </PersonLink>
    ),
  },
  {
    title: text.conflict,
    wide: true,
    text: (v) => sidesOf(v.conflict),
    cell: (v) => (
      <>
        <Text of={sidesOf(v.conflict)} />
        {v.assignee && <span className="small muted conflict-way">{text.assignedTo(v.assignee.display)}</span>}
      </>
    ),
  },
  { title: text.severity, sort: "severity", text: (v) => severityWords(v.severity), cell: (v) => <Severity of={v.severity} /> },
  { title: text.grade, text: (v) => gradeWords(v.grade), cell: (v) => <Grade of={v.grade} /> },
  { title: text.state, text: (v) => stateWords(v.state), cell: (v) => <ViolationState of={v.state} /> },
  { title: text.found, sort: "first_seen_at", text: (v) => v.first_seen_at, cell: (v) => <When at={v.first_seen_at} /> },
];

/** Violations of separation-of-duties policies, as far as the user may see them. */
export default function Violations() {
  const may = useMay();
  const views = useViews();
  const filters = useFilters();
  return (
    <div className="stack">
      <Head title={text.violations} lead={text.violationsLead}>
        <ScanButton />
      </Head>
      <ScanProgress />
      <List<Violation>
        path="/policies/violations"
        label={text.violations}
        columns={columns}
        views={views}
        filters={filters}
        search={text.peopleAndPolicies}
        open={(v) => ({ to: "/violations/$id", params: { id: v.id } })}
        csv="violations"
        every={15_000}
        empty={{ title: text.noViolations, words: may.oversees ? text.noViolationsLead : <NotVisible what={text.noViolationVisible} /> }}
      />
    </div>
  );
}

/** The views above the list, with how many violations each has. */
function useViews(): View[] {
  const me = useMe();
  const open = useCount({ state: "open" });
  const critical = useCount({ state: "open", severity: "critical" });
  const mine = me?.user?.identity_id;
  return [
    { name: text.all, query: {} },
    { name: text.open, query: { state: "open" }, count: open },
    { name: text.critical, query: { state: "open", severity: "critical" }, count: critical },
    ...(mine ? [{ name: text.mine, query: { state: "open", assignee_id: mine } }] : []),
    { name: text.mitigated, query: { state: "mitigated" } },
    { name: text.falsePositives, query: { state: "false_positive" } },
    { name: text.remediated, query: { state: "remediated" } },
  ];
}

function useCount(query: Record<string, string>): number | undefined {
  return useGet<Page<Violation>>("/policies/violations", { ...query, limit: 1 }, { every: 15_000 }).data?.total;
}

/** The filters of the list. */
function useFilters(): Filter[] {
  const may = useMay();
  const policies = useGet<Page<Of<"SeparationPolicy">>>(
    "/policies/separation-of-duties",
    { limit: 500, sort: "name" },
    { enabled: may.oversees },
  );
  return [
    { name: "severity", words: text.severity, options: severityOptions },
    { name: "state", words: text.state, options: stateOptions },
    { name: "grade", words: text.grade, options: gradeOptions },
    ...(may.oversees
      ? [{ name: "policy_id", words: text.policy, options: (policies.data?.items ?? []).map((p) => [p.id, p.name ?? p.id] as const) }]
      : []),
    { name: "identity_id", words: text.person, type: "person" },
  ];
}
