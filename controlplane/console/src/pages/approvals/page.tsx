import { count } from "../../kit/count";
import "./approvals.css";
import { Link } from "@tanstack/react-router";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Badge, Head, Note, Part, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { Risk, State } from "../../kit/state";
import { ApprovalPath } from "./path";
import { TryOut } from "./simulate";

type Rule = Of<"ApprovalRule">;
type Gap = Of<"ApprovalGap">;

const columns: Column<Rule>[] = [
  { title: "Order", number: true, sort: "priority", text: (r) => r.priority, cell: (r) => r.priority },
  {
    title: "Rule",
    sort: "name",
    text: (r) => r.name,
    cell: (r) => (
      <Link to={"/settings/approval-rules/$id" as never} params={{ id: r.id } as never}>
        <Text of={r.name} />
      </Link>
    ),
  },
  { title: "Scope", text: (r) => scopeWords(r.applies_to), cell: (r) => <span>{scopeWords(r.applies_to)}</span> },
  {
    title: "Steps",
    wide: true,
    text: (r) => r.sentences.join(" "),
    cell: (r) => (
      <span className="small" dir="auto">
        {r.sentences[0]}
        {r.sentences.length > 1 && <span className="muted"> and {r.sentences.length - 1} more</span>}
      </span>
    ),
  },
  {
    title: "State",
    text: (r) => (r.enabled ? "on" : "off"),
    cell: (r) => (r.enabled ? <State of="enabled" words="active" /> : <State of="disabled" tone="neutral" words="off" />),
  },
  { title: "Changed", text: (r) => r.updated_at, cell: (r) => <When at={r.updated_at} /> },
];

/** What a rule is for, in a few words. */
export function scopeWords(a: Of<"ApprovalScope"> | undefined): string {
  if (!a) return "used by other rules";
  if (a.default) return "everything without its own rule";
  const n = (all: unknown[] | null | undefined, one: string) => (all?.length ? `${all.length} ${one}${all.length === 1 ? "" : "s"}` : "");
  const parts = [
    n(a.role_ids, "role"),
    n(a.entitlement_ids, "right"),
    n(a.connector_ids, "system"),
    a.tags?.length ? a.tags.join(", ") : "",
    a.risk_levels?.length ? `${a.risk_levels.join(", ")} risk` : "",
    a.request_kinds?.length ? `${a.request_kinds.join(", ")} only` : "",
  ].filter(Boolean);
  return parts.join("; ") || "used by other rules";
}

/** The rules that say who must agree, and what has none of its own. */
export default function Rules() {
  const may = useMay();
  const standard = useGet<Page<Rule>>("/approval-rules", { default: "true", enabled: "true", limit: 1 });
  const gaps = useGet<Page<Gap>>("/approval-rules/coverage", { limit: 1 });
  const roles = useGet<Page<unknown>>("/entitlements/roles", { requestable: "true", lifecycle: "active", limit: 1 });
  const rights = useGet<Page<unknown>>("/entitlements", { requestable: "true", limit: 1 });
  return (
    <div className="stack">
      <Head title="Approval rules" lead="Who must approve a request. The most specific rule applies.">
        <Link className="button" to={"/settings/approval-rules/worktime" as never}>
          Working time and on call
        </Link>
        {may.admin && (
          <Link className="button primary" to={"/settings/approval-rules/new" as never}>
            New approval rule
          </Link>
        )}
      </Head>
      <List<Rule>
        path="/approval-rules"
        label="Approval rules"
        columns={columns}
        views={[
          { name: "All", query: {} },
          { name: "Active", query: { enabled: "true" } },
          { name: "Off", query: { enabled: "false" } },
          { name: "Default", query: { default: "true" } },
        ]}
        search="names and descriptions"
        open={(r) => ({ to: "/settings/approval-rules/$id", params: { id: r.id } })}
        csv="approval-rules"
        empty={{ title: "No approval rules yet", words: "Requests follow the built-in rule below until you create one." }}
      />
      <Default rule={standard.data?.items[0]} known={Boolean(standard.data)} />
      <Part
        title="Default rule coverage"
        lead={
          gaps.data?.total
            ? `${count(gaps.data.total, "requestable role or entitlement uses", "requestable roles and entitlements use")} the default rule. Create rules for those of high or critical risk.`
            : "Requestable roles and entitlements without a rule of their own."
        }
      >
        <List<Gap>
          path="/approval-rules/coverage"
          label="Default rule coverage"
          prefix="g-"
          idOf={(g: Gap) => g.id}
          columns={gapColumns}
          filters={[
            {
              name: "type",
              words: "Kind",
              options: [
                ["role", "roles"],
                ["entitlement", "entitlements"],
              ],
            },
            {
              name: "risk_level",
              words: "Risk",
              options: [
                ["critical", "critical"],
                ["high", "high"],
                ["medium", "medium"],
                ["low", "low"],
              ],
            },
          ]}
          csv="no-approval-rule"
          empty={
            offered(roles.data) + offered(rights.data) > 0
              ? { title: "No gaps", words: "No requestable role or entitlement depends on the default rule." }
              : {
                  title: "Nothing can be requested yet",
                  words: "Make a role or an entitlement requestable. It is listed here until it has its own rule.",
                }
          }
        />
      </Part>
      {may.admin && <TryOut />}
    </div>
  );
}

const offered = (of: Page<unknown> | undefined) => of?.total ?? 0;

const gapColumns: Column<Gap>[] = [
  {
    title: "Name",
    text: (g) => g.display,
    cell: (g) => (
      <Link to={(g.type === "role" ? "/roles/$id" : "/access/$id") as never} params={{ id: g.id } as never}>
        <Text of={g.display} />
      </Link>
    ),
  },
  { title: "Kind", text: (g) => g.type, cell: (g) => <Badge>{g.type === "role" ? "role" : "right"}</Badge> },
  { title: "Risk", text: (g) => g.risk_level, cell: (g) => <Risk of={g.risk_level} /> },
  {
    title: "Owners",
    number: true,
    text: (g) => g.owners,
    cell: (g) => (g.owners ? g.owners : <State of="missing" words="none" />),
  },
  { title: "Rule", text: (g) => g.rule.name, cell: (g) => <Text of={g.rule.name} /> },
  {
    title: "Reason",
    wide: true,
    text: (g) => g.rule.matched_because,
    cell: (g) => <span className="small muted">{g.rule.matched_because}</span>,
  },
];

function Default({ rule, known }: { rule: Rule | undefined; known: boolean }) {
  if (!known) return null;
  if (rule)
    return (
      <Note>
        Default rule:{" "}
        <Link className="link" to={"/settings/approval-rules/$id" as never} params={{ id: rule.id } as never}>
          <bdi>{rule.name}</bdi>
        </Link>
        .
      </Note>
    );
  return (
    <Part
      title="Built-in rule"
      lead="Applies where no rule matches and you have no default rule. A reason is required. Each approver has three working days. The request expires after 14 days without a decision."
    >
      <div className="card padded">
        <ApprovalPath
          label="Built-in rule"
          of={[
            { name: "Manager", groups: [{ needed: 1, seats: [{ words: "The manager" }] }], note: "within 3 days" },
            {
              name: "Owner",
              groups: [{ needed: 1, seats: [{ words: "Owners of the requested access" }] }],
              note: "only for high or critical risk; within 3 days",
            },
          ]}
          end={<strong>Access</strong>}
        />
      </div>
    </Part>
  );
}
