import type { Of } from "../../api/types";
import { TextField } from "../../kit/form";
import type { Kind } from "./kinds";
import { Trial } from "./preview";
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
        label="Transform"
        mono
        rows={2}
        value={transform}
        set={setTransform}
        max={4096}
        hint="A Python expression of value and record, such as value.strip().lower(). Leave empty to keep the value."
      />
      {isNamed(target) && <Trial of={connector} rule={{ object, source_path: path, target_field: target, transform }} />}
    </>
  );
}
