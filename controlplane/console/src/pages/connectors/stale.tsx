import { useQueryClient } from "@tanstack/react-query";
import * as text from "#text/connectors";
import { Refusal } from "../../api/session";
import { Button, Note } from "../../kit/kit";

/** Says that something was changed by somebody else meanwhile, and reads it again; what was typed stays, and can be sent over it. */
export function Stale({ of: refused, path }: { of: unknown; path: string }) {
  const queries = useQueryClient();
  if (!(refused instanceof Refusal) || refused.status !== 412) return null;
  return (
    <Note tone="warn">
      <div className="row between">
        <span>{text.someoneElseHasChangedTheseSettings}</span>
        <Button onClick={() => void queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith(path) })}>
          {text.reloadAndKeepMyInput}
        </Button>
      </div>
    </Note>
  );
}
