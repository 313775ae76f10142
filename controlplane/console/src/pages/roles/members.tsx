import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import type { Of } from "../../api/types";
import { Button, Coming, Note, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { Menu } from "../../kit/menu";
import { State } from "../../kit/state";
import type { Role } from "./model";

const Give = lazy(() => import("./give"));
export type Member = Of<"RoleMember">;
export type Doing = { what: "give" } | { what: "end" | "take"; member: Member };

const ways: Record<string, string> = {
  rule: "by its rule",
  policy: "by a policy",
  manual: "by hand",
  request: "by request",
  emergency: "in an emergency",
  other: "otherwise",
};

/** Who has a role, how they came by it, and how much of it their systems have. */
export default function Members({ role, mayGive }: { role: Role; mayGive: boolean }) {
  const [doing, setDoing] = useState<Doing>();
  const gives = mayGive && role.lifecycle === "active";
  return (
    <div className="stack">
      {mayGive && (
        <div className="row">
          {gives ? (
            <Button tone="primary" onClick={() => setDoing({ what: "give" })}>
              Give it to somebody
            </Button>
          ) : (
            <Note>It can be given once it is published.</Note>
          )}
        </div>
      )}
      <List<Member & { id: string }>
        label="Who has it"
        path={`/entitlements/roles/${role.id}/members`}
        idOf={(m) => m.identity_id}
        columns={[...columns, ...(mayGive ? [doings(setDoing)] : [])]}
        filters={[{ name: "kind", words: "How", options: Object.entries(ways).filter(([k]) => k !== "other") }]}
        search="people"
        csv={`${role.key}-members`}
        empty={{ title: "Nobody has it yet", words: "People get it by its rule, by a policy, by asking for it, or by hand." }}
      />
      <Suspense fallback={<Coming />}>{doing && <Give role={role} doing={doing} close={() => setDoing(undefined)} />}</Suspense>
    </div>
  );
}

const columns: Column<Member>[] = [
  {
    title: "Person",
    cell: (m) => (
      <Link to="/people/$id" params={{ id: m.identity_id }}>
        <Text of={m.display} />
      </Link>
    ),
    text: (m) => m.display,
  },
  { title: "Department", cell: (m) => <Text of={m.department} />, text: (m) => m.department },
  {
    title: "How",
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
  { title: "Since", cell: (m) => <When at={m.since} />, text: (m) => m.since },
  { title: "Until", cell: (m) => <When at={m.until} none="it is taken away" />, text: (m) => m.until },
  { title: "In the systems", cell: (m) => <Fulfilled of={m.fulfilment} />, text: (m) => `${m.fulfilment.active} of ${m.fulfilment.total}` },
  { title: "State", cell: (m) => <State of={m.status} />, text: (m) => m.status },
];

function Fulfilled({ of }: { of: Member["fulfilment"] }) {
  if (of.failed > 0) return <State of="failed" words={`${of.active} of ${of.total}, ${of.failed} failed`} />;
  return <State of={of.active === of.total ? "active" : "pending"} words={`${of.active} of ${of.total}`} />;
}

function doings(set: (d: Doing) => void): Column<Member> {
  return {
    title: "Change",
    cell: (m) =>
      m.ways.some((w) => w.assignment_id) && (
        <Menu
          words="Change"
          label={`Change for ${m.display}`}
          of={[
            { words: "Move the end…", act: () => set({ what: "end", member: m }) },
            { words: "Take it away…", danger: true, act: () => set({ what: "take", member: m }) },
          ]}
        />
      ),
  };
}
