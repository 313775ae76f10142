import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleX, LoaderCircle, Play } from "lucide-react";
import { useRef, useState } from "react";
import { follow } from "../../api/stream";
import type { Of } from "../../api/types";
import { Verbatim } from "../../kit/elements";
import { Button, Note, Problems, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { checkName, type Step, stepSummary, verbatim } from "./probetext";
import type { Setting } from "./settings";

type Result = Of<"TestResponse">;
type LastTest = Of<"LastTest">;

/** A test that runs, or has run, in this window. */
export type Probing = {
  busy: boolean;
  steps: Step[];
  result?: Result | undefined;
  refused?: unknown;
  run: () => Promise<void>;
  stop: () => void;
  forget: () => void;
};

const tries = 3;

/** Tests a connector, and hears of each check as it ends. before saves what was typed; it says no where that was refused. */
export function useProbe(id: string, before: () => Promise<boolean>): Probing {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [steps, setSteps] = useState<Step[]>([]);
  const [result, setResult] = useState<Result>();
  const [refused, setRefused] = useState<unknown>();
  const control = useRef<AbortController>(undefined);
  const forget = () => {
    setSteps([]);
    setResult(undefined);
    setRefused(undefined);
  };
  const run = async () => {
    forget();
    setBusy(true);
    const stop = new AbortController();
    control.current = stop;
    let cuts = 0;
    try {
      if (!(await before())) return;
      await follow(`/connectors/${id}/test?stream=true`, {
        method: "POST",
        signal: stop.signal,
        ends: (t) => t.event === "result",
        told: (t) => {
          if (t.event === "step") setSteps((was) => [...was, t.data as Step]);
          if (t.event === "result") {
            setResult(t.data as Result);
            setSteps((t.data as Result).steps ?? []);
          }
        },
        cut: (lost) => {
          if (!lost) return;
          setSteps([]); // it is tested anew
          if (++cuts < tries) return;
          setRefused(new Error("The service could not be reached. Try again."));
          stop.abort();
        },
      });
    } catch (e) {
      setRefused(e);
    } finally {
      setBusy(false);
      await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith(`/connectors/${id}`) });
    }
  };
  return { busy, steps, result, refused, run, stop: () => control.current?.abort(), forget };
}

/** Why the service did not let a test out, at the setting that leads there. */
export const blockedByAgent = ({ result }: Probing, f: Setting) =>
  result?.pointer === `#/connection/${f.key}` ? result.error?.message : undefined;

type ProbeProps = {
  of: Probing;
  last: LastTest | null;
  changed: boolean;
  missing: string[];
  /** Why what was typed could not be saved, and so cannot be tested. */
  unsaved?: unknown;
};

/** The checks of a connection test, each with its time and, where it failed, the target's own words. */
export function Probe({ of, last, changed, missing, unsaved }: ProbeProps) {
  const { result } = of;
  // Beside the button that was pressed: why nothing is tested.
  const refused = of.refused ?? unsaved;
  return (
    <section className="card padded stack tight wizard-probe" aria-label="Connection test">
      <div className="row between">
        <h2>Connection test</h2>
        <Verdict of={of} last={last} changed={changed} />
      </div>
      <div aria-live="polite">
        <ol className="wizard-checks">
          {of.steps.map((s, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: checks come in their order and stay
            <Check key={i} of={s} />
          ))}
          {of.busy && (
            <li className="muted small">
              <LoaderCircle aria-hidden size={16} className="wizard-spin" />
              <span>{of.steps.length === 0 ? "Contacting the target…" : "Waiting for the next response…"}</span>
            </li>
          )}
        </ol>
      </div>
      {result?.error && !of.steps.some((s) => !s.ok) && <TargetError of={result.error} />}
      {result?.warnings?.map((w) => (
        <Note key={w.code} tone="warn">
          <span dir="auto">{w.message}</span>
        </Note>
      ))}
      <Problems of={refused} />
      {!of.busy && of.steps.length === 0 && !refused && <Before last={last} changed={changed} missing={missing} />}
      <div className="row">
        {of.busy ? (
          <Button reads onClick={of.stop}>
            Stop
          </Button>
        ) : (
          <Button tone="primary" disabled={missing.length > 0} onClick={() => void of.run()}>
            <Play aria-hidden size={14} /> Test connection
          </Button>
        )}
        {result && !of.busy && (
          <span className="small faint">
            {result.duration_ms} ms
            {result.executed_by?.mode === "agent" ? `, by the agent on ${result.executed_by.hostname ?? "its host"}` : ""}
          </span>
        )}
      </div>
    </section>
  );
}

function Verdict({ of, last, changed }: { of: Probing; last: LastTest | null; changed: boolean }) {
  if (of.busy) return <State of="testing" words="Testing" />;
  if (last && (changed || (!of.result && !last.current))) return <State of="warning" words="Changed after the test" />;
  const ok = of.result ? of.result.success : last?.success;
  if (ok === undefined) return <State of="new" words="Not tested" />;
  return ok ? <State of="passed" words="Passed" /> : <State of="failed" words="Failed" />;
}

function Before({ last, changed, missing }: { last: LastTest | null; changed: boolean; missing: string[] }) {
  if (missing.length > 0) return <p className="small muted">Missing: {missing.join(", ")}.</p>;
  if (last && (changed || !last.current))
    return <p className="small muted">Settings have changed since the last test. Test again to continue.</p>;
  if (!last) return <p className="small muted">Shows each check with the response of the target.</p>;
  return (
    <div className="small stack tight">
      <p className="muted">
        Tested <When at={last.at} />, in {last.duration_ms} ms. Test again to see the checks.
      </p>
      {last.error && <Verbatim label="Response of the target">{`${last.error.code}: ${last.error.message}`}</Verbatim>}
    </div>
  );
}

function Check({ of }: { of: Step }) {
  const said = verbatim(of);
  return (
    <li>
      {of.ok ? (
        <CircleCheck aria-label="passed" size={18} className="wizard-ok" />
      ) : (
        <CircleX aria-label="failed" size={18} className="wizard-bad" />
      )}
      <div className="grow stack tight">
        <div className="row between">
          <strong>{checkName(of.name)}</strong>
          <span className="small faint num">{of.ms} ms</span>
        </div>
        {stepSummary(of) && (
          <span className="small muted wizard-said" dir="auto">
            {stepSummary(of)}
          </span>
        )}
        {!of.ok && said && (
          <Verbatim label={`Response of the target: ${checkName(of.name)}`} copy>
            {said}
          </Verbatim>
        )}
        {!of.ok && of.hint && <span className="small">{of.hint}</span>}
        {of.ok && of.http && (
          <details className="small">
            <summary data-reads="">Response</summary>
            <Verbatim label={`Response of the target: ${checkName(of.name)}`}>{said}</Verbatim>
          </details>
        )}
      </div>
    </li>
  );
}

/** What the target, the network or an agent answered, and how to mend it. */
export function TargetError({ of }: { of: Of<"ErrorDetail"> }) {
  const said = of.target ? verbatim(of.target) : "";
  return (
    <Note tone="bad">
      <p dir="auto">
        {of.message} <code className="faint">{of.code}</code>
      </p>
      {said && <Verbatim label="Response of the target">{said}</Verbatim>}
      {of.hint && <p className="small">{of.hint}</p>}
    </Note>
  );
}
