import { lazy, Suspense, useState } from "react";
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

const ways: Record<string, string> = {
  rule: "membership rule",
  policy: "policy",
  manual: "direct assignment",
  request: "request",
  emergency: "emergency",
  other: "otherwise",
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
              Assign
            </Button>
          ) : (
            <Note>The role can be assigned after it is published.</Note>
          )}
        </div>
      )}
      <List<Member & { id: string }>
        label="Members"
        path={`/entitlements/roles/${role.id}/members`}
        idOf={(m) => m.identity_id}
        columns={[...columns, ...(mayGive ? [doings(setDoing)] : [])]}
        filters={[{ name: "kind", words: "Reason", options: Object.entries(ways).filter(([k]) => k !== "other") }]}
        search="people"
        csv={`${role.key}-members`}
        empty={{ title: "No members yet", words: "People get the role by its rule, a policy, a request or a direct assignment." }}
      />
      <Suspense fallback={<LoadingMarker />}>{doing && <Give role={role} doing={doing} close={() => setDoing(undefined)} />}</Suspense>
    </div>
  );
}

const columns: Column<Member>[] = [
  {
    title: "Person",
    cell: (m) => (
      <PersonLink id={m.identity_id}>
        <Text of={m.display} />
      </PersonLink>
    ),
    text: (m) => m.display,
  },
  { title: "Department", cell: (m) => <Text of={m.department} />, text: (m) => m.department },
  {
    title: "Reason",
    wide: true,
    cell: (m) =>
      m.ways.map((w) => (
        <div key={`${w.kind}${w.assignment_id ?? w.policy?.id ?? ""}${w.starts_at}`}>
          {ways[w.kind] ?? w.kind}
          {w.state === "scheduled" && (
            <>
              , begins <When at={w.starts_at} />
            </>
          )}
          {w.reason && (
            <span className="muted small">
              {" "}
              · <bdi>{w.reason}</bdi>
            </span>
          )}
        </div>
      )),
    text: (m) => m.ways.map((w) => ways[w.kind] ?? w.kind).join("; "),
  },
  { title: "Start", cell: (m) => <When at={m.since} />, text: (m) => m.since },
  { title: "End", cell: (m) => <When at={m.until} none="no end date" />, text: (m) => m.until },
  { title: "Provisioned", cell: (m) => <Fulfilled of={m.fulfilment} />, text: (m) => `${m.fulfilment.active} of ${m.fulfilment.total}` },
  { title: "State", cell: (m) => <State of={m.status} />, text: (m) => m.status },
];

function Fulfilled({ of }: { of: Member["fulfilment"] }) {
  if (of.failed > 0) return <State of="failed" words={`${of.active} of ${of.total}, ${of.failed} failed`} />;
  return <State of={of.active === of.total ? "active" : "pending"} words={`${of.active} of ${of.total}`} />;
}

function doings(set: (d: MemberAction) => void): Column<Member> {
  return {
    title: "Actions",
    cell: (m) =>
      m.ways.some((w) => w.assignment_id) && (
        <Menu
          words="Actions"
          label={`Actions for ${m.display}`}
          of={[
            { words: "Change end date…", act: () => set({ what: "end", member: m }) },
            { words: "Remove…", danger: true, act: () => set({ what: "take", member: m }) },
          ]}
        />
      ),
  };
}
