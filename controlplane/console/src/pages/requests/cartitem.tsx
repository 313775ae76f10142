import { X } from "lucide-react";
import * as text from "#text/requests";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { durationText, replaceDurations } from "../../kit/duration";
import { DurationField } from "../../kit/durationfield";
import { SelectField, TextField } from "../../kit/form";
import { Badge, Button, Note, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Risk } from "../../kit/state";
import { ApprovalPath } from "../approvals/path";
import type { Detail, Drafting } from "./draft";
import type { RequestableItem } from "./items";
import { Parameters } from "./parameters";
import { type Problem, placeOf, stepsOf } from "./preview";

type ItemPreview = Of<"ForeseenItem">;
type Props = { of: RequestableItem; d: Drafting; person: string; foreseen: ItemPreview | undefined; problems: Problem[] };

/** One thing that is asked for: for how long, with what it wants to be told, and whom it has to pass. */
export function CartItem({ of, d, person, foreseen, problems }: Props) {
  const detail = d.draft.details[of.key] ?? {};
  const set = (change: Detail) => d.detail(of.key, change);
  const name = detail.name || foreseen?.display || (of.kind === "role" ? text.role : text.entitlement);
  const at = (member: string) => problems.find((p) => placeOf(p).endsWith(`/${member}`))?.detail;
  const wrong = at("duration") ?? at("ends_at") ?? durations(problems);
  const rest = problems.filter((p) => p.detail !== wrong && !/\/(parameters\/.+|starts_at)$/.test(placeOf(p)));
  return (
    <article className="card padded stack" aria-label={name}>
      <div className="row between">
        <h3 className="row">
          <Text of={name} /> {of.kind === "role" && <Badge>{text.roleLower}</Badge>} <Risk of={detail.risk} />
        </h3>
        <Button reads tone="quiet" aria-label={text.removeName(name)} onClick={() => d.ask(d.things.filter((t) => t.key !== of.key))}>
          <X aria-hidden size={14} /> {text.remove}
        </Button>
      </div>
      {rest.map((p) => (
        <Note key={p.code + p.detail} tone="bad">
          <ProblemNote of={p} />
        </Note>
      ))}
      <div className="fields">
        <SelectField
          label={text.duration}
          value={detail.long ?? ""}
          set={(long) => set({ long: long as "span" | "until" })}
          none={usual(foreseen)}
          options={[
            ["span", text.forAPeriod],
            ["until", text.untilADate],
          ]}
        />
        {detail.long === "span" && (
          <DurationField
            label={text.period}
            value={detail.span ?? ""}
            set={(span) => set({ span })}
            hint={detail.max ? text.atMostMax(durationText(detail.max)) : text.thePeriodStartsWhenTheAccess}
            error={wrong}
          />
        )}
        {detail.long === "until" && (
          <TextField label={text.endDate} type="date" value={detail.until ?? ""} set={(until) => set({ until })} error={wrong} />
        )}
        <TextField
          label={text.startDate}
          type="date"
          hint={text.leaveEmptyToStartAtOnce}
          value={detail.from ?? ""}
          set={(from) => set({ from })}
          error={at("starts_at")}
        />
        {of.kind === "entitlement" && person && detail.system && <Account d={d} of={of} person={person} system={detail.system} />}
      </div>
      {!detail.long && wrong && <p className="small bad">{wrong}</p>}
      {of.kind === "role" && <Parameters of={detail} set={set} problems={problems} />}
      {foreseen && <ApprovalPreview of={foreseen} emergency={d.draft.emergency} />}
    </article>
  );
}

const durations = (all: Problem[]) => all.find((p) => /^duration/.test(p.code))?.detail;

function usual(f: ItemPreview | undefined): string {
  if (f?.duration) return text.defaultOf(durationText(f.duration));
  return text.defaultLower;
}

/** Why a thing would be refused, with the way to what stands against it. */
function ProblemNote({ of }: { of: Problem }) {
  if (of.code === "separation_of_duties") return text.conflictsWithOtherAccess;
  const more = of.more as { request_id?: string; number?: string } | undefined;
  return (
    <>
      {of.detail}{" "}
      {more?.request_id && (
        <Link className="link" to="/requests/$id" params={{ id: more.request_id }}>
          {text.openNumberValue(more.number)}
        </Link>
      )}
    </>
  );
}

function Account({ d, of, person, system }: { d: Drafting; of: RequestableItem; person: string; system: string }) {
  const found = useGet<Page<{ id: string; username?: string | null; status?: string }>>("/accounts", {
    identity_id: person,
    connector_id: system,
    limit: 20,
  });
  const accounts = found.data?.items ?? [];
  if (accounts.length < 2) return null;
  return (
    <SelectField
      label={text.account}
      value={d.draft.details[of.key]?.account ?? ""}
      set={(account) => d.detail(of.key, { account })}
      none={text.mainAccount}
      options={accounts.map((a) => [a.id, a.username ?? a.id] as const)}
    />
  );
}

function ApprovalPreview({ of, emergency }: { of: ItemPreview; emergency: boolean }) {
  const limits = of.limits_applied.length > 0 && <p className="small muted">{of.limits_applied.map(replaceDurations).join("; ")}</p>;
  const why = (
    <p className="small muted">
      <Text of={of.rule.name} />: {of.rule.matched_because}
    </p>
  );
  if (of.rule.outcome === "auto_reject")
    return (
      <Note tone="bad">{of.reason ? text.theRequestWouldBeRejectedReason(of.reason, why) : text.theRequestWouldBeRejectedWhy(why)}</Note>
    );
  const end = (
    <>
      <strong>{text.access}</strong>
      <span className="small muted">
        {of.duration ? text.forDuration(durationText(of.duration)) : of.ends_at ? "" : text.noEndDate}
        {!of.duration && of.ends_at && <>{text.untilEndsAt(<When at={of.ends_at} />)}</>}
      </span>
    </>
  );
  return (
    <div className="stack tight">
      {of.blocked && <Note tone="warn">{text.noApproverCanBeFoundThe}</Note>}
      {emergency || !of.stages?.length ? (
        <Note tone={emergency ? "warn" : "ok"}>
          {emergency
            ? text.accessWouldStartAtOnceWithout
            : of.reason
              ? text.noApprovalIsRequiredReason(of.reason)
              : text.noApprovalIsRequired}
        </Note>
      ) : (
        <ApprovalPath of={stepsOf(of.stages)} label={text.approversOfOfValue(of.display)} end={end} />
      )}
      {why}
      {limits}
      {of.request_ttl && of.stages?.length && !emergency ? (
        <p className="small muted">{text.expiresWithoutADecisionAfterRequest(durationText(of.request_ttl))}</p>
      ) : null}
    </div>
  );
}
