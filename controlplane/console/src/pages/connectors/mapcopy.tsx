import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Failure, Note, Skeleton } from "../../kit/kit";
import { connectors, Pick, type Picked } from "../../kit/pick";
import { many } from "./words";

/** Takes over the mappings of another connector of the same type, such as the same system of another environment; shows first what would not fit. */
export function CopyMappings({ of: c, version, open, close }: { of: Connector; version: number; open: boolean; close: () => void }) {
  const [other, setOther] = useState<Picked | null>(null);
  const path = `/connectors/${c.id}/mappings/copy-from/${other?.id}`;
  const tried = useQuery({
    queryKey: ["copy", c.id, other?.id, version],
    queryFn: ({ signal }) => ask<Of<"CopiedMappings">>("POST", path, { query: { dry_run: true }, signal }),
    enabled: open && other !== null,
    retry: false,
  });
  const copy = useAct({
    act: (_, key) => ask<Of<"CopiedMappings">>("POST", path, { key, ifMatch: version }),
    changes: [`/connectors/${c.id}`],
    done: (r) => `${many(r.copied, "mapping")} copied. The next sync is a full sync.`,
    quiet: true,
  });
  return (
    <AskFirst
      open={open}
      close={close}
      title="Copy mappings from another connector"
      lead="Mappings that fit the fields of this source are copied. Other mappings stay unchanged."
      verb="Copy"
      disabled={!tried.data}
      act={() => copy.mutateAsync()}
    >
      <Pick label="From" source={{ ...connectors, query: { type: c.type } }} value={other} set={setOther} required />
      {other && tried.isPending && <Skeleton rows={2} />}
      {tried.isError && <Failure error={tried.error} />}
      {tried.data && (
        <Note tone={tried.data.misfits.length > 0 ? "warn" : "ok"}>
          <p>
            {many(tried.data.copied, "mapping")} {many(tried.data.copied, "mapping")} would be copied.
          </p>
          {tried.data.misfits.length > 0 && (
            <ul>
              {tried.data.misfits.map((m) => (
                <li key={`${m.object} ${m.source_path}`}>
                  <code>{m.source_path}</code> cannot be copied: {m.reason}
                </li>
              ))}
            </ul>
          )}
        </Note>
      )}
    </AskFirst>
  );
}
