import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { SelectField } from "../../kit/form";
import { isNamed, RuleFields } from "./rule";

type Props = { of: Connector; mapping: Of<"ConnectorMapping">; version: number; fields: Of<"TargetFields">; close: () => void };

/** Changes what becomes of one field, with what would come of it on a few real records. */
export function EditMapping({ of: c, mapping: m, version, fields, close }: Props) {
  const [action, setAction] = useState<"map" | "ignore">(m.action);
  const [target, setTarget] = useState(m.target_field ?? "");
  const [transform, setTransform] = useState(m.transform ?? "");
  const save = useAct({
    act: (_, key) =>
      ask("PATCH", `/connectors/${c.id}/mappings/${m.id}`, {
        key,
        ifMatch: version,
        body: action === "ignore" ? { action } : { action, target_field: target, transform: transform || null },
      }),
    changes: [`/connectors/${c.id}`],
    done: "Saved. The next run reads everything.",
    quiet: true,
  });
  return (
    <AskFirst
      open
      wide
      close={close}
      title={
        <>
          Change what becomes of <code>{m.source_path}</code>
        </>
      }
      verb="Save"
      disabled={action === "map" && !isNamed(target)}
      act={() => save.mutateAsync()}
    >
      <SelectField
        label="What is done with it"
        value={action}
        set={setAction}
        options={
          [
            ["map", "It fills a field of ours"],
            ["ignore", "It is ignored"],
          ] as const
        }
      />
      {action === "map" && (
        <RuleFields
          connector={c.id}
          object={m.object}
          path={m.source_path}
          fields={fields}
          target={target}
          setTarget={setTarget}
          transform={transform}
          setTransform={setTransform}
        />
      )}
    </AskFirst>
  );
}
