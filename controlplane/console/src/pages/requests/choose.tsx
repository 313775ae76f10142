import { Link } from "@tanstack/react-router";
import { Check, Plus } from "lucide-react";
import { useState } from "react";
import type { Of } from "../../api/types";
import { count } from "../../kit/count";
import { Dialog } from "../../kit/dialog";
import { durationText } from "../../kit/duration";
import { Badge, Button, Empty, Facts, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { Risk, State } from "../../kit/state";
import type { Drafting, RequestParameter } from "./draft";
import { itemOf } from "./items";
import { Recipients } from "./recipients";
import { roughDuration } from "./words";

type Item = Of<"CatalogItem"> & { parameters?: RequestParameter[] };

/** The catalogue of what the person may ask for, and what was put aside so far. */
export function Choose({ d, self, others }: { d: Drafting; self: string; others: boolean }) {
  const [open, setOpen] = useState<Item>();
  const first = d.whom[0];
  const has = (i: Item) => d.things.some((t) => t.id === i.id);
  const toggle = (i: Item) => {
    const t = itemOf(i);
    if (has(i)) return d.ask(d.things.filter((x) => x.key !== t.key));
    const about = { name: i.name, risk: i.risk_level, max: i.max_duration, wants: i.parameters ?? [] };
    d.ask([...d.things, t], i.system ? { ...about, system: i.system.id } : about, t.key);
  };
  const columns: Column<Item>[] = [
    {
      title: "Item",
      wide: true,
      cell: (i) => (
        <span className="ask-what">
          <button type="button" className="ask-open" data-reads="" onClick={() => setOpen(i)}>
            <Text of={i.name} />
          </button>
          <span className="small muted">
            <Text of={i.description} none={i.kind === "role" ? "A role" : ""} />
          </span>
        </span>
      ),
    },
    { title: "System", cell: (i) => (i.kind === "role" ? <Badge>role of {i.entitlement_count}</Badge> : <Text of={i.system?.display} />) },
    { title: "Risk", cell: (i) => <Risk of={i.risk_level} /> },
    { title: "no limit", cell: (i) => (i.max_duration ? durationText(i.max_duration) : <span className="faint">no limit</span>) },
    { title: "Typical approval time", cell: (i) => roughDuration(i.typical_approval_time) || <span className="faint">not known yet</span> },
    {
      title: "Add",
      cell: (i) => <Add of={i} chosen={has(i)} toggle={() => toggle(i)} />,
    },
  ];
  return (
    <>
      <Recipients d={d} self={self} others={others} />
      {!first ? (
        <Empty title="Who needs access?">Select a person to see what can be requested for them.</Empty>
      ) : (
        <div className="stack tight">
          <h2>Requestable access</h2>
          {d.whom.length > 1 && (
            <p className="small muted">
              This list is for the first person. You can review the result for each person before you send the request.
            </p>
          )}
          <List<Item>
            path="/access-requests/catalog"
            label="Requestable access"
            prefix="c-"
            fixed={first === self ? {} : { for_identity_id: first }}
            columns={columns}
            search="names and purposes"
            views={[
              { name: "All", query: {} },
              { name: "Roles", query: { kind: "role" } },
              { name: "Entitlements", query: { kind: "entitlement" } },
            ]}
            filters={[
              {
                name: "risk_level",
                words: "Risk",
                options: [
                  ["low", "low"],
                  ["medium", "medium"],
                  ["high", "high"],
                  ["critical", "critical"],
                ],
              },
            ]}
            empty={{
              title: "Nothing is requestable",
              words: "Owners and administrators mark access as requestable in the access catalog.",
            }}
          />
        </div>
      )}
      {d.things.length > 0 && (
        <div className="ask-cart row between" role="status">
          <span className="grow">
            <strong>{count(d.things.length, "item")}</strong>{" "}
            <span className="muted">
              {d.things
                .map((t) => d.draft.details[t.key]?.name ?? "")
                .filter(Boolean)
                .join(", ")}
            </span>
          </span>
          <Button reads tone="primary" disabled={!first} onClick={() => d.show("review")}>
            Review request
          </Button>
        </div>
      )}
      <Dialog open={Boolean(open)} close={() => setOpen(undefined)} title={<bdi>{open?.name}</bdi>} side>
        {open && <Details of={open} chosen={has(open)} toggle={() => toggle(open)} />}
      </Dialog>
    </>
  );
}

function Add({ of, chosen, toggle }: { of: Item; chosen: boolean; toggle: () => void }) {
  if (of.pending)
    return (
      <Link to="/requests/$id" params={{ id: of.pending.request_id }}>
        requested: {of.pending.number}
      </Link>
    );
  return (
    <span className="row">
      <Button reads aria-pressed={chosen} aria-label={chosen ? `Added: ${of.name}` : `Add ${of.name}`} onClick={toggle}>
        {chosen ? <Check aria-hidden size={14} /> : <Plus aria-hidden size={14} />} {chosen ? "Added" : "Add"}
      </Button>
      {of.already_held && <State of="held" tone="neutral" words={of.already_held.until ? "assigned temporarily" : "assigned"} />}
    </span>
  );
}

function Details({ of, chosen, toggle }: { of: Item; chosen: boolean; toggle: () => void }) {
  return (
    <div className="stack">
      <p dir="auto">{of.description}</p>
      {of.permission_summary.length > 0 && (
        <div>
          <h3 className="small muted">Permissions</h3>
          <ul className="ask-allows">
            {of.permission_summary.map((p) => (
              <li key={p} dir="auto">
                {p}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Facts
        of={[
          ["Kind", of.kind === "role" ? `Role with ${count(of.entitlement_count ?? 0, "entitlement")}` : "Entitlement"],
          ["System", of.system?.display],
          ["Risk", <Risk key="r" of={of.risk_level} />],
          ["Privileged", of.privileged ? "yes" : ""],
          ["Owners", of.owners.map((o) => o.display).join(", ")],
          ["Tags", of.tags.join(", ")],
          ["Maximum duration", of.max_duration ? durationText(of.max_duration) : "no limit"],
          ["Default duration", durationText(of.default_duration)],
          ["Typical approval time", roughDuration(of.typical_approval_time)],
          ["Approval rule", of.approval_rule?.display ?? ""],
          ["Suggested because", of.why_visible],
          [
            "Current access",
            of.already_held ? (
              <span key="h">
                through {of.already_held.kinds.join(", ").replaceAll("_", " ")}
                {of.already_held.until && (
                  <>
                    , until <When at={of.already_held.until} />
                  </>
                )}
              </span>
            ) : (
              ""
            ),
          ],
        ]}
      />
      {of.pending ? null : (
        <div className="row">
          <Button reads tone={chosen ? "plain" : "primary"} onClick={toggle}>
            {chosen ? "Remove" : "Add"}
          </Button>
        </div>
      )}
    </div>
  );
}
