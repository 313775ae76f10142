import * as text from "#text/wizard";
import type { Of } from "../../api/types";
import { SelectField } from "../../kit/form";

export type WriteMode = Of<"ProvisioningView">["write_mode"];

const modes = [
  ["off", text.offOnlyReadTheSystem],
  ["simulate", text.simulatePlanChangesSendNothing],
  ["auto", text.onCreateChangeAndDisableAccounts],
] as const;

/** Asks whether changes may be written to a new system. Without a choice nothing is written. */
export function WritingChoice({ value, set }: { value: WriteMode; set: (m: WriteMode) => void }) {
  return (
    <div className="card padded">
      <SelectField
        label={text.writing}
        value={value}
        set={(m) => set(m as WriteMode)}
        options={modes}
        hint={text.theFirstSyncOnlyReadsStart}
      />
    </div>
  );
}
