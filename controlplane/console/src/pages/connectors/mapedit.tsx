import { useState } from "react";
import * as text from "#text/mappings";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { SelectField } from "../../kit/form";
import { again, type Kind, optional } from "./kinds";
import { isNamed, RuleFields } from "./rule";

type Props = { of: Connector; mapping: Of<"ConnectorMapping">; among: Of<"Mappings">; close: () => void };

const map = ["map", text.mapToAField] as const;
const ignore = ["ignore", text.ignore] as const;
const none = ["none", text.noMappingKeepTheConnectorsValue] as const;

/** Changes what becomes of one field, with what would come of it on a few real records. */
export function EditMapping({ of: c, mapping: m, among, close }: Props) {
  const [action, setAction] = useState<"map" | "ignore" | "none">(m.action);
  const [target, setTarget] = useState(m.target_field ?? "");
  const [transform, setTransform] = useState(m.transform ?? "");
  const save = useAct({
    act: (_, key) => {
      const more = { key, ifMatch: among.mapping_version };
      if (action === "none") {
        const mappings = among.mappings.filter((o) => o.id !== m.id).map(again);
        return ask("PUT", `/connectors/${c.id}/mappings`, { ...more, body: { mappings } });
      }
      const body = action === "ignore" ? { action } : { action, target_field: target, transform: transform || null };
      return ask("PATCH", `/connectors/${c.id}/mappings/${m.id}`, { ...more, body });
    },
    changes: [`/connectors/${c.id}`],
    done: text.savedTheNextSyncIsA,
    quiet: true,
  });
  return (
    <ConfirmDialog
      open
      wide
      close={close}
      title={text.editMappingOfSourcePath(<code>{m.source_path}</code>)}
      verb={text.save}
      disabled={action === "map" && !isNamed(target)}
      act={() => save.mutateAsync()}
    >
      <SelectField label={text.action} value={action} set={setAction} options={optional(m.object) ? [map, ignore, none] : [map, ignore]} />
      {action === "map" && (
        <RuleFields
          connector={c.id}
          object={m.object as Kind}
          path={m.source_path}
          fields={among.target_fields}
          target={target}
          setTarget={setTarget}
          transform={transform}
          setTransform={setTransform}
        />
      )}
    </ConfirmDialog>
  );
}
