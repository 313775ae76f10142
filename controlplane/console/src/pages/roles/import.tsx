import { useState } from "react";
import * as text from "#text/roles";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { contentOf, FileField } from "../../kit/filefield";
import { problemAt, TextField } from "../../kit/form";
import { Button, Note, Problems, Table } from "../../kit/kit";
import { State } from "../../kit/state";
import { Changes } from "./changes";
import { Impact } from "./impact";

type Plan = Of<"RoleImport">;
/** What is sent: to be looked at, or with the plan that was agreed to. */
type Sending = { yaml: string; agreed?: string };

/** Reads roles from a file: first what would become of each, then, when that is agreed to, all of them or none. */
export default function Import({ close }: { close: () => void }) {
  const [yaml, setYaml] = useState("");
  const [unread, setUnread] = useState<string>();
  const look = useAct<Sending, Plan>({ act: (s, key) => send(s, key), quiet: true });
  const make = useAct<Sending, Plan>({
    act: (s, key) => send(s, key),
    changes: ["/entitlements/roles"],
    done: (p) => text.rolesWereImported(p.roles.length),
    after: close,
    quiet: true,
  });
  const put = (v: string) => {
    setYaml(v);
    setUnread(undefined);
    look.reset();
    make.reset();
  };
  const choose = (file: File) =>
    contentOf(file)
      .then((b) => b.text())
      .then(put, (e: Error) => setUnread(e.message));
  const refused = make.error ?? look.error;
  const moved = refused instanceof Refusal && refused.code === "plan_changed";
  const plan = moved ? undefined : look.data;
  const wrong = problemAt(refused, "yaml");
  const busy = look.isPending || make.isPending;
  const changes = plan?.roles.filter((r) => r.action !== "unchanged").length ?? 0;
  return (
    <Dialog open close={close} wide title={text.importRoles} lead={text.importAFileInTheFormat}>
      <div className="stack">
        <FileField label={text.file} accept=".yaml,.yml,text/yaml" error={unread} take={(f) => void choose(f)} />
        <TextField label={text.fileContents} mono rows={10} value={yaml} set={put} error={wrong} />
        {!wrong && <Problems of={refused} />}
        {plan && <Planned of={plan} />}
        <div className="row end">
          <Button onClick={close}>{text.cancel}</Button>
          {plan ? (
            <Button tone="primary" disabled={busy || changes === 0} onClick={() => make.mutate({ yaml, agreed: plan.impact.plan_hash })}>
              {changes === 0 ? text.noChanges : text.importChanges(changes)}
            </Button>
          ) : (
            <Button tone="primary" disabled={busy || !yaml.trim()} onClick={() => look.mutate({ yaml })}>
              {text.previewImport}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

const send = ({ yaml, agreed }: Sending, key: string) =>
  ask<Plan>("POST", "/entitlements/roles/import", { body: { yaml }, query: agreed ? { confirm: agreed } : { dry_run: true }, key });

function Planned({ of }: { of: Plan }) {
  return (
    <section className="stack tight" aria-label={text.previewOfTheImport} aria-live="polite">
      <Impact of={of.impact} />
      <Table label={text.rolesInTheFile}>
        <thead>
          <tr>
            <th scope="col" className="num">
              {text.line}
            </th>
            <th scope="col">{text.role}</th>
            <th scope="col">{text.result}</th>
            <th scope="col">{text.differences}</th>
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
      {of.untouched.length > 0 && <Note tone="warn">{text.rolesOfAnEarlierFileThat(of.untouched.join(", "))}</Note>}
    </section>
  );
}
