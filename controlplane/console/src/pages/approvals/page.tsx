import * as text from "#text/approvals";
import "./approvals.css";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { durationText } from "../../kit/duration";
import { Badge, Head, Note, Part, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { Risk, State } from "../../kit/state";
import { ApprovalPath, UnavailableLine } from "./path";
import { TryOut } from "./simulate";

type Rule = Of<"ApprovalRule">;
type Gap = Of<"ApprovalGap">;

const columns: Column<Rule>[] = [
  { title: text.order, number: true, sort: "priority", text: (r) => r.priority, cell: (r) => r.priority },
  {
    title: text.rule,
    sort: "name",
    text: (r) => r.name,
    cell: (r) => (
      <Link to="/settings/approval-rules/$id" params={{ id: r.id }}>
        <Text of={r.name} />
      </Link>
    ),
  },
  { title: text.scope, text: (r) => scopeWords(r.applies_to), cell: (r) => <span>{scopeWords(r.applies_to)}</span> },
  {
    title: text.steps,
    wide: true,
    text: (r) => r.sentences.join(" "),
    cell: (r) => (
      <span className="small" dir="auto">
        {r.sentences[0]}
        {r.sentences.length > 1 && <span className="muted"> {text.andCountMore(r.sentences.length - 1)}</span>}
      </span>
    ),
  },
  {
    title: text.state,
    text: (r) => (r.enabled ? "on" : "off"),
    cell: (r) =>
      r.enabled ? <State of="enabled" words={text.activeLower} /> : <State of="disabled" tone="neutral" words={text.offLower} />,
  },
  { title: text.changed, text: (r) => r.updated_at, cell: (r) => <When at={r.updated_at} /> },
];

/** What a rule is for, in a few words. */
export function scopeWords(a: Of<"ApprovalScope"> | undefined): string {
  if (!a) return text.usedByOtherRules;
  if (a.default) return text.everythingWithoutItsOwnRule;
  const n = (all: unknown[] | null | undefined, words: (n: number) => string) => (all?.length ? words(all.length) : "");
  const parts = [
    n(a.role_ids, text.roleCount),
    n(a.entitlement_ids, text.entitlementCount),
    n(a.connector_ids, text.systemCount),
    a.tags?.length ? a.tags.join(", ") : "",
    a.risk_levels?.length ? text.riskLevelsRisk(a.risk_levels.join(", ")) : "",
    a.request_kinds?.length ? text.requestKindsOnly(a.request_kinds.join(", ")) : "",
  ].filter(Boolean);
  return parts.join("; ") || text.usedByOtherRules;
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
      <Head title={text.approvalRules} lead={text.whoMustApproveARequestThe}>
        <Link className="button" to="/settings/approval-rules/worktime">
          {text.workingTimeAndOnCall}
        </Link>
        {may.admin && (
          <Link className="button primary" to="/settings/approval-rules/new">
            {text.newApprovalRule}
          </Link>
        )}
      </Head>
      <List<Rule>
        path="/approval-rules"
        label={text.approvalRules}
        columns={columns}
        views={[
          { name: text.all, query: {} },
          { name: text.active, query: { enabled: "true" } },
          { name: text.off, query: { enabled: "false" } },
          { name: text.defaultLabel, query: { default: "true" } },
        ]}
        search={text.namesAndDescriptions}
        open={(r) => ({ to: "/settings/approval-rules/$id", params: { id: r.id } })}
        csv="approval-rules"
        empty={{ title: text.noApprovalRulesYet, words: text.requestsFollowTheBuiltInRule }}
      />
      <Default rule={standard.data?.items[0]} known={Boolean(standard.data)} />
      <Part
        title={text.coverage}
        lead={gaps.data?.total ? text.requestableRolesAndEntitlementsUseThe(gaps.data.total) : text.requestableRolesAndEntitlementsWithoutA}
      >
        <List<Gap>
          path="/approval-rules/coverage"
          label={text.coverage}
          prefix="g-"
          views={[
            { name: text.withoutARule, query: {} },
            { name: text.approversUnavailable, query: { gap: "unavailable" } },
          ]}
          idOf={(g: Gap) => g.id}
          columns={gapColumns}
          filters={[
            {
              name: "type",
              words: text.kind,
              options: [
                ["role", text.rolesLower],
                ["entitlement", text.entitlementsLower],
              ],
            },
            {
              name: "risk_level",
              words: text.risk,
              options: [
                ["critical", text.critical],
                ["high", text.high],
                ["medium", text.medium],
                ["low", text.low],
              ],
            },
          ]}
          csv="no-approval-rule"
          empty={
            offered(roles.data) + offered(rights.data) > 0
              ? { title: text.noGaps, words: text.noRequestableRoleOrEntitlementDepends }
              : {
                  title: text.nothingCanBeRequestedYet,
                  words: text.makeARoleOrAnEntitlement,
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
    title: text.name,
    text: (g) => g.display,
    cell: (g) => (
      <Link to={g.type === "role" ? "/roles/$id" : "/access/$id"} params={{ id: g.id }}>
        <Text of={g.display} />
      </Link>
    ),
  },
  { title: text.kind, text: (g) => g.type, cell: (g) => <Badge>{g.type === "role" ? text.roleLower : text.right}</Badge> },
  { title: text.risk, text: (g) => g.risk_level, cell: (g) => <Risk of={g.risk_level} /> },
  {
    title: text.owners,
    number: true,
    text: (g) => g.owners,
    cell: (g) => (g.owners ? g.owners : <State of="missing" words={text.none} />),
  },
  {
    title: text.cannotDecide,
    text: (g) => g.unavailable.map((p) => `${p.display} ${p.reason}`).join("; "),
    cell: (g) => <Unable of={g} />,
  },
  { title: text.rule, text: (g) => g.rule.name, cell: (g) => <Text of={g.rule.name} /> },
  {
    title: text.reason,
    wide: true,
    text: (g) => g.rule.matched_because,
    cell: (g) => <span className="small muted">{g.rule.matched_because}</span>,
  },
];

/** The approvers of an item who cannot decide at present. */
function Unable({ of }: { of: Gap }) {
  if (of.unavailable.length === 0) return null;
  return (
    <>
      <ul className="plain">
        {of.unavailable.map((p) => (
          <UnavailableLine key={p.identity_id} of={p} />
        ))}
      </ul>
      {of.fallback && <State of="missing" words={text.fallbackDecides} />}
    </>
  );
}

function Default({ rule, known }: { rule: Rule | undefined; known: boolean }) {
  if (!known) return null;
  if (rule)
    return (
      <Note>
        {text.defaultRuleName(
          <Link className="link" to="/settings/approval-rules/$id" params={{ id: rule.id }}>
            <bdi>{rule.name}</bdi>
          </Link>,
        )}
      </Note>
    );
  const time = text.answerWithin(durationText("P3D"));
  return (
    <Part title={text.builtInRule} lead={text.appliesWhereNoRuleMatchesAnd}>
      <div className="card padded">
        <ApprovalPath
          label={text.builtInRule}
          of={[
            { name: text.manager, groups: [{ needed: 1, approvers: [{ words: text.theManager }] }], note: time },
            {
              name: text.owner,
              groups: [{ needed: 1, approvers: [{ words: text.ownersOfTheRequestedAccess, several: true }] }],
              note: (
                <>
                  <div>{text.onlyForHighOrCriticalRisk}</div>
                  <div>{time}</div>
                </>
              ),
            },
          ]}
          end={<strong>{text.access}</strong>}
        />
      </div>
    </Part>
  );
}
