import { useState } from "react";
import * as text from "#text/wizard";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { ConfirmDialog } from "../../kit/dialog";
import { SelectField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { showToast } from "../../kit/toast";

type Source = Of<"CopySource">;

/** Takes over the mappings of another environment; what does not fit is shown before it is done. */
export function CopyFrom({
  id,
  sources,
  first,
  copied,
  changed,
}: {
  id: string;
  sources: Source[];
  first: () => Promise<boolean>;
  copied: () => Promise<void>;
  changed: boolean;
}) {
  const [asking, setAsking] = useState(false);
  const [chosen, choose] = useState(sources[0]?.connector_id ?? "");
  if (sources.length === 0) return null;
  const from = sources.find((s) => s.connector_id === chosen) ?? sources[0];
  if (!from) return null;
  return (
    <>
      <Button onClick={() => setAsking(true)}>{text.copyFromAnotherInstance}</Button>
      <ConfirmDialog
        open={asking}
        close={() => setAsking(false)}
        wide
        title={text.copyMappingsFromAnotherConnector}
        lead={text.theCopiedMappingsReplaceYourDecisions}
        verb={text.copyMappings(from.fitting)}
        disabled={from.fitting === 0}
        act={async () => {
          if (changed) await first();
          const done = await ask<Of<"CopiedMappings">>("POST", `/connectors/${id}/mappings/copy-from/${from.connector_id}`, {
            key: crypto.randomUUID(),
          });
          await copied();
          showToast(text.mappingsOfNameCopied(done.copied, from.name));
        }}
      >
        <SelectField
          label={text.from}
          value={from.connector_id}
          set={choose}
          options={sources.map(
            (s) =>
              [
                s.connector_id,
                s.misfits.length
                  ? text.nameEnvironmentMappingsFitCountDo(s.name, s.environment, s.fitting, s.misfits.length)
                  : text.nameEnvironmentMappingsFit(s.name, s.environment, s.fitting),
              ] as const,
          )}
        />
        {from.misfits.length > 0 && (
          <Note tone="warn">
            {text.theseMappingsDoNotFitAnd}
            <ul>
              {from.misfits.slice(0, 20).map((m) => (
                <li key={m.object + m.source_path}>
                  <code>
                    <bdi>{m.source_path}</bdi>
                  </code>
                  {m.target_field && <> → {m.target_field}</>}: {m.reason}
                </li>
              ))}
            </ul>
            {from.misfits.length > 20 && <p>{text.andCountMore(from.misfits.length - 20)}</p>}
          </Note>
        )}
      </ConfirmDialog>
    </>
  );
}
