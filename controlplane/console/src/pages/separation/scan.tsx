import { useQueryClient } from "@tanstack/react-query";
import { ScanSearch } from "lucide-react";
import { useEffect, useRef } from "react";
import * as text from "#text/separation";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { Button, When } from "../../kit/kit";

type Scan = Of<"SeparationScan">;

const path = "/policies/separation-of-duties/scan";
const live = (s: Scan | undefined) => s?.state === "waiting" || s?.state === "running";

/** The last or current scan of all people. Before the first one there is none. */
function useScan(enabled: boolean) {
  const queries = useQueryClient();
  const busy = useRef(false);
  const scan = useGet<Scan>(path, {}, { enabled, every: () => (busy.current ? 1500 : 20_000) });
  const running = live(scan.data);
  useEffect(() => {
    if (busy.current && !running) void queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/policies/") });
    busy.current = running;
  }, [running, queries]);
  return scan;
}

/** Starts a scan of all people for violations. */
export function ScanButton() {
  const may = useMay();
  const scan = useScan(may.oversees);
  const start = useAct<void, Scan>({ act: (_, key) => ask("POST", path, { key }), done: text.scanStarted, changes: [path] });
  if (!may.admin) return null;
  return (
    <Button disabled={live(scan.data)} onClick={() => start.mutate()}>
      <ScanSearch aria-hidden size={15} /> {text.scanNow}
    </Button>
  );
}

/** How far the scan has come, or what the last one found. */
export function ScanProgress() {
  const may = useMay();
  const scan = useScan(may.oversees);
  const cancel = useAct<void, Scan>({ act: (_, key) => ask("DELETE", path, { key }), done: text.scanCancelled, changes: [path] });
  if (!may.oversees) return null;
  const s = scan.data;
  if (!s) return scan.error instanceof Refusal && scan.error.status === 404 ? <p className="small muted">{text.noScanYet}</p> : null;
  if (live(s))
    return (
      <section className="card padded scan-progress" aria-label={text.scanOfPeople} aria-live="polite">
        <div className="grow stack tight">
          <p className="small">
            {s.total ? text.evaluatedOf(number(s.done), number(s.total)) : text.scanWaits} {s.total > 0 && text.foundSoFar(s.found)}{" "}
            <span className="muted">{text.scanCauses[s.cause ?? ""]}</span>
          </p>
          <Bar
            label={text.scanOfPeople}
            of={[
              { words: text.peopleEvaluated, value: s.done, tone: 1 },
              { words: text.peopleWaiting, value: Math.max(0, s.total - s.done), tone: 0 },
            ]}
          />
        </div>
        {may.admin && <Button onClick={() => cancel.mutate()}>{text.cancelScan}</Button>}
      </section>
    );
  return (
    <p className="small muted" aria-live="polite">
      {s.state === "completed"
        ? text.lastScanAt(<When at={s.finished_at} />, s.total, s.found, s.remediated)
        : s.state === "cancelled"
          ? text.scanWasCancelledAt(<When at={s.finished_at} />)
          : text.noScanYet}
    </p>
  );
}
