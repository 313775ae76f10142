import * as text from "#text/requests";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { Check, Form, TextField, useForm } from "../../kit/form";
import { Badge, Failure, Part, Skeleton, Text, When } from "../../kit/kit";
import type { RequestPermissions } from "./words";

/** What was said about a request, and a place to say more. */
export function Comments({ of: r, can }: { of: Of<"AccessRequest">; can: RequestPermissions }) {
  return (
    <Part title={text.comments} lead={r.comments.length === 0 ? text.noCommentsYet : undefined}>
      <ul className="stack tight">
        {r.comments.map((c) => (
          <li key={c.id} className="card padded">
            <div className="row small">
              <strong>
                <Text of={c.by.display} />
              </strong>
              <span className="muted">
                <When at={c.at} />
              </span>
              {c.visibility === "approvers" && <Badge tone="info">{text.approversOnly}</Badge>}
            </div>
            <p dir="auto" className="requests-comment">
              {c.text}
            </p>
          </li>
        ))}
      </ul>
      {can.comments && <CommentForm id={r.id} aside={can.aside} />}
    </Part>
  );
}

function CommentForm({ id, aside }: { id: string; aside: boolean }) {
  const act = useAct({
    quiet: true,
    act: (v: { text: string; visibility: string; key: string }, _key) =>
      ask("POST", `/access-requests/${id}/comments`, { body: { text: v.text, visibility: v.visibility }, key: v.key }),
    changes: [`/access-requests/${id}`],
  });
  const form = useForm({ text: "", aside: false }, async (v, key) => {
    await act.mutateAsync({ text: v.text, visibility: v.aside ? "approvers" : "everybody", key });
    form.replace({ text: "", aside: false });
  });
  return (
    <Form of={form} verb={text.addComment}>
      <TextField label={text.comment} rows={2} max={4000} {...form.field("text")} required />
      {aside && <Check label={text.visibleToApproversOnly} hint={text.theRequesterAndTheRecipientCannot} {...form.field("aside")} />}
    </Form>
  );
}

/** What happened to a request, newest last. */
export function Timeline({ id, live }: { id: string; live: boolean }) {
  const steps = useGet<Page<Of<"AccessRequestStep">>>(`/access-requests/${id}/timeline`, { limit: 500 }, live ? { every: 5000 } : {});
  return (
    <Part title={text.history}>
      {steps.isError ? (
        <Failure error={steps.error} retry={() => void steps.refetch()} />
      ) : !steps.data ? (
        <Skeleton rows={4} />
      ) : (
        <ol>
          {steps.data.items.map((s, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps only grow at their end
            <li key={i} className="requests-line">
              <div className="small">
                <strong>{words(s.event)}</strong> {s.by && <Text of={s.by} />}{" "}
                <span className="muted">
                  <When at={s.at} />
                </span>
                {s.detail && (
                  <p dir="auto" className="muted">
                    {s.detail}
                  </p>
                )}
              </div>
            </li>
          ))}
        </ol>
      )}
    </Part>
  );
}

const events: Record<string, string> = {
  rule: text.approvalRuleSelected,
  branch: text.branchSelected,
  slot: text.approverSkipped,
  fallback: text.fallbackApproversAsked,
  due: text.decisionDue,
  opened: text.submitted,
  stage_opened: text.decisionRequested,
};

const words = (event: string) => {
  if (events[event]) return events[event];
  const w = event.replaceAll("_", " ").replaceAll(".", " ");
  return w.charAt(0).toUpperCase() + w.slice(1);
};
