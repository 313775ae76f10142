import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleX, LoaderCircle, Play } from "lucide-react";
import { useRef, useState } from "react";
import * as text from "#text/wizard";
import { followStream } from "../../api/stream";
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
      await followStream(`/connectors/${id}/test?stream=true`, {
        method: "POST",
        signal: stop.signal,
        ends: (t) => t.event === "result",
        event: (t) => {
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
    <section className="card padded stack tight wizard-probe" aria-label={text.connectionTest}>
      <div className="row between">
        <h2>{text.connectionTest}</h2>
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
              <span>{of.steps.length === 0 ? text.contactingTheTarget : text.waitingForTheNextResponse}</span>
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
            {text.stop}
          </Button>
        ) : (
          <Button tone="primary" disabled={missing.length > 0} onClick={() => void of.run()}>
            <Play aria-hidden size={14} /> {text.testConnection}
          </Button>
        )}
        {result && !of.busy && (
          <span className="small faint">
            {result.executed_by?.mode === "agent"
              ? text.durationMsMsByTheAgent(result.duration_ms, result.executed_by.hostname ?? text.itsHost)
              : text.durationMsMs(result.duration_ms)}
          </span>
        )}
      </div>
    </section>
  );
}

function Verdict({ of, last, changed }: { of: Probing; last: LastTest | null; changed: boolean }) {
  if (of.busy) return <State of="testing" words={text.testing} />;
  if (last && (changed || (!of.result && !last.current))) return <State of="warning" words={text.changedAfterTheTest} />;
  const ok = of.result ? of.result.success : last?.success;
  if (ok === undefined) return <State of="new" words={text.notTested} />;
  return ok ? <State of="passed" words={text.passed} /> : <State of="failed" words={text.failed} />;
}

function Before({ last, changed, missing }: { last: LastTest | null; changed: boolean; missing: string[] }) {
  if (missing.length > 0) return <p className="small muted">{text.missingMissingText(missing.join(", "))}</p>;
  if (last && (changed || !last.current)) return <p className="small muted">{text.settingsHaveChangedSinceTheLast}</p>;
  if (!last) return <p className="small muted">{text.showsEachCheckWithTheResponse}</p>;
  return (
    <div className="small stack tight">
      <p className="muted">{text.testedAtInDurationMsMs(<When at={last.at} />, last.duration_ms)}</p>
      {last.error && <Verbatim label={text.responseOfTheTarget}>{`${last.error.code}: ${last.error.message}`}</Verbatim>}
    </div>
  );
}

function Check({ of }: { of: Step }) {
  const said = verbatim(of);
  return (
    <li>
      {of.ok ? (
        <CircleCheck aria-label={text.passedLower} size={18} className="wizard-ok" />
      ) : (
        <CircleX aria-label={text.failedLower} size={18} className="wizard-bad" />
      )}
      <div className="grow stack tight">
        <div className="row between">
          <strong>{checkName(of.name)}</strong>
          <span className="small faint num">{text.msMs(of.ms)}</span>
        </div>
        {stepSummary(of) && (
          <span className="small muted wizard-status" dir="auto">
            {stepSummary(of)}
          </span>
        )}
        {!of.ok && said && (
          <Verbatim label={text.responseOfTheTargetCheckName(checkName(of.name))} copy>
            {said}
          </Verbatim>
        )}
        {!of.ok && of.hint && <span className="small">{of.hint}</span>}
        {of.ok && of.http && (
          <details className="small">
            <summary data-reads="">{text.response}</summary>
            <Verbatim label={text.responseOfTheTargetCheckName(checkName(of.name))}>{said}</Verbatim>
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
      {said && <Verbatim label={text.responseOfTheTarget}>{said}</Verbatim>}
      {of.hint && <p className="small">{of.hint}</p>}
    </Note>
  );
}
