import { Refusal } from "../api/session";
import { Button, Note } from "./kit";

/** What is said when somebody else has changed the same meanwhile (412): it can be read again without losing what was typed. */
export function Meanwhile({ refused, again }: { refused: unknown; again: () => void }) {
  if (!(refused instanceof Refusal) || refused.status !== 412) return null;
  return (
    <Note tone="warn">
      <div className="row between">
        <span>Somebody has changed this meanwhile. Read what is there now: what you typed stays.</span>
        <Button reads onClick={again}>
          Read it again
        </Button>
      </div>
    </Note>
  );
}
