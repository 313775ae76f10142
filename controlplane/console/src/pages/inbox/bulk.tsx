import { useRef, useState } from "react";
import * as text from "#text/inbox";
import { fetchPages } from "../../api/client";
import { Button } from "../../kit/kit";
import { showRefusal } from "../../kit/toast";
import { type Action, keysOf, sharedActions, type Task } from "./tasks";

const most = 10_000; // tasks that can be selected at once

type Props = {
  chosen: Task[];
  total: number;
  query: Record<string, string>;
  choose: (tasks: Task[], outside: boolean) => void;
  clear: () => void;
  act: (action: Action) => void;
  progress: string | undefined;
};

/** What can be done with everything that is selected: what all of it takes. */
export function Bulk({ chosen, total, query, choose, clear, act, progress }: Props) {
  const [reading, setReading] = useState<string>();
  const stop = useRef<AbortController>(undefined);
  const actions = sharedActions(chosen);
  const keys = [...keysOf(actions)];
  const all = async () => {
    const control = new AbortController();
    stop.current = control;
    try {
      setReading("0");
      choose(await fetchPages<Task>("/decision-tasks", query, most, (n) => setReading(n.toLocaleString("en")), control.signal), true);
    } catch (e) {
      if (!control.signal.aborted) showRefusal(e);
    } finally {
      setReading(undefined);
    }
  };
  return (
    <div className="bulk row" role="toolbar" aria-label={text.selection}>
      <strong aria-live="polite">{text.countSelected(chosen.length.toLocaleString("en"))}</strong>
      {progress ? (
        <span role="status">{text.savingDecisionsProgress(progress)}</span>
      ) : (
        actions.map((a) => {
          const key = keys.find(([, action]) => action === a.key)?.[0];
          return (
            <Button key={a.key} tone={key === "a" ? "primary" : a.style === "negative" ? "danger" : "plain"} onClick={() => act(a)}>
              {a.label}
              {a.requires.length > 0 && "…"}
              {key && <kbd aria-hidden>{key.toUpperCase()}</kbd>}
            </Button>
          );
        })
      )}
      {actions.length === 0 && <span className="small muted">{text.theseTasksHaveNoDecisionIn}</span>}
      {total > chosen.length && !reading && (
        <Button reads tone="quiet" onClick={() => void all()}>
          {text.selectAllTotal(total.toLocaleString("en"))}
        </Button>
      )}
      {reading && (
        <Button reads tone="quiet" onClick={() => stop.current?.abort()}>
          {text.loadingReadingStop(reading)}
        </Button>
      )}
      <Button reads tone="quiet" onClick={clear}>
        {text.clear}
      </Button>
    </div>
  );
}
