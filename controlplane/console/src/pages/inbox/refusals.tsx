import * as text from "#text/inbox";
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
        <strong>{of.size === 1 ? text.oneDecisionFailed : text.decisionsFailed(of.size)}</strong>
        <Button reads tone="quiet" onClick={() => forget()}>
          {text.dismiss}
        </Button>
      </div>
      <ul className="inbox-error small">
        {rows.slice(0, shown).map(([id, r]) => (
          <li key={id}>
            <bdi>{r.title}</bdi>: {r.why}
          </li>
        ))}
      </ul>
      {rows.length > shown && <p className="small">{text.moreTasksTheListShowsThe(rows.length - shown)}</p>}
    </Note>
  );
}
