import { lazy, Suspense, useState } from "react";
import * as text from "#text/roles";
import type { Of } from "../../api/types";
import { Button, LoadingMarker, Note, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { Menu } from "../../kit/menu";
import { PersonLink } from "../../kit/personlink";
import { State } from "../../kit/state";
import type { Role } from "./model";

const Give = lazy(() => import("./assign"));
export type Member = Of<"RoleMember">;
export type MemberAction = { what: "give" } | { what: "end" | "take"; member: Member };

const sources: Record<string, string> = {
  rule: text.membershipRuleLower,
  policy: text.policy,
  manual: text.directAssignment,
  request: text.request,
  emergency: text.emergency,
  other: text.otherwise,
};

/** Who has a role, how they came by it, and how much of it their systems have. */
export default function Members({ role, mayGive }: { role: Role; mayGive: boolean }) {
  const [doing, setDoing] = useState<MemberAction>();
  const gives = mayGive && role.lifecycle === "active";
  return (
    <div className="stack">
      {mayGive && (
        <div className="row">
          {gives ? (
            <Button tone="primary" onClick={() => setDoing({ what: "give" })}>
              {text.assign}
            </Button>
          ) : (
            <Note>{text.theRoleCanBeAssignedAfter}</Note>
          )}
        </div>
      )}
      <List<Member & { id: string }>
        label={text.members}
        path={`/entitlements/roles/${role.id}/members`}
        idOf={(m) => m.identity_id}
        columns={[...columns, ...(mayGive ? [actionColumn(setDoing)] : [])]}
        filters={[{ name: "kind", words: text.reason, options: Object.entries(sources).filter(([k]) => k !== "other") }]}
        search={text.people}
        csv={`${role.key}-members`}
        empty={{ title: text.noMembersYet, words: text.peopleGetTheRoleByIts }}
      />
      <Suspense fallback={<LoadingMarker />}>{doing && <Give role={role} doing={doing} close={() => setDoing(undefined)} />}</Suspense>
    </div>
  );
}

const columns: Column<Member>[] = [
  {
    title: text.person,
    cell: (m) => (
      <PersonLink id={m.identity_id}>
        <Text of={m.display} />
      </PersonLink>
    ),
    text: (m) => m.display,
  },
  { title: text.department, cell: (m) => <Text of={m.department} />, text: (m) => m.department },
  {
    title: text.reason,
    wide: true,
    cell: (m) =>
      m.ways.map((w) => (
        <div key={`${w.kind}${w.assignment_id ?? w.policy?.id ?? ""}${w.starts_at}`}>
          {sources[w.kind] ?? w.kind}
          {w.state === "scheduled" && <>{text.beginsStartsAt(<When at={w.starts_at} />)}</>}
          {w.reason && (
            <span className="muted small">
              {" "}
              · <bdi>{w.reason}</bdi>
            </span>
          )}
        </div>
      )),
    text: (m) => m.ways.map((w) => sources[w.kind] ?? w.kind).join("; "),
  },
  { title: text.start, cell: (m) => <When at={m.since} />, text: (m) => m.since },
  { title: text.end, cell: (m) => <When at={m.until} none={text.noEndDate} />, text: (m) => m.until },
  {
    title: text.provisioned,
    cell: (m) => <Coverage of={m.fulfilment} />,
    text: (m) => text.activeOfTotal(m.fulfilment.active, m.fulfilment.total),
  },
  { title: text.state, cell: (m) => <State of={m.status} />, text: (m) => m.status },
];

function Coverage({ of }: { of: Member["fulfilment"] }) {
  if (of.failed > 0) return <State of="failed" words={text.activeOfTotalFailedFailed(of.active, of.total, of.failed)} />;
  return <State of={of.active === of.total ? "active" : "pending"} words={text.activeOfTotal(of.active, of.total)} />;
}

function actionColumn(set: (d: MemberAction) => void): Column<Member> {
  return {
    title: text.actions,
    cell: (m) =>
      m.ways.some((w) => w.assignment_id) && (
        <Menu
          words={text.actions}
          label={text.actionsForM(m.display)}
          of={[
            { words: text.changeEndDateEllipsis, act: () => set({ what: "end", member: m }) },
            { words: text.removeEllipsis, danger: true, act: () => set({ what: "take", member: m }) },
          ]}
        />
      ),
  };
}
