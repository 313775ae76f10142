import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import * as text from "#text/mitigation";
import "../separation/separation.css";
import "./mitigation.css";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { number } from "../../kit/count";
import { DeleteFirst } from "../../kit/deletefirst";
import { ConfirmDialog, Dialog } from "../../kit/dialog";
import { durationText } from "../../kit/duration";
import { EditConflict } from "../../kit/editconflict";
import { Id } from "../../kit/elements";
import { useForm } from "../../kit/form";
import { Button, Facts, Failure, Head, Note, Part, Skeleton } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { List } from "../../kit/list";
import { Menu } from "../../kit/menu";
import { useShown } from "../../kit/shown";
import { State } from "../../kit/state";
import { showToast } from "../../kit/toast";
import { Versions } from "../../kit/versions";
import { Named } from "../policies/manypick";
import { PersonName } from "../roles/names";
import { mitigationColumns } from "./columns";
import { ControlEditor, controlBody, controlDraft } from "./controleditor";
import { type Control, controlTypeWords, evidenceWords, type Mitigation, queryWords } from "./words";

const base = "/policies/mitigation";

/** One control: its procedure and evidence, the mitigations that use it, and its versions. */
export default function ControlPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const [show, turn] = useShown();
  const may = useMay();
  const control = useGet<Control>(`${base}/${id}`, {}, { every: 15_000 });
  const c = control.data;
  const up = <Link to="/separation-of-duties/controls">{text.controls}</Link>;
  if (control.isError && !c) return <Failure page error={control.error} retry={() => void control.refetch()} />;
  if (!c)
    return (
      <div className="stack">
        <Head title={text.control} up={up} lead="…" />
        <Skeleton rows={8} />
      </div>
    );
  return (
    <div className="stack">
      <Head title={c.name} up={up} lead={c.description}>
        {may.admin && <Actions of={c} edit={show === "edit" ? undefined : () => turn("edit")} />}
      </Head>
      {!c.enabled && <Note>{text.disabledNote}</Note>}
      {show === "edit" && may.admin ? <Editing key={c.id} of={c} close={() => turn("")} /> : <Definition of={c} />}
      <Part title={text.mitigationsThatUseIt}>
        <List<Mitigation>
          path="/policies/mitigations"
          fixed={{ mitigation_policy_id: c.id }}
          prefix="mitigations-"
          label={text.mitigationsThatUseIt}
          columns={mitigationColumns.map((column) => (column.title === text.control ? { ...column, title: text.mitigation } : column))}
          open={(m) => ({ to: "/separation-of-duties/mitigations/$id", params: { id: m.id } })}
          every={15_000}
          empty={{ title: text.notAppliedYet, words: text.notAppliedLead }}
        />
      </Part>
      <Versions<Of<"MitigatingControlVersion">>
        path={`${base}/${c.id}/versions`}
        lead={text.earlierVersions}
        says={(v) => text.versionOfControl(evidenceWords(v.content), durationText(v.content.max_duration))}
      />
    </div>
  );
}

/** What an administrator does with a control. */
function Actions({ of: c, edit }: { of: Control; edit: (() => void) | undefined }) {
  const navigate = useGo();
  const [asking, setAsking] = useState<"disable" | "delete">();
  const close = () => setAsking(undefined);
  const name = c.name ?? "";
  const turn = useAct<boolean, Control>({
    quiet: asking !== undefined,
    act: (on, key) => ask("POST", `${base}/${c.id}/${on ? "enable" : "disable"}`, { key, ifMatch: c.version }),
    done: (r) => (r.enabled ? text.isEnabled : text.isDisabled)(name),
    changes: [base],
  });
  return (
    <>
      {!c.enabled && (
        <Button tone="primary" onClick={() => turn.mutate(true)}>
          {text.enable}
        </Button>
      )}
      {edit && <Button onClick={edit}>{text.edit}</Button>}
      <Menu
        words={text.more}
        of={[
          c.enabled && { words: text.disable, act: () => setAsking("disable") },
          { words: text.deleteLabel, act: () => setAsking("delete"), danger: true },
        ]}
      />
      {asking === "disable" && (
        <ConfirmDialog
          open
          close={close}
          title={text.disableThisControl}
          lead={c.applied > 0 ? text.disableControlLead(c.applied) : text.disableUnusedLead}
          verb={text.disable}
          tone="danger"
          act={() => turn.mutateAsync(false)}
        />
      )}
      {asking === "delete" && c.applied > 0 && (
        <Dialog open close={close} title={text.controlInUse} lead={text.controlInUseLead(c.applied)}>
          <div className="row end">
            <Button reads onClick={close}>
              {text.close}
            </Button>
          </div>
        </Dialog>
      )}
      {asking === "delete" && c.applied === 0 && (
        <DeleteFirst
          close={close}
          title={text.deleteThisControl}
          lead={text.deleteControlLead}
          verb={text.deleteLabel}
          path={`${base}/${c.id}`}
          list={base}
          version={c.version}
          done={text.controlDeleted(name)}
          gone={() => void navigate({ to: "/separation-of-duties/controls" })}
        />
      )}
    </>
  );
}

