import { useState } from "react";
import * as text from "#text/audit";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { Add } from "../../kit/addbutton";
import { DeleteFirst } from "../../kit/deletefirst";
import { Dialog } from "../../kit/dialog";
import { Form, TextField, useForm } from "../../kit/form";
import { Button, Empty, Facts, Failure, Head, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { showToast } from "../../kit/toast";
import { StreamForm } from "./streamform";

type Stream = Of<"Stream">;

/** How long the audit log is kept, and where else it goes. */
export default function RetentionPage() {
  const [open, setOpen] = useState<Stream | "new">();
  const found = useGet<Page<Stream>>("/settings/audit-streams", { limit: 100 }, { every: 15_000 });
  return (
    <>
      <Head title={text.auditRetentionAndStreams} lead={text.howLongTheAuditLogIs} up={<Link to="/settings">{text.settings}</Link>} />
      <Retention />
      <Part title={text.streams} lead={text.entriesAreSentInOrderAt} actions={<Add words={text.addAStream} act={() => setOpen("new")} />}>
        {found.isPending ? (
          <Skeleton rows={2} />
        ) : found.isError && !found.data ? (
          <Failure error={found.error} retry={() => void found.refetch()} />
        ) : found.data.items.length === 0 ? (
          <Empty title={text.noStreamsYet}>{text.sendEntriesToYourSiemAn}</Empty>
        ) : (
          found.data.items.map((s) => <Card key={s.id} of={s} edit={() => setOpen(s)} />)
        )}
      </Part>
      {open !== undefined && (
        <Dialog wide open close={() => setOpen(undefined)} title={open === "new" ? text.addAStream : text.editStream}>
          <StreamForm of={open === "new" ? undefined : open} done={() => setOpen(undefined)} />
        </Dialog>
      )}
    </>
  );
}

function Retention() {
  const found = useGet<Of<"Retention">>("/settings/audit/retention");
  if (found.isPending) return <Skeleton rows={2} />;
  if (found.isError && !found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return (
    <Part title={text.retention} lead={text.entriesOlderThanTheRetentionPeriod}>
      <div className="card padded">
        <Days key={found.data.version} of={found.data} saved={() => void found.refetch()} />
      </div>
    </Part>
  );
}

function Days({ of, saved }: { of: Of<"Retention">; saved: () => void }) {
  const may = useMay();
  const form = useForm({ days: String(of.days) }, async (v, key) => {
    await ask("PUT", "/settings/audit/retention", { body: { days: Number(v.days) }, key, ifMatch: of.version });
    showToast(text.saved);
    saved();
  });
  return (
    <Form of={form} verb={text.save} closed={!may.admin}>
      <TextField label={text.retentionInDays} type="number" required {...form.field("days")} />
    </Form>
  );
}

function Card({ of, edit }: { of: Stream; edit: () => void }) {
  const may = useMay();
  const [ending, setEnding] = useState(false);
  const [tried, setTried] = useState<Of<"TestResult">>();
  const path = `/settings/audit-streams/${of.id}`;
  const changes = ["/settings/audit-streams"];
  const turn = useAct({ act: (enabled: boolean, key) => ask("PATCH", path, { body: { enabled }, key, ifMatch: of.version }), changes });
  const test = useAct({ act: (_: undefined, key) => ask<Of<"TestResult">>("POST", `${path}/test`, { key }), after: setTried });
  return (
    <section className="card padded stack" aria-label={of.name}>
      <div className="row between">
        <h3>
          <Text of={of.name} /> <State of={of.state} tone={of.state === "ok" ? "ok" : of.state === "failing" ? "bad" : "neutral"} />
        </h3>
        {may.admin && (
          <div className="row">
            <Button onClick={() => test.mutate(undefined)} disabled={test.isPending}>
              {test.isPending ? text.testing : text.test}
            </Button>
            <Button onClick={edit}>{text.edit}</Button>
            <Button onClick={() => turn.mutate(!of.enabled)}>{of.enabled ? text.disable : text.enable}</Button>
            <Button tone="danger" onClick={() => setEnding(true)}>
              {text.deleteLabel}
            </Button>
          </div>
        )}
      </div>
      {tried && (
        <Note tone={tried.ok ? "ok" : "bad"}>
          {tried.ok ? text.deliveredInDurationMsMs(tried.duration_ms) : <Text of={tried.error} none={text.deliveryFailed} />}
        </Note>
      )}
      {of.last_error && (
        <Note tone="bad">{text.lastErrorNextAttemptNextAttempt(<Text of={of.last_error} />, <When at={of.next_attempt_at} />)}</Note>
      )}
      <Facts
        of={[
          [text.destination, <code key="u">{of.url}</code>],
          [text.format, of.format],
          [text.lastSent, <When key="l" at={of.last_sent_at} />],
          [text.waiting, of.lag.toLocaleString("en")],
          [text.dropped, of.skipped ? of.skipped.toLocaleString("en") : ""],
        ]}
      />
      {ending && (
        <DeleteFirst
          close={() => setEnding(false)}
          title={text.deleteTheStreamName(of.name)}
          lead={text.noFurtherEntriesAreSentUndelivered}
          verb={text.deleteLabel}
          path={path}
          list="/settings/audit-streams"
          version={of.version}
          done={text.streamDeleted}
        />
      )}
    </section>
  );
}
