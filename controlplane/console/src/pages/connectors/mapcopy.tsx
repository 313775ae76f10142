import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/mappings";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Failure, Note, Skeleton } from "../../kit/kit";
import { connectors, Pick, type Picked } from "../../kit/pick";

/** Takes over the mappings of another connector of the same type, such as the same system of another environment; shows first what would not fit. */
export function CopyMappings({ of: c, version, open, close }: { of: Connector; version: number; open: boolean; close: () => void }) {
  const [other, setOther] = useState<Picked | null>(null);
  const path = `/connectors/${c.id}/mappings/copy-from/${other?.id}`;
  const preview = useQuery({
    queryKey: ["copy", c.id, other?.id, version],
    queryFn: ({ signal }) => ask<Of<"CopiedMappings">>("POST", path, { query: { dry_run: true }, signal }),
    enabled: open && other !== null,
    retry: false,
  });
  const copy = useAct({
    act: (_, key) => ask<Of<"CopiedMappings">>("POST", path, { key, ifMatch: version }),
    changes: [`/connectors/${c.id}`],
    done: (r) => text.mappingsCopiedTheNextSyncIs(r.copied),
    quiet: true,
  });
  return (
    <ConfirmDialog
      open={open}
      close={close}
      title={text.copyMappingsFromAnotherConnector}
      lead={text.mappingsThatFitTheFieldsOf}
      verb={text.copy}
      disabled={!preview.data}
      act={() => copy.mutateAsync()}
    >
      <Pick label={text.from} source={{ ...connectors, query: { type: c.type } }} value={other} set={setOther} required />
      {other && preview.isPending && <Skeleton rows={2} />}
      {preview.isError && <Failure error={preview.error} />}
      {preview.data && (
        <Note tone={preview.data.misfits.length > 0 ? "warn" : "ok"}>
          <p>{text.mappingsWouldBeCopied(preview.data.copied)}</p>
          {preview.data.misfits.length > 0 && (
            <ul>
              {preview.data.misfits.map((m) => (
                <li key={`${m.object} ${m.source_path}`}>{text.sourcePathCannotBeCopiedReason(<code>{m.source_path}</code>, m.reason)}</li>
              ))}
            </ul>
          )}
        </Note>
      )}
    </ConfirmDialog>
  );
}
