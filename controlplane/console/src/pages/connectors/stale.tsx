import { useQueryClient } from "@tanstack/react-query";
import { Refusal } from "../../api/session";
import { Button, Note } from "../../kit/kit";

/** Says that something was changed by somebody else meanwhile, and reads it again; what was typed stays, and can be sent over it. */
export function Stale({ of: refused, path }: { of: unknown; path: string }) {
  const queries = useQueryClient();
  if (!(refused instanceof Refusal) || refused.status !== 412) return null;
  return (
    <Note tone="warn">
      <div className="row between">
        <span>Someone else has changed these settings. Your input is still here.</span>
        <Button onClick={() => void queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith(path) })}>
          Reload and keep my input
        </Button>
      </div>
    </Note>
  );
}
