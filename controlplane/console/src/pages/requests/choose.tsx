import { Check, Plus } from "lucide-react";
import { useState } from "react";
import * as text from "#text/requests";
import type { Of } from "../../api/types";
import { Dialog } from "../../kit/dialog";
import { durationText } from "../../kit/duration";
import { Badge, Button, Empty, Facts, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { Risk, State } from "../../kit/state";
import type { Drafting, RequestParameter } from "./draft";
import { itemOf } from "./items";
import { Recipients } from "./recipients";
import { roughDuration } from "./words";

type Item = Of<"CatalogItem"> & { parameters?: RequestParameter[] };

/** The catalog of what the person may ask for, and what was put aside so far. */
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
      title: text.item,
      wide: true,
      cell: (i) => (
        <span className="request-catalog">
          <button type="button" className="request-recipient-open" data-reads="" onClick={() => setOpen(i)}>
            <Text of={i.name} />
          </button>
          <span className="small muted">
            <Text of={i.description} none={i.kind === "role" ? text.aRole : ""} />
          </span>
        </span>
      ),
    },
    {
      title: text.system,
      cell: (i) =>
        i.kind === "role" ? <Badge>{text.roleOfEntitlementCount(i.entitlement_count)}</Badge> : <Text of={i.system?.display} />,
    },
    { title: text.risk, cell: (i) => <Risk of={i.risk_level} /> },
    {
      title: text.maximumDuration,
      cell: (i) => (i.max_duration ? durationText(i.max_duration) : <span className="faint">{text.noLimit}</span>),
    },
    {
      title: text.typicalApprovalTime,
      cell: (i) => roughDuration(i.typical_approval_time) || <span className="faint">{text.notKnownYet}</span>,
    },
    {
      title: text.add,
      cell: (i) => <Add of={i} chosen={has(i)} toggle={() => toggle(i)} />,
    },
  ];
  return (
    <>
      <Recipients d={d} self={self} others={others} />
      {!first ? (
        <Empty title={text.whoNeedsAccess}>{text.selectAPersonToSeeWhat}</Empty>
      ) : (
        <div className="stack tight">
          <h2>{text.requestableAccess}</h2>
          {d.whom.length > 1 && <p className="small muted">{text.thisListIsForTheFirst}</p>}
          <List<Item>
            path="/access-requests/catalog"
            label={text.requestableAccess}
            prefix="c-"
            fixed={first === self ? {} : { for_identity_id: first }}
            columns={columns}
            search={text.namesAndPurposes}
            views={[
              { name: text.all, query: {} },
              { name: text.roles, query: { kind: "role" } },
              { name: text.entitlements, query: { kind: "entitlement" } },
            ]}
            filters={[
              {
                name: "risk_level",
                words: text.risk,
                options: [
                  ["low", text.low],
                  ["medium", text.medium],
                  ["high", text.high],
                  ["critical", text.critical],
                ],
              },
            ]}
            empty={{
              title: text.nothingIsRequestable,
              words: text.ownersAndAdministratorsMarkAccessAs,
            }}
          />
        </div>
      )}
      {d.things.length > 0 && (
        <div className="request-cart row between" role="status">
          <span className="grow">
            <strong>{text.items(d.things.length)}</strong>{" "}
            <span className="muted">
              {d.things
                .map((t) => d.draft.details[t.key]?.name ?? "")
                .filter(Boolean)
                .join(", ")}
            </span>
          </span>
          <Button reads tone="primary" disabled={!first} onClick={() => d.show("review")}>
            {text.reviewRequest}
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
        {text.requestedNumberValue(of.pending.number)}
      </Link>
    );
  if (!of.requestable) return <span className="small">{text.notRequestableNow(of.why_not.join("; "))}</span>;
  return (
    <span className="row">
      <Button reads aria-pressed={chosen} aria-label={chosen ? text.addedName(of.name) : text.addName(of.name)} onClick={toggle}>
        {chosen ? <Check aria-hidden size={14} /> : <Plus aria-hidden size={14} />} {chosen ? text.added : text.add}
      </Button>
      {of.already_held && <State of="held" tone="neutral" words={of.already_held.until ? text.assignedTemporarily : text.assigned} />}
    </span>
  );
}

/** What a policy demands of a request, in words. */
const termWords = (t: Item["terms"]) =>
  t
    ? [
        t.max_duration ? text.atMost(durationText(t.max_duration)) : "",
        t.requires_justification ? text.justificationRequired : "",
        t.requires_external_reference ? text.ticketRequired : "",
      ].filter(Boolean)
    : [];

function Details({ of, chosen, toggle }: { of: Item; chosen: boolean; toggle: () => void }) {
  return (
    <div className="stack">
      <p dir="auto">{of.description}</p>
      {of.permission_summary.length > 0 && (
        <div>
          <h3 className="small muted">{text.permissions}</h3>
          <ul className="request-terms">
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
          [text.kind, of.kind === "role" ? text.roleWithEntitlements(of.entitlement_count ?? 0) : text.entitlement],
          [text.system, of.system?.display],
          [text.risk, <Risk key="r" of={of.risk_level} />],
          [text.privileged, of.privileged ? text.yes : ""],
          [text.owners, of.owners.map((o) => o.display).join(", ")],
          [text.tags, of.tags.join(", ")],
          [text.maximumDuration, of.max_duration ? durationText(of.max_duration) : text.noLimit],
          [text.defaultDuration, durationText(of.default_duration)],
          [text.typicalApprovalTime, roughDuration(of.typical_approval_time)],
          [text.approvalRule, of.approval_rule?.display ?? ""],
          [text.suggestedBecause, of.why_visible],
          [text.missing, of.why_not.join("; ")],
          [text.termsOfThePolicy, termWords(of.terms).join("; ")],
          [
            text.currentAccess,
            of.already_held ? (
              <span key="h">
                {text.throughKinds(of.already_held.kinds.join(", ").replaceAll("_", " "))}
                {of.already_held.until && <>{text.untilUntil(<When at={of.already_held.until} />)}</>}
              </span>
            ) : (
              ""
            ),
          ],
        ]}
      />
      {of.pending || !of.requestable ? null : (
        <div className="row">
          <Button reads tone={chosen ? "plain" : "primary"} onClick={toggle}>
            {chosen ? text.remove : text.add}
          </Button>
        </div>
      )}
    </div>
  );
}
