import { useState } from "react";
import * as text from "#text/mappings";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { SelectField } from "../../kit/form";
import { masked } from "../wizard/fields";
import { again, type Kind, kindsOf, kindWords } from "./kinds";
import { isNamed, RuleFields } from "./rule";

type Props = { of: Connector; mappings: Of<"Mappings">; schema: Of<"SchemaSnapshot">; close: () => void };

/** Maps a field that has no mapping yet, or one to a further field, and previews the result on a few records. */
export function AddMapping({ of: c, mappings, schema, close }: Props) {
  const offered = kindsOf(c.purpose).filter((k) => fieldsOf(schema, k).length > 0);
  const [kind, setKind] = useState<Kind>(offered.at(-1) ?? "identity");
  const [path, setPath] = useState("");
  const [target, setTarget] = useState("");
  const [transform, setTransform] = useState("");
  const choose = (k: Kind) => {
    setKind(k);
    setPath("");
    setTarget("");
  };
  const save = useAct({
    act: (_, key) => {
      const rule = { object: kind, source_path: path, action: "map" as const, target_field: target, ...(transform ? { transform } : {}) };
      return ask("PUT", `/connectors/${c.id}/mappings`, {
        key,
        ifMatch: mappings.mapping_version,
        body: { mappings: [...withoutIgnored(mappings.mappings, kind, path).map(again), rule] },
      });
    },
    changes: [`/connectors/${c.id}`],
    done: text.mappingSavedTheNextSyncIs,
    quiet: true,
  });
  return (
    <ConfirmDialog
      open
      wide
      close={close}
      title={text.mapAField}
      verb={text.save}
      disabled={path === "" || !isNamed(target)}
      act={() => save.mutateAsync()}
    >
      <div className="fields">
        <SelectField label={text.records} value={kind} set={choose} options={offered.map((k) => [k, kindWords[k]] as const)} />
        <SelectField
          label={text.sourceField}
          value={path}
          set={(v: string) => setPath(v)}
          none={text.selectAField}
          required
          options={fieldsOf(schema, kind).map((f) => [f, f] as const)}
        />
      </div>
      {path && (
        <RuleFields
          connector={c.id}
          object={kind}
          path={path}
          fields={mappings.target_fields}
          target={target}
          setTarget={setTarget}
          transform={transform}
          setTransform={setTransform}
        />
      )}
    </ConfirmDialog>
  );
}

/** The names of the fields that records of a kind have; secrets are never mapped. */
function fieldsOf(schema: Of<"SchemaSnapshot">, kind: Kind): string[] {
  const fields = schema.objects.filter((o) => o.kind === kind).flatMap((o) => o.fields ?? []);
  return [...new Set(fields.filter((f) => !masked(f)).map((f) => f.name))].sort();
}

/** All mappings but the one that ignores a field. */
const withoutIgnored = (all: Of<"ConnectorMapping">[], kind: Kind, path: string) =>
  all.filter((m) => m.action !== "ignore" || m.object !== kind || m.source_path !== path);
