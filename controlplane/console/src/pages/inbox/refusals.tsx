import { count } from "../../kit/count";
import { Button, Note } from "../../kit/kit";
import { forget } from "./decisions";

const shown = 50;

/** What could not be decided, task by task, with the service's reason; until it has been read. */
export function Refusals({ of }: { of: ReadonlyMap<string, { title: string; why: string }> }) {
  if (of.size === 0) return null;
  const rows = [...of];
  return (
    <Note tone="bad">
      <div className="row between">
        <strong>{of.size === 1 ? "One decision failed" : `${count(of.size, "decision")} failed`}</strong>
        <Button reads tone="quiet" onClick={() => forget()}>
          Dismiss
        </Button>
      </div>
      <ul className="inbox-refused small">
        {rows.slice(0, shown).map(([id, r]) => (
          <li key={id}>
            <bdi>{r.title}</bdi>: {r.why}
          </li>
        ))}
      </ul>
      {rows.length > shown && <p className="small">{count(rows.length - shown, "more task")}. The list shows the reason of each.</p>}
    </Note>
  );
}
