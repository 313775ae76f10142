import type { Of } from "../../api/types";
import { SelectField } from "../../kit/form";

export type WriteMode = Of<"ProvisioningView">["write_mode"];

const modes = [
  ["off", "Off: only read the system"],
  ["simulate", "Simulate: plan changes, send nothing"],
  ["auto", "On: create, change and disable accounts and access"],
] as const;

/** Asks whether changes may be written to a new system. Without a choice nothing is written. */
export function WritingChoice({ value, set }: { value: WriteMode; set: (m: WriteMode) => void }) {
  return (
    <div className="card padded">
      <SelectField
        label="Writing"
        value={value}
        set={(m) => set(m as WriteMode)}
        options={modes}
        hint="The first sync only reads. Start with Off, check the accounts and their owners, then turn on writing in the connector's settings."
      />
    </div>
  );
}
