import { lazy, Suspense, useRef, useState } from "react";
import * as text from "#text/requests";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { replaceDurations } from "../../kit/duration";
import { Check, Field, TextField } from "../../kit/form";
import { Button, Failure, Note, Problems, Skeleton, When } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Pick, people } from "../../kit/pick";
import { showToast } from "../../kit/toast";
import { CartItem } from "./cartitem";
import { type Drafting, requestOf } from "./draft";
import { placeOf, problemsAt, type RequestPreview, useRequestPreview } from "./preview";
import { Recipients } from "./recipients";
import { SentRequests, SeveralRecipients } from "./severalrecipients";

// Most requests violate no policy.
const RequestSeparation = lazy(() => import("./separation"));

type Props = { d: Drafting; self: string; others: boolean };

/** What is asked for, said to the end, with what would become of it. Sending is the only thing that asks anybody. */
export function Review({ d, self, others }: Props) {
  const { query, stale } = useRequestPreview(d);
  const [sent, setSent] = useState<{ of: Of<"AccessRequestBulk">; whom: string[] }>();
  const first = query.data?.[0];
  if (sent) return <SentRequests of={sent.of} whom={sent.whom} d={d} self={self} />;
  const problems = d.whom.length === 1 ? (first?.problems ?? []) : [];
  return (
    <>
      <Recipients d={d} self={self} others={others} />
      {d.whom.length === 0 ? null : query.isError && !query.data ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton rows={4} />
      ) : (
        <>
          {query.data?.some((f) => f.separation && f.separation.violations.length > 0) && (
            <Suspense fallback={<Skeleton rows={3} />}>
              <RequestSeparation all={query.data} d={d} self={self} />
            </Suspense>
          )}
          <section className="stack" aria-labelledby="ask-things" aria-busy={stale || undefined}>
            <h2 id="ask-things">{text.approvalPath}</h2>
            {d.things.map((t, i) => (
              <CartItem
                key={t.key}
                of={t}
                d={d}
                person={d.whom.length === 1 ? (d.whom[0] ?? "") : ""}
                foreseen={first?.items.find((f) => (f.role_id ?? f.entitlement_id) === t.id)}
                problems={problemsAt(problems, `requested_resources/${i}`)}
              />
            ))}
            {d.whom.length > 1 && <SeveralRecipients all={query.data ?? []} d={d} self={self} />}
          </section>
          <Reasons d={d} all={query.data ?? []} />
          <Send d={d} all={query.data ?? []} stale={stale} sent={setSent} />
        </>
      )}
    </>
  );
}

const about = (all: RequestPreview[], place: string) => all.flatMap((f) => f.problems).find((p) => placeOf(p) === place);

function Reasons({ d, all }: { d: Drafting; all: RequestPreview[] }) {
  const { draft } = d;
  const items = all.flatMap((f) => f.items);
  const emergency = items.length > 0 && items.every((i) => i.emergency_allowed);
  const choice = all.flatMap((f) => f.problems).find((p) => /^approver/.test(placeOf(p)) || p.code === "approver_choice_required");
  const limits = [...new Set(items.flatMap((i) => i.limits_applied.map(replaceDurations)))];
  return (
    <section className="stack form" aria-labelledby="ask-why">
      <h2 id="ask-why">{text.reason}</h2>
      <TextField
        label={text.reason}
        hint={text.shownToTheApprovers}
        rows={3}
        max={4000}
        value={draft.justification}
        set={(justification) => d.set({ justification })}
        error={draft.justification ? about(all, "justification")?.detail : undefined}
      />
      <TextField
        label={text.ticket}
        hint={text.theTicketNumberInYourTicketing}
        max={256}
        value={draft.reference}
        set={(reference) => d.set({ reference })}
        error={about(all, "external_reference")?.detail}
      />
      {(choice || draft.chosen.length > 0) && <Chosen d={d} wrong={choice?.detail} />}
      {(emergency || draft.emergency) && (
        <Field label={text.urgency}>
          {(id) => (
            <div id={id} className="stack tight">
              <Check
                reads
                label={text.emergencyGrantAccessAtOnce}
                value={draft.emergency}
                set={(on) => d.set({ emergency: on })}
                hint={text.noApprovalIsRequiredFirstThe}
              />
              {draft.emergency && (
                <Note tone="warn">
                  {text.theAccessStartsAsSoonAs}
                  {limits.length > 0 && text.limitsLimits(limits.join("; "))}
                </Note>
              )}
            </div>
          )}
        </Field>
      )}
    </section>
  );
}

