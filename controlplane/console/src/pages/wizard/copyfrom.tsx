import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { count } from "../../kit/count";
import { AskFirst } from "../../kit/dialog";
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
      <Button onClick={() => setAsking(true)}>Copy from another instance</Button>
      <AskFirst
        open={asking}
        close={() => setAsking(false)}
        wide
        title="Copy mappings from another connector"
        lead="The copied mappings replace your decisions about the same fields."
        verb={`Copy ${count(from.fitting, "mapping")}`}
        disabled={from.fitting === 0}
        act={async () => {
          if (changed) await first();
          const done = await ask<Of<"CopiedMappings">>("POST", `/connectors/${id}/mappings/copy-from/${from.connector_id}`, {
            key: crypto.randomUUID(),
          });
          await copied();
          showToast(`${count(done.copied, "mapping")} of ${from.name} copied`);
        }}
      >
        <SelectField
          label="From"
          value={from.connector_id}
          set={choose}
          options={sources.map(
            (s) =>
              [
                s.connector_id,
                `${s.name} (${s.environment}): ${count(s.fitting, "mapping fits", "mappings fit")}${s.misfits.length ? `, ${s.misfits.length} do not` : ""}`,
              ] as const,
          )}
        />
        {from.misfits.length > 0 && (
          <Note tone="warn">
            These mappings do not fit and are omitted:
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
            {from.misfits.length > 20 && <p>And {from.misfits.length - 20} more.</p>}
          </Note>
        )}
      </AskFirst>
    </>
  );
}
