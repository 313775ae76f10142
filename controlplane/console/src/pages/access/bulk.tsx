import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as texts from "#text/access";
import { ask } from "../../api/client";
import type { Entitlement, Of } from "../../api/types";
import { ConfirmDialog } from "../../kit/dialog";
import { Differences } from "../../kit/diff";
import { DryRun } from "../../kit/dryrun";
import { SelectField, WordsField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { nameOf } from "./words";

type Updated = Of<"BulkEntitlementsUpdated">;
type What = "risk_level" | "requestable" | "privileged" | "lifecycle" | "compliance_tags" | "data_classes";

const whats: [What, string][] = [
  ["risk_level", texts.risk],
  ["requestable", texts.requestable],
  ["privileged", texts.privileged],
  ["lifecycle", texts.lifecycle],
  ["compliance_tags", texts.complianceTags],
  ["data_classes", texts.dataClasses],
];
const yes = [
  ["true", texts.yes],
  ["false", texts.no],
] as const;
const choices: Partial<Record<What, readonly (readonly [string, string])[]>> = {
  risk_level: ["low", "medium", "high", "critical"].map((r) => [r, r] as const),
  requestable: yes,
  privileged: yes,
  lifecycle: [
    ["active", texts.active],
    ["deprecated", texts.deprecated],
  ],
};

/** Changes several in one way. What becomes of each is shown first. */
export function BulkUpdate({ of, clear }: { of: Entitlement[]; clear: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.edit}</Button>
      {open && <Change of={of} clear={clear} close={() => setOpen(false)} />}
    </>
  );
}

function Change({ of, clear, close }: { of: Entitlement[]; clear: () => void; close: () => void }) {
  const queries = useQueryClient();
  const [what, setWhat] = useState<What>("risk_level");
  const [choice, setChoice] = useState("");
  const [words, setWords] = useState<string[]>([]);
  const [key] = useState(() => crypto.randomUUID());
  const options = choices[what];
  const value = !options ? words : options === yes ? choice === "true" : choice;
  const ready = options ? choice !== "" : true;
  const body = { ids: of.map((e) => e.id), set: { [what]: value } };
  const text = JSON.stringify(body);
  const preview = useQuery({
    queryKey: ["try", "/entitlements/bulk-update", text],
    queryFn: ({ signal }) => ask<Updated>("POST", "/entitlements/bulk-update", { body: { ...JSON.parse(text), dry_run: true }, signal }),
    enabled: ready,
    retry: false,
    gcTime: 0,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={texts.editEntitlements(of.length)}
      verb={texts.save}
      disabled={!ready || Boolean(preview.error)}
      act={async () => {
        const r = await ask<Updated>("POST", "/entitlements/bulk-update", { body, key });
        showToast(texts.updatedChangedUnchangedAlreadyHadThis(r.updated, r.unchanged, r.refused));
        await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/entitlements") });
        clear();
      }}
    >
      <SelectField
        label={texts.field}
        value={what}
        set={(v) => {
          setWhat(v);
          setChoice("");
        }}
        options={whats}
      />
      {options ? (
        <SelectField label={texts.newValue} value={choice} set={setChoice} none={texts.choose} options={options} />
      ) : (
        <WordsField label={texts.newValue} value={words} set={setWords} hint={texts.onePerLineReplacesTheWhole} />
      )}
      {ready && <DryRun of={preview}>{(r) => <BulkPreview of={r} names={new Map(of.map((e) => [e.id, nameOf(e)]))} />}</DryRun>}
    </ConfirmDialog>
  );
}

function BulkPreview({ of, names }: { of: Updated; names: Map<string, string> }) {
  const refused = (of.results ?? []).filter((r) => r.outcome === "refused");
  const first = (of.results ?? []).find((r) => r.outcome === "updated");
  return (
    <>
      <p className="small">{texts.updatedWillChangeUnchangedAlreadyHave(of.updated, of.unchanged, of.refused)}</p>
      {refused.length > 0 && (
        <ul className="small">
          {refused.slice(0, 50).map((r) => (
            <li key={r.id} dir="auto">
              <bdi>{names.get(r.id) ?? r.id}</bdi>: <span className="bad">{r.detail ?? r.code}</span>
            </li>
          ))}
        </ul>
      )}
      {first && (
        <>
          <p className="small muted">{texts.exampleGet(<bdi>{names.get(first.id)}</bdi>)}</p>
          <Differences of={first.changes ?? []} />
        </>
      )}
    </>
  );
}