function Definition({ of: c }: { of: Control }) {
  return (
    <div className="violation-parts">
      <section className="card padded stack" aria-label={text.procedure}>
        <h2>{text.procedure}</h2>
        {c.procedure ? (
          <p className="control-procedure" dir="auto">
            {c.procedure}
          </p>
        ) : (
          <p className="small muted">{text.noProcedure}</p>
        )}
      </section>
      <section className="card padded stack" aria-label={text.facts}>
        <h2>{text.facts}</h2>
        <Facts of={factsOf(c)} />
      </section>
    </div>
  );
}

const People = ({ ids }: { ids: string[] }) => (
  <ul>
    {ids.map((id) => (
      <li key={id}>
        <PersonName id={id} />
      </li>
    ))}
  </ul>
);

function factsOf(c: Control): [string, ReactNode][] {
  const origin = (c.origin ?? {}) as { kind?: string; pack?: string; name?: string };
  const policies = c.applies_to?.sod_policy_ids ?? [];
  return [
    [text.state, <State key="s" of={c.enabled ? "enabled" : "disabled"} words={c.enabled ? text.usable : text.disabledLower} />],
    [text.inForce, number(c.applied)],
    [text.kind, controlTypeWords(c.control_type ?? "")],
    [text.effectiveness, text.effectivenesses[c.effectiveness ?? "medium"]],
    [text.evidence, evidenceWords(c)],
    [text.query, c.evidence?.query ? queryWords(c.evidence.query) : ""],
    [text.grace, c.evidence?.required === false ? "" : durationText(c.evidence?.grace)],
    [text.longestDuration, durationText(c.max_duration)],
    [text.onLapse, text.onLapseChoices[c.on_lapse ?? "reopen"]],
    [text.severities, (c.applies_to?.severities ?? []).map((s) => text.severityChoices[s]).join(", ")],
    [
      text.policies,
      policies.length > 0 ? (
        <ul key="p">
          {policies.map((id) => (
            <li key={id}>
              <Link className="sep-link" to="/separation-of-duties/$id" params={{ id }}>
                <Named kind="separation" id={id} />
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        text.allPolicies
      ),
    ],
    [text.owners, c.control_owner_ids?.length ? <People key="o" ids={c.control_owner_ids} /> : ""],
    [text.approvers, c.approver_ids?.length ? <People key="a" ids={c.approver_ids} /> : text.ownersOfThePolicy],
    [text.source, origin.kind && origin.kind !== "manual" ? text.packOf(origin.pack ?? origin.name ?? "") : ""],
    [text.version, c.version],
    [text.id, <Id key="i" of={c.id} />],
  ];
}

/** The editor of a control. */
function Editing({ of: c, close }: { of: Control; close: () => void }) {
  const [version, read] = useState(c.version);
  const save = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) => ask<Control>("PATCH", `${base}/${c.id}`, { body: v.body, key: v.key, ifMatch: version }),
    changes: [base],
  });
  const form = useForm(controlDraft(c), async (v, key) => {
    const saved = await save.mutateAsync({ body: controlBody(v), key });
    showToast(text.controlSaved(saved.name ?? ""));
    close();
  });
  return (
    <>
      <EditConflict refused={form.refused} again={() => read(c.version)} />
      <p className="small muted">{text.editLead}</p>
      <ControlEditor of={form} cancel={close} />
    </>
  );
}
