import * as text from "#text/mappings";
import type { Of } from "../../api/types";
import { TextField } from "../../kit/form";
import type { Kind } from "./kinds";
import { MappingPreview } from "./preview";
import { TargetField } from "./target-fields";

type Props = {
  connector: string;
  object: Kind;
  /** The field of the source. */
  path: string;
  fields: Of<"TargetFields">;
  target: string;
  setTarget: (to: string) => void;
  transform: string;
  setTransform: (to: string) => void;
};

/** Whether a field of ours is named: an attribute of one's own needs a name yet. */
export const isNamed = (target: string) => target !== "" && target !== "attributes.";

/** What a field of the source fills, by which transform, and what comes of it on a few real records. */
export function RuleFields({ connector, object, path, fields, target, setTarget, transform, setTransform }: Props) {
  return (
    <>
      <TargetField of={fields} object={object} value={target} set={setTarget} />
      <TextField
        label={text.transform}
        mono
        rows={2}
        value={transform}
        set={setTransform}
        max={4096}
        hint={text.aPythonExpressionOfValueAnd}
      />
      {isNamed(target) && <MappingPreview of={connector} rule={{ object, source_path: path, target_field: target, transform }} />}
    </>
  );
}
