import { useState } from "react";
import * as text from "#text/separation";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { SelectField, TextField } from "../../kit/form";
import { Pick, type Picked, people } from "../../kit/pick";
import type { Conflict, Violation } from "./words";

/** What is chosen for a mitigation. */
export type MitigationChoice = { mitigation_policy_id?: string; duration?: string; owner_id?: string };

type FieldProps = { of: Conflict; value: MitigationChoice; set: (name: keyof MitigationChoice, value: string | undefined) => void };

/** Chooses a control that compensates for a conflict, and for how long. */
export function MitigationFields({ of: conflict, value, set }: FieldProps) {
  const named = conflict.mitigation_policies ?? [];
  const may = useMay();
  const all = useGet<Page<Of<"MitigatingControl">>>(
    "/policies/mitigation",
    { enabled: true, policy_id: conflict.policy.id, severity: conflict.policy.severity, limit: 500 },
    { enabled: may.oversees && named.length === 0 },
  );
  const offered = named.length > 0 ? named : (all.data?.items ?? []);
  const chosen = offered.find((c) => c.id === value.mitigation_policy_id);
  const [owner, setOwner] = useState<Picked | null>(null);
  const unowned = chosen !== undefined && "control_owner_ids" in chosen && chosen.control_owner_ids?.length === 0;
  return (
    <>
      <SelectField
        label={text.control}
        hint={offered.length === 0 ? text.noControlApplies : undefined}
        none={text.selectAControl}
        value={value.mitigation_policy_id ?? ""}
        set={(id) => set("mitigation_policy_id", id || undefined)}
        options={offered.map((c) => [c.id, c.name ?? c.id] as const)}
        required
      />
      <TextField
        type="number"
        label={text.days}
        hint={chosen?.max_duration ? text.longestDuration(chosen.max_duration) : text.durationHint}
        value={value.duration ? value.duration.replace(/\D/g, "") : ""}
        set={(days) => set("duration", days ? `P${days}D` : undefined)}
      />
      <Pick
        label={text.mitigationOwner}
        hint={unowned ? text.controlWithoutOwner : text.mitigationOwnerHint}
        source={people}
        value={owner}
        set={(p) => {
          setOwner(p);
          set("owner_id", p?.id);
        }}
        required={unowned}
      />
    </>
  );
}

/** Proposes a mitigation of a violation. Another person approves it. */
export function Mitigate({ of: v, close }: { of: Violation; close: () => void }) {
  const [choice, setChoice] = useState<MitigationChoice>({});
  const [why, setWhy] = useState("");
  const propose = useAct<void, Of<"Mitigation">>({
    quiet: true,
    act: (_, key) => ask("POST", "/policies/mitigations", { body: { ...choice, violation_id: v.id, justification: why }, key }),
    done: text.mitigationProposed,
    changes: ["/policies/violations", "/policies/mitigations", "/decision-tasks", "/audit-events"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.proposeAMitigation}
      lead={text.mitigationLead}
      verb={text.propose}
      disabled={!choice.mitigation_policy_id || !why.trim()}
      act={() => propose.mutateAsync()}
    >
      <MitigationFields of={v.conflict} value={choice} set={(name, value) => setChoice((was) => ({ ...was, [name]: value }))} />
      <TextField label={text.justification} hint={text.justificationHint} value={why} set={setWhy} rows={3} max={4000} required />
    </ConfirmDialog>
  );
}

/** Ends a mitigation, or takes a proposal back. */
export function WithdrawMitigation({ of, close }: { of: { id: string }; close: () => void }) {
  const [reason, setReason] = useState("");
  const withdraw = useAct<void, Of<"Mitigation">>({
    quiet: true,
    act: (_, key) => ask("POST", `/policies/mitigations/${of.id}/withdraw`, { body: { reason }, key }),
    done: text.mitigationWithdrawn,
    changes: ["/policies/violations", "/policies/mitigations", "/decision-tasks", "/audit-events"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.endTheMitigation}
      lead={text.endTheMitigationLead}
      verb={text.endIt}
      tone="danger"
      disabled={!reason.trim()}
      act={() => withdraw.mutateAsync()}
    >
      <TextField label={text.reason} value={reason} set={setReason} rows={3} max={2000} required />
    </ConfirmDialog>
  );
}
