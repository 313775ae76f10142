import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import * as text from "#text/syncruns";
import { followStream } from "../../api/stream";
import type { Of } from "../../api/types";
import { Bar } from "../../kit/elements";
import { Failure, Note, Part, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { n, runWords } from "./words";

type Run = Of<"Run">;
/** What the stream tells of a run; it holds the same members as the run itself. */
type Progress = Pick<Run, "status" | "phase" | "counters" | "chunks"> & Partial<Pick<Run, "message" | "rate_wait_until" | "estimate">>;

const ends = new Set(["sync.held", "sync.completed", "sync.failed", "sync.cancelled"]);
const kept = 40;

const figures = [
  [text.people, "identities_read", "identities"],
  [text.accounts, "accounts_discovered", "accounts"],
  [text.groupsAndRoles, "entitlements_mapped", "entitlements"],
  [text.grants, "grants_recorded", "grants"],
] as const;

/** A run while it goes on: counters, what it is doing, and since when. A stream that breaks is taken up again by itself. */
export function Live({ of: run }: { of: Run }) {
  const { now, log, lost, failed } = useProgress(run);
  const estimate = now.estimate ?? run.estimate ?? {};
  return (
    <Part title={text.syncInProgress} lead={text.youCanLeaveThisPageThe}>
      {failed !== undefined && <Failure error={failed} />}
      {lost && (
        <Note tone="warn">
          <span role="status">{text.theConnectionWasLostReconnectingThe}</span>
        </Note>
      )}
      {now.rate_wait_until && Date.parse(now.rate_wait_until) > Date.now() && (
        <Note>{text.theSystemLimitsTheRequestRate(<When at={now.rate_wait_until} />)}</Note>
      )}
      <dl className="connectors-figures" aria-live="off">
        {figures.map(([words, counter, whole]) => (
          <div key={counter} data-counter={counter}>
            <dt>{words}</dt>
            <dd>
              {n(now.counters[counter])}
              {estimate[whole] ? <small className="muted"> {text.ofAboutN(n(estimate[whole]))}</small> : null}
            </dd>
            <Bar label={words} of={bar(now.counters[counter], estimate[whole])} />
          </div>
        ))}
      </dl>
      <p className="row" aria-live="polite">
        <State of={now.status} words={runWords(now.status)} />
        <span className="muted">
          {now.message
            ? text.phaseMessageNChunksWritten(now.phase.replaceAll("_", " "), now.message, n(now.chunks))
            : text.phaseNChunksWritten(now.phase.replaceAll("_", " "), n(now.chunks))}
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached */}
      <section className="connectors-log mono" aria-label={text.progressMessages} tabIndex={0}>
        {log.length === 0 && <span className="faint">{text.noMessagesYet}</span>}
        {log.map((l) => (
          <span key={l.key}>
            <time dateTime={l.at}>{l.at.slice(11, 19)}</time> {l.words}
          </span>
        ))}
      </section>
    </Part>
  );
}

function bar(done: number, whole: number | undefined) {
  return [
    { words: text.read, value: done, tone: 1 as const },
    { words: text.notStarted, value: whole ? Math.max(0, whole - done) : done > 0 ? 0 : 1, tone: 0 as const },
  ];
}

/** Follows a run's events; when they end, everything that shows the run is read again. */
function useProgress(run: Run) {
  const queries = useQueryClient();
  const [now, setNow] = useState<Progress>(run);
  const [log, setLog] = useState<{ key: number; at: string; words: string }[]>([]);
  const [lost, setLost] = useState(false);
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => {
    const control = new AbortController();
    let lines = 0;
    let said = "";
    followStream(`/connectors/${run.connector_id}/sync-runs/${run.id}/events`, {
      signal: control.signal,
      ends: (t) => ends.has(t.event),
      cut: setLost,
      event: (t) => {
        const p = t.data as Progress;
        setNow((was) => ({ ...was, ...p }));
        const words = `${runWords(p.status)}: ${p.phase?.replaceAll("_", " ") ?? ""}${p.message ? `, ${p.message}` : ""}`;
        if (words === said) return;
        said = words;
        const line = { key: lines++, at: new Date().toISOString(), words };
        setLog((was) => [...was, line].slice(-kept));
      },
    })
      .catch(setFailed)
      .finally(() => {
        if (!control.signal.aborted) void queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/connectors") });
      });
    return () => control.abort();
  }, [run.connector_id, run.id, queries]);
  return { now, log, lost, failed };
}
