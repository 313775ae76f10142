import { useEffect, useRef, useState } from "react";
import * as text from "#text/separation";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { Button, Note, Problems, Skeleton } from "../../kit/kit";
import { ImpactOf } from "./impact";
import { SimulationResults } from "./simulationresults";

type Simulation = Of<"SeparationSimulation">;

const all = "/policies/separation-of-duties/simulations";
const isLive = (s: Simulation | undefined) => s?.state === "waiting" || s?.state === "running";

/** What was started: the body that was sent, and the simulation or the refusal. */
type Started = { of?: string; id?: string; error?: unknown; starting?: boolean };

/** Runs a simulation over all people in the background. It is cancelled when another one is started, and when its screen is left. */
export function useSimulation(path: string) {
  const [started, setStarted] = useState<Started>({});
  const current = useRef<{ id?: string; live: boolean; left: boolean }>({ live: false, left: false });
  const found = useGet<Simulation>(
    `${all}/${started.id}`,
    {},
    {
      enabled: started.id !== undefined,
      every: () => (current.current.live ? 700 : false),
    },
  );
  const simulation = started.id ? found.data : undefined;
  const busy = started.starting === true || (started.id !== undefined && !found.error && (!simulation || isLive(simulation)));
  current.current.live = busy;
  const end = (id: string | undefined) => (id ? ask("POST", `${all}/${id}/cancel`).catch(() => undefined) : Promise.resolve());
  // biome-ignore lint/correctness/useExhaustiveDependencies: it acts when the screen is left
  useEffect(() => {
    current.current.left = false;
    return () => {
      const c = current.current;
      c.left = true;
      if (c.live && c.id) void end(c.id);
    };
  }, []);
  const run = async (body?: object) => {
    const before = current.current;
    if (before.live) void end(before.id);
    const mine = { live: true, left: false };
    current.current = mine;
    const of = JSON.stringify(body);
    setStarted({ of, starting: true });
    try {
      const made = await ask<Simulation>("POST", path, body ? { body } : {});
      if (current.current !== mine || mine.left) return void end(made.id);
      current.current.id = made.id;
      setStarted({ of, id: made.id });
    } catch (error) {
      if (current.current === mine) setStarted({ of, error });
    }
  };
  const stop = async () => {
    await end(current.current.id);
    await found.refetch();
  };
  const impact = simulation?.state === "completed" ? (simulation.impact ?? undefined) : undefined;
  return { of: started.of, error: started.error ?? (started.id ? found.error : undefined), simulation, impact, busy, run, stop };
}

export type Simulating = ReturnType<typeof useSimulation>;

/** What a simulation has found, how far it is, or why it has no result. */
export function SimulationResult({ of: s, unsaved }: { of: Simulating; unsaved?: string }) {
  if (s.busy) return <Progress of={s.simulation} stop={() => void s.stop()} />;
  if (s.error) return <Problems of={s.error} />;
  if (!s.simulation) return null;
  if (!s.impact)
    return (
      <Note tone={s.simulation.state === "failed" ? "bad" : "info"}>{text.simulationEnds[s.simulation.failure ?? s.simulation.state]}</Note>
    );
  return (
    <div className="stack">
      {unsaved !== undefined && s.of !== unsaved && <p className="small muted">{text.previewAgain}</p>}
      <ImpactOf of={s.impact} />
      <SimulationResults of={s.simulation} />
    </div>
  );
}

function Progress({ of: s, stop }: { of: Simulation | undefined; stop: () => void }) {
  return (
    <div className="stack tight" aria-live="polite">
      <div className="row">
        <span className="small muted" role="status">
          {s?.total ? text.evaluatedOf(number(s.done), number(s.total)) : text.simulationWaits}
        </span>
        {s && (
          <Button reads tone="quiet" onClick={stop}>
            {text.cancel}
          </Button>
        )}
      </div>
      {s?.total ? (
        <Bar
          label={text.simulation}
          of={[
            { words: text.peopleEvaluated, value: s.done, tone: 1 },
            { words: text.peopleWaiting, value: Math.max(0, s.total - s.done), tone: 0 },
          ]}
        />
      ) : (
        <Skeleton rows={3} />
      )}
    </div>
  );
}