function Chosen({ d, wrong }: { d: Drafting; wrong?: string | undefined }) {
  const { chosen } = d.draft;
  return (
    <div className="stack tight">
      <Pick
        label={text.approversOfYourChoice}
        source={people}
        value={null}
        set={(p) => p && !chosen.some((c) => c.id === p.id) && d.set({ chosen: [...chosen, p] })}
        error={wrong}
      />
      <ul className="row">
        {chosen.map((p) => (
          <li key={p.id} className="request-person">
            <bdi>{p.words}</bdi>
            <Button reads tone="quiet" onClick={() => d.set({ chosen: chosen.filter((c) => c.id !== p.id) })}>
              {text.removePerson}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

type SendProps = { d: Drafting; all: RequestPreview[]; stale: boolean; sent: (s: { of: Of<"AccessRequestBulk">; whom: string[] }) => void };

function Send({ d, all, stale, sent }: SendProps) {
  const navigate = useGo();
  const under = useRef(false); // a second click comes before the button is shut
  const good = all.filter((f) => f.problems.length === 0);
  const one = d.whom.length === 1;
  const act = useAct({
    quiet: true,
    act: async (v: Of<"NewAccessRequest">[], key) =>
      v.length === 1 && one
        ? { one: await ask<Of<"AccessRequest">>("POST", "/access-requests", { body: v[0], key }) }
        : { many: await ask<Of<"AccessRequestBulk">>("POST", "/access-requests/bulk", { body: { requests: v }, key }) },
    changes: ["/access-requests", "/decision-tasks"],
    after: (r, v) => {
      d.forget();
      if (r.one) {
        showToast(text.numberValueSubmitted(r.one.number));
        void navigate({ to: "/requests/$id", params: { id: r.one.id } });
      } else if (r.many) sent({ of: r.many, whom: v.map((q) => q.requested_for_identity_id ?? "") });
    },
  });
  const general = one ? (all[0]?.problems ?? []).filter((p) => !/^requested_resources\/\d/.test(placeOf(p))) : [];
  const missing = one ? (all[0]?.problems.length ?? 0) : all.length - good.length;
  const expected = good
    .map((f) => f.expected)
    .filter(Boolean)
    .sort()
    .at(-1);
  return (
    <section className="stack tight request-submit" aria-label={text.send}>
      {general.length > 0 && (
        <ul className="note warn small">
          {general.map((p) => (
            <li key={p.code + p.detail}>{p.detail}</li>
          ))}
        </ul>
      )}
      <Problems of={act.error} />
      <div className="row">
        <Button
          tone="primary"
          disabled={act.isPending || stale || good.length === 0}
          onClick={() => {
            if (under.current) return;
            under.current = true;
            act.mutate(
              good.map((f) => requestOf(d, f.person)),
              { onSettled: () => (under.current = false) },
            );
          }}
        >
          {act.isPending ? text.sending : verb(one, good.length, all.length)}
        </Button>
        <span className="small muted" role="status">
          {one && missing > 0
            ? text.openQuestionsLeft(missing)
            : missing > 0
              ? text.theRequestWouldBeRejectedFor(missing, all.length)
              : expected && !d.draft.emergency
                ? expectation(expected)
                : ""}
        </span>
      </div>
    </section>
  );
}

const expectation = (at: string) => <>{text.decisionsAreDueAt(<When at={at} />)}</>;

const verb = (one: boolean, good: number, all: number) =>
  one ? text.send : good === all ? text.sendForAllAll(all) : text.sendForGoodEligible(good);
