import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { AskFirst } from "../../kit/dialog";
import { Check, TextField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { say, sayRefusal } from "../../kit/toast";
import type { Webhook } from "./words";

type Answer = Of<"Replay">;
const local = (ms: number) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Sends the events of a window again, after it has been counted how many they are. */
export function Replay({ of, close }: { of: Webhook; close: () => void }) {
  const [from, setFrom] = useState(() => local(Date.now() - 86_400_000));
  const [to, setTo] = useState(() => local(Date.now()));
  const [only, setOnly] = useState(true);
  const [counted, setCounted] = useState<{ of: string; answer: Answer }>();
  const what = JSON.stringify([from, to, only]);
  const send = (dry_run: boolean) =>
    ask<Answer>("POST", `/settings/webhooks/${of.id}/replay`, {
      query: { dry_run },
      body: { from: new Date(from).toISOString(), to: new Date(to).toISOString(), undelivered_only: only },
      key: crypto.randomUUID(),
    });
  const count = () => send(true).then((answer) => setCounted({ of: what, answer }), sayRefusal);
  const known = counted?.of === what ? counted.answer.count : undefined;
  return (
    <AskFirst
      open
      close={close}
      title="Replay events"
      lead="Events of the last 30 days are sent again by their original ids, so that a receiver can put aside what it has had."
      verb={known === undefined ? "Replay" : `Send ${known.toLocaleString("en")} again`}
      disabled={known === undefined || known === 0}
      act={async () => {
        const done = await send(false);
        say(done.count === 1 ? "1 event is sent again" : `${done.count.toLocaleString("en")} events are sent again`);
      }}
    >
      <div className="fields">
        <TextField label="From" type="datetime-local" value={from} set={setFrom} required />
        <TextField label="To" type="datetime-local" value={to} set={setTo} required />
      </div>
      <Check label="Only what was not delivered" value={only} set={setOnly} />
      {known === undefined ? (
        <div>
          <Button onClick={() => void count()}>Count them first</Button>
        </div>
      ) : (
        <Note>{known === 0 ? "There are none in this window." : `${known.toLocaleString("en")} would be sent again.`}</Note>
      )}
    </AskFirst>
  );
}
