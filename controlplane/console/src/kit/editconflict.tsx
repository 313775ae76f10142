import * as text from "#text/kit";
import { Refusal } from "../api/session";
import { Button, Note } from "./kit";

/** What is said when somebody else has changed the same meanwhile (412): it can be read again without losing what was typed. */
export function EditConflict({ refused, again }: { refused: unknown; again: () => void }) {
  if (!(refused instanceof Refusal) || refused.status !== 412) return null;
  return (
    <Note tone="warn">
      <div className="row between">
        <span>{text.someoneElseHasChangedThisReload}</span>
        <Button reads onClick={again}>
          {text.reload}
        </Button>
      </div>
    </Note>
  );
}
