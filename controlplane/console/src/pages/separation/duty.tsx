import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import * as text from "#text/duties";
import * as separationText from "#text/separation";
import "./separation.css";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { number } from "../../kit/count";
import { DeleteFirst } from "../../kit/deletefirst";
import { Dialog } from "../../kit/dialog";
import { EditConflict } from "../../kit/editconflict";
import { Id } from "../../kit/elements";
import { useForm } from "../../kit/form";
import { Button, Facts, Failure, Head, Note, Part, Skeleton, Text } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { List } from "../../kit/list";
import { Menu } from "../../kit/menu";
import { useShown } from "../../kit/shown";
import { showToast } from "../../kit/toast";
import { Versions } from "../../kit/versions";
import { PersonName } from "../roles/names";
import { DraftImpact } from "./draftimpact";
import { DutyEditor, dutyBody, dutyDraft } from "./dutyeditor";
import { Members } from "./members";
import { policyColumns } from "./policycolumns";
import { useSimulation } from "./simulation";
import { originWords } from "./words";

type Duty = Of<"Duty">;
type Policy = Of<"SeparationPolicy">;

/** One duty: its members, the policies that name it, and what it has said before. */
export default function DutyPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const [show, turn] = useShown();
  const may = useMay();
  const [deleting, setDeleting] = useState(false);
  const duty = useGet<Duty>(`/policies/duties/${id}`, {}, { every: 15_000 });
  const d = duty.data;
  const up = <Link to="/separation-of-duties/duties">{separationText.duties}</Link>;
  if (duty.isError && !d) return <Failure page error={duty.error} retry={() => void duty.refetch()} />;
  if (!d)
    return (
      <div className="stack">
        <Head title={text.duty} up={up} lead="…" />
        <Skeleton rows={8} />
      </div>
    );
  return (
    <div className="stack">
      <Head title={d.name} up={up} lead={d.description}>
        {may.admin && show !== "edit" && <Button onClick={() => turn("edit")}>{separationText.edit}</Button>}
        {may.admin && (
          <Menu words={separationText.more} of={[{ words: separationText.deleteLabel, act: () => setDeleting(true), danger: true }]} />
        )}
      </Head>
      {d.blind && <Note tone="warn">{text.blindDutyNote}</Note>}
      {show === "edit" && may.admin ? <Editing key={d.id} of={d} close={() => turn("")} /> : <Definition of={d} />}
      <Part title={text.policiesThatNameIt}>
        <List<Policy>
          path="/policies/separation-of-duties"
          fixed={{ duty_id: d.id }}
          prefix="policies-"
          label={text.policiesThatNameIt}
          columns={policyColumns}
          open={(p) => ({ to: "/separation-of-duties/$id", params: { id: p.id } })}
          empty={{ title: text.notNamedYet, words: text.notNamedLead }}
        />
      </Part>
      <Versions<Of<"DutyVersion">>
        path={`/policies/duties/${d.id}/versions`}
        lead={separationText.earlierVersions}
        says={(v) =>
          text.versionOfDuty(
            (v.content.all_of ?? []).reduce((n, g) => n + g.members.length, 0),
            (v.content.all_of ?? []).length,
          )
        }
      />
      {deleting && <Deleting of={d} close={() => setDeleting(false)} />}
    </div>
  );
}

/** Asks before a duty is deleted, or says why it cannot be. */
function Deleting({ of: d, close }: { of: Duty; close: () => void }) {
  const navigate = useGo();
  if (d.policy_count > 0)
    return (
      <Dialog open close={close} title={text.cannotBeDeletedYet} lead={text.dutyInUseLead(d.policy_count)}>
        <div className="row end">
          <Button reads onClick={close}>
            {separationText.close}
          </Button>
        </div>
      </Dialog>
    );
  return (
    <DeleteFirst
      close={close}
      title={text.deleteThisDuty}
      lead={text.deleteDutyLead}
      verb={separationText.deleteLabel}
      path={`/policies/duties/${d.id}`}
      list="/policies/duties"
      version={d.version}
      done={text.dutyDeleted(d.name)}
      gone={() => void navigate({ to: "/separation-of-duties/duties" })}
    />
  );
}

function Definition({ of: d }: { of: Duty }) {
  const groups = d.all_of ?? [];
  return (
    <div className="violation-parts">
      <section className="card padded stack" aria-label={separationText.definition}>
        <h2>{text.members}</h2>
        <p className="small muted">{groups.length > 1 ? text.oneOfEachGroup : text.oneOfTheGroup}</p>
        {groups.map((g, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups are told apart by their positions
          <div key={i} className="stack tight">
            {groups.length > 1 && <h3>{text.groupN(i + 1)}</h3>}
            <Members of={g.members} label={text.membersOfTheGroup(i + 1)} />
          </div>
        ))}
      </section>
      <section className="card padded stack" aria-label={separationText.facts}>
        <h2>{separationText.facts}</h2>
        <Facts of={factsOf(d)} />
      </section>
    </div>
  );
}

function factsOf(d: Duty): [string, ReactNode][] {
  return [
    [text.process, d.process && <Text key="p" of={d.process} />],
    [text.entitlements, number(d.entitlement_count)],
    [
      separationText.owners,
      d.owner_ids?.length ? (
        <ul key="o">
          {d.owner_ids.map((id) => (
            <li key={id}>
              <PersonName id={id} />
            </li>
          ))}
        </ul>
      ) : (
        ""
      ),
    ],
    [separationText.source, originWords(d.origin)],
    [separationText.version, d.version],
    [separationText.id, <Id key="i" of={d.id} />],
  ];
}

/** The editor of a duty, with its effect on all policies that name it. */
function Editing({ of: d, close }: { of: Duty; close: () => void }) {
  const simulation = useSimulation(`/policies/duties/${d.id}/simulations`);
  const [version, read] = useState(d.version);
  const save = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) =>
      ask<Duty>("PATCH", `/policies/duties/${d.id}`, { body: v.body, key: v.key, ifMatch: version }),
    changes: ["/policies/"],
  });
  const form = useForm(dutyDraft(d), async (v, key) => {
    const saved = await save.mutateAsync({ body: dutyBody(v), key });
    showToast(text.dutySaved(saved.name ?? ""));
    close();
  });
  return (
    <>
      <EditConflict refused={form.refused} again={() => read(d.version)} />
      <p className="small muted">{text.dutyLead}</p>
      <div className="separation-editor">
        <DutyEditor of={form} cancel={close} />
        <DraftImpact of={simulation} body={dutyBody(form.value)} />
      </div>
    </>
  );
}
