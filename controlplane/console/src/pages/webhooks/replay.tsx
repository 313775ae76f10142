import { useState } from "react";
import * as text from "#text/webhooks";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { Dialog } from "../../kit/dialog";
import { Check, Form, TextField, useForm } from "../../kit/form";
import { Note } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import type { Webhook } from "./words";

type Answer = Of<"Replay">;
const local = (ms: number) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** A moment as it was typed. One that is none is sent as it is, and refused by the service at its field. */
const instant = (typed: string) => (Number.isNaN(Date.parse(typed)) ? typed : new Date(typed).toISOString());

/** Sends the events of a window again, after it has been counted how many they are. */
export function Replay({ of, close }: { of: Webhook; close: () => void }) {
  const [counted, setCounted] = useState<{ of: string; count: number }>();
  const first = { from: local(Date.now() - 86_400_000), to: local(Date.now()), only: true };
  const form = useForm(first, async (v, key) => {
    const send = (dry_run: boolean) =>
      ask<Answer>("POST", `/settings/webhooks/${of.id}/replay`, {
        query: { dry_run },
        body: { from: instant(v.from), to: instant(v.to), undelivered_only: v.only },
        key: dry_run ? crypto.randomUUID() : key,
      });
    const what = JSON.stringify(v);
    if (counted?.of !== what || counted.count === 0) {
      setCounted({ of: what, count: (await send(true)).count });
      return;
    }
    const { count } = await send(false);
    showToast(text.eventsAreBeingReplayed(count));
    close();
  });
  const known = counted?.of === JSON.stringify(form.value) ? counted.count : undefined;
  const none = known === 0;
  return (
    <Dialog open close={close} title={text.replayEvents} lead={text.eventsOfTheLast30Days}>
      <Form of={form} always verb={known ? text.replayEventsText(known) : text.countEvents} cancel={close}>
        <div className="fields">
          <TextField label={text.from} type="datetime-local" {...form.field("from")} required />
          <TextField label={text.to} type="datetime-local" {...form.field("to")} required />
        </div>
        <Check label={text.undeliveredEventsOnly} value={form.value.only} set={(v) => form.set("only", v)} />
        {known !== undefined && <Note>{none ? text.noEventsInThisPeriod : text.eventsWouldBeReplayed(known)}</Note>}
      </Form>
    </Dialog>
  );
}
