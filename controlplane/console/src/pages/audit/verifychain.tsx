import { useEffect, useRef, useState } from "react";
import * as text from "#text/audit";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { Bar } from "../../kit/elements";
import { Button, Failure, Note } from "../../kit/kit";
import { Checkpoints } from "./checkpoints";
import { breakWords } from "./words";

type Verdict = Of<"Verdict">;
type Checked = { entries: number; checkpoints: number; last: Verdict };

/** Has the service follow the chain of the log, in parts where it is long, and says plainly what came of it. */
export function VerifyChain() {
  const [at, setAt] = useState<Checked>();
  const [running, setRunning] = useState(false);
  const [failed, setFailed] = useState<unknown>();
  const [shown, setShown] = useState(false);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []); // whoever leaves the page does not wait for it any more
  const check = async () => {
    const control = new AbortController();
    stop.current = control;
    setRunning(true);
    setFailed(undefined);
    setAt(undefined);
    try {
      let entries = 0;
      let checkpoints = 0;
      for (let from: number | undefined = undefined as number | undefined; ; ) {
        const v: Verdict = await ask<Verdict>("GET", "/audit-events/verify", { query: { from_seq: from }, signal: control.signal });
        entries += v.checked;
        checkpoints += v.checkpoints;
        setAt({ entries, checkpoints, last: v });
        if (!v.ok || !v.next_seq) break;
        from = v.next_seq;
      }
    } catch (e) {
      if (!control.signal.aborted) setFailed(e);
    } finally {
      setRunning(false);
    }
  };
  return (
    <section className="stack tight" aria-label={text.integrityOfTheLog}>
      <div className="row">
        {running ? (
          <Button reads onClick={() => stop.current?.abort()}>
            {text.stop}
          </Button>
        ) : (
          <Button reads onClick={() => void check()}>
            {text.verifyIntegrity}
          </Button>
        )}
        <Button reads tone="quiet" onClick={() => setShown(true)}>
          {text.checkpointsAndKeys}
        </Button>
      </div>
      <div aria-live="polite">
        {failed ? <Failure error={failed} retry={() => void check()} /> : null}
        {at && <Result of={at} running={running} />}
      </div>
      <Checkpoints open={shown} close={() => setShown(false)} />
    </section>
  );
}

function Result({ of, running }: { of: Checked; running: boolean }) {
  const v = of.last;
  const n = (x: number) => x.toLocaleString("en");
  if (!v.ok)
    return (
      <Note tone="bad">
        {text.strongBreakWordsFirstAffectedEntry(
          <strong>{text.theLogWasAltered}</strong>,
          breakWords(v.first_break?.kind ?? ""),
          n(v.first_break?.seq ?? 0),
          v.first_break?.detail,
        )}
      </Note>
    );
  if (running || v.next_seq)
    return (
      <Note>
        <p>
          {running ? text.nOfN2EntriesVerified(n(of.entries), n(v.head.seq)) : text.nOfN2EntriesVerifiedThe(n(of.entries), n(v.head.seq))}
        </p>
        <Bar
          label={text.progress}
          of={[
            { words: text.checked, value: v.to_seq, tone: 4 },
            { words: text.notVerifiedYet, value: Math.max(0, v.head.seq - v.to_seq), tone: 0 },
          ]}
        />
      </Note>
    );
  return (
    <Note tone="ok">
      {of.checkpoints === 1
        ? text.strongAllNEntriesUpTo(
            <strong>{text.theLogIsIntact}</strong>,
            n(of.entries),
            n(v.to_seq),
            <code className="audit-hash">{v.head.hash}</code>,
          )
        : text.strongAllNEntriesUpToLower(
            <strong>{text.theLogIsIntact}</strong>,
            n(of.entries),
            n(v.to_seq),
            n(of.checkpoints),
            <code className="audit-hash">{v.head.hash}</code>,
          )}
    </Note>
  );
}
