import { useQueryClient } from "@tanstack/react-query";
import { type ChangeEvent, useState } from "react";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { Dialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Note, Table, Wrongs } from "../../kit/kit";
import { State } from "../../kit/state";
import { say } from "../../kit/toast";
import { Changes } from "./changes";
import { Impact } from "./impact";

type Plan = Of<"RoleImport">;

/** Reads roles from a file: first what would become of each, then, when that is agreed to, all of them or none. */
export default function Import({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const [yaml, setYaml] = useState("");
  const [plan, setPlan] = useState<Plan>();
  const [refused, setRefused] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const send = async (query: Record<string, string | boolean>) => {
    setBusy(true);
    setRefused(undefined);
    try {
      return await ask<Plan>("POST", "/entitlements/roles/import", { body: { yaml }, query, key: crypto.randomUUID() });
    } catch (e) {
      setRefused(e);
      if (e instanceof Refusal && e.code === "plan_changed") setPlan(undefined);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const look = async () => setPlan(await send({ dry_run: true }));
  const make = async () => {
    const made = await send(plan ? { confirm: plan.impact.plan_hash } : {});
    if (!made) return;
    say(`${made.roles.length} roles were read.`);
    void queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/entitlements/roles") });
    close();
  };
  const choose = async (e: ChangeEvent<HTMLInputElement>) => {
    const file = e.target.files?.[0];
    if (!file) return;
    setYaml(await file.text());
    setPlan(undefined);
  };
  const changes = plan?.roles.filter((r) => r.action !== "unchanged").length ?? 0;
  return (
    <Dialog
      open
      close={close}
      wide
      title="Import roles"
      lead="From a file as the export writes it. Roles that it does not name stay as they are."
    >
      <div className="stack">
        <label className="field">
          <span>A file</span>
          <input type="file" accept=".yaml,.yml,text/yaml" onChange={(e) => void choose(e)} />
        </label>
        <TextField
          label="What it says"
          mono
          rows={10}
          value={yaml}
          set={(v) => {
            setYaml(v);
            setPlan(undefined);
          }}
        />
        <Wrongs of={refused} />
        {plan && <Planned of={plan} />}
        <div className="row end">
          <Button onClick={close}>Cancel</Button>
          {plan ? (
            <Button tone="primary" disabled={busy || changes === 0} onClick={() => void make()}>
              {changes === 0 ? "Nothing would change" : `Import ${changes} ${changes === 1 ? "change" : "changes"}`}
            </Button>
          ) : (
            <Button tone="primary" disabled={busy || !yaml.trim()} onClick={() => void look()}>
              See what it would do
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function Planned({ of }: { of: Plan }) {
  return (
    <section className="stack tight" aria-label="What it would do" aria-live="polite">
      <Impact of={of.impact} />
      <Table label="Each role of the file">
        <thead>
          <tr>
            <th scope="col" className="num">
              Line
            </th>
            <th scope="col">Role</th>
            <th scope="col">Becomes</th>
            <th scope="col">What is different</th>
          </tr>
        </thead>
        <tbody>
          {of.roles.map((r) => (
            <tr key={r.key}>
              <td className="num">{r.line}</td>
              <td>
                <code>{r.key}</code>
              </td>
              <td>
                <State of={r.action} tone={r.action === "drafted" ? "warn" : r.action === "unchanged" ? "neutral" : "ok"} />
              </td>
              <td className="wide">{r.action === "updated" || r.action === "drafted" ? <Changes of={r.changes} /> : null}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {of.untouched.length > 0 && (
        <Note tone="warn">An earlier file said these, this one does not name them; they stay: {of.untouched.join(", ")}</Note>
      )}
    </section>
  );
}
