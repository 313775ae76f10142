import * as text from "#text/mappings";
import type { Of } from "../../api/types";
import { SelectField, TextField } from "../../kit/form";
import type { Kind } from "./kinds";

const own = "attributes.";

/** Which of our fields is filled: one that every tenant has, or an attribute of one's own. */
export function TargetField({
  of,
  object,
  value,
  set,
  error,
}: {
  of: Of<"TargetFields">;
  object: Kind;
  value: string;
  set: (v: string) => void;
  error?: string | undefined;
}) {
  const known = of[object];
  const custom = value.startsWith(own);
  return (
    <div className="fields">
      <SelectField
        label={text.mapTo}
        value={custom ? own : value}
        set={(v: string) => set(v)}
        none={text.selectAField}
        options={[...known.map((f) => [f, f] as const), [own, text.customAttribute] as const]}
        error={custom ? undefined : error}
      />
      {custom && (
        <TextField
          label={text.attributeName}
          mono
          value={value.slice(own.length)}
          set={(v) => set(own + v)}
          error={error}
          required
          max={100}
        />
      )}
    </div>
  );
}
