import { useState } from "react";
import * as text from "#text/mappings";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Skeleton } from "../../kit/kit";
import type { DiffRow } from "./diffrow";
import type { Kind } from "./kinds";
import { isNamed, RuleFields } from "./rule";

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
  return (
    <ConfirmDialog
      open
      wide
      close={close}
      title={text.mapPath(<code>{r.path}</code>)}
      verb={text.mapField}
      disabled={!isNamed(target)}
      act={async () => done(transform ? { target_field: target, transform } : { target_field: target })}
    >
      {mappings.data ? (
        <RuleFields
          connector={connector}
          object={r.object as Kind}
          path={r.path}
          fields={mappings.data.target_fields}
          target={target}
          setTarget={setTarget}
          transform={transform}
          setTransform={setTransform}
        />
      ) : (
        <Skeleton rows={3} />
      )}
    </ConfirmDialog>
  );
}
