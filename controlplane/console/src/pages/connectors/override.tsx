import { useState } from "react";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Skeleton } from "../../kit/kit";
import type { DiffRow } from "./difftable";
import { Trial } from "./mapedit";
import { TargetField } from "./target-fields";

type Mapping = { target_field: string; transform?: string };

/** Chooses something else than what is proposed for a field. It is carried out with the other decisions. */
export function Override({
  connector,
  of: r,
  close,
  done,
}: {
  connector: string;
  of: DiffRow;
  close: () => void;
  done: (m: Mapping) => void;
}) {
  const mappings = useGet<Of<"Mappings">>(`/connectors/${connector}/mappings`);
  const [target, setTarget] = useState("");
  const [transform, setTransform] = useState("");
  const object = r.object === "account" ? "account" : "identity";
  const named = target && target !== "attributes.";
  return (
    <AskFirst
      open
      wide
      close={close}
      title={
        <>
          What <code>{r.path}</code> is to fill
        </>
      }
      verb="Choose this"
      disabled={!named}
      act={async () => done(transform ? { target_field: target, transform } : { target_field: target })}
    >
      {mappings.data ? (
        <TargetField of={mappings.data.target_fields} object={object} value={target} set={setTarget} />
      ) : (
        <Skeleton rows={1} />
      )}
      <TextField
        label="Transform"
        mono
        rows={2}
        value={transform}
        set={setTransform}
        max={4096}
        hint="A Python expression of value and record. Empty: the value as it is."
      />
      {named && <Trial of={connector} rule={{ object, source_path: r.path, target_field: target, transform }} />}
    </AskFirst>
  );
}
