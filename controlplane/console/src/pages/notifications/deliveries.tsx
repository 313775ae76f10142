import { useSearch } from "@tanstack/react-router";
import * as text from "#text/notifications";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { Verbatim } from "../../kit/elements";
import { Button, Facts, Failure, Part, Skeleton, Text, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";

type Delivery = Of<"MailDelivery">;

const path = "/settings/notifications/deliveries";
const states = [
  ["queued", text.queuedState],
  ["sending", text.sendingState],
  ["sent", text.sentState],
  ["deferred", text.deferredState],
  ["bounced", text.bouncedState],
  ["failed", text.failedState],
  ["suppressed", text.suppressedState],
] as const;
const tones: Record<Delivery["state"], "info" | "ok" | "warn" | "bad" | "neutral"> = {
  queued: "info",
  sending: "info",
  sent: "ok",
  deferred: "warn",
  bounced: "bad",
  failed: "bad",
  suppressed: "neutral",
};
const named = (state: Delivery["state"]) => states.find(([s]) => s === state)?.[1] ?? state;
const again = new Set<Delivery["state"]>(["deferred", "bounced", "failed", "suppressed"]);

const columns: Column<Delivery>[] = [
  {
    title: text.subject,
    cell: (d) => (
      <Link to="." search={(was) => ({ ...was, delivery: d.id })} resetScroll={false}>
        <bdi>{d.subject}</bdi>
      </Link>
    ),
    text: (d) => d.subject,
  },
  { title: text.recipient, cell: (d) => <bdi>{d.address || d.name}</bdi>, text: (d) => d.address },
  { title: text.state, cell: (d) => <State of={named(d.state)} tone={tones[d.state]} />, text: (d) => named(d.state) },
  { title: text.reason, cell: (d) => <Text of={d.reason} none="–" />, text: (d) => d.reason },
  { title: text.attempts, number: true, cell: (d) => d.attempts, text: (d) => d.attempts },
  { title: text.written, cell: (d) => <When at={d.created_at} />, text: (d) => d.created_at },
];

/** What was sent by mail, the newest first. A message opens beside the list; which one stands in the address. */
export function Deliveries() {
  const search = useSearch({ strict: false }) as { delivery?: string };
  const go = useGo();
  const close = () => void go({ to: ".", search: (was) => ({ ...was, delivery: undefined }), resetScroll: false });
  return (
    <Part title={text.deliveries}>
      <List<Delivery>
        path={path}
        label={text.deliveries}
        columns={columns}
        every={10_000}
        filters={[
          { name: "state", words: text.state, options: states },
          { name: "marked", words: text.address, options: [["true", text.rejectedAndUndecided]] },
        ]}
        empty={{ title: text.noMessagesYet, words: text.messagesAppearHere }}
      />
      <Dialog open={Boolean(search.delivery)} close={close} side title={text.message}>
        {search.delivery && <Shown key={search.delivery} id={search.delivery} />}
      </Dialog>
    </Part>
  );
}

function Shown({ id }: { id: string }) {
  const may = useMay();
  const query = useGet<Of<"MailDeliveryDetail">>(`${path}/${id}`);
  const resend = useAct({
    act: (_: undefined, key) => ask("POST", `${path}/${id}/resend`, { key }),
    done: text.theMessageIsQueued,
    changes: [path],
  });
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={5} />;
  const d = query.data;
  return (
    <div className="stack">
      <div className="row between">
        <State of={named(d.state)} tone={tones[d.state]} />
        {may.admin && again.has(d.state) && (
          <Button disabled={resend.isPending} onClick={() => resend.mutate(undefined)}>
            {text.sendAgain}
          </Button>
        )}
      </div>
      <Facts
        of={[
          [text.subject, <bdi key="s">{d.subject}</bdi>],
          [text.recipient, <bdi key="r">{d.address || d.name}</bdi>],
          [text.kind, <code key="k">{d.kind}</code>],
          [text.reason, d.reason],
          [text.attempts, d.attempts],
          [text.written, <When key="w" at={d.created_at} />],
          [text.sent, d.sent_at && <When key="t" at={d.sent_at} />],
          [text.nextAttempt, d.due_at && <When key="n" at={d.due_at} />],
        ]}
      />
      {d.reply && <Verbatim label={text.replyOfTheMailServer}>{d.reply}</Verbatim>}
      <Verbatim label={text.textOfTheMessage}>{d.text}</Verbatim>
    </div>
  );
}
