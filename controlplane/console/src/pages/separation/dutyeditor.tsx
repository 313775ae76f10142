import { Plus, X } from "lucide-react";
import { useRef } from "react";
import * as text from "#text/duties";
import * as separationText from "#text/separation";
import "./separation.css";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { FieldError, Form, type FormState, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { ManyPick } from "../policies/manypick";
import { AddMember } from "./addmember";
import { type Member, Members } from "./members";

/** What of a duty is written. key: tells groups apart while they are written. */
export type DutyDraft = {
  name: string;
  description: string;
  process: string;
  owner_ids: string[];
  groups: { key: number; members: Member[] }[];
};

export const dutyDraft = (d?: Of<"Duty">): DutyDraft => ({
  name: d?.name ?? "",
  description: d?.description ?? "",
  process: d?.process ?? "",
  owner_ids: d?.owner_ids ?? [],
  groups: (d?.all_of ?? [{ members: [] }]).map((g, key) => ({ key, members: g.members })),
});

/** A written duty as the API takes it. Names and counts of members are told by the service, and not sent. */
export const dutyBody = (d: DutyDraft) => ({
  name: d.name,
  description: d.description,
  process: d.process,
  owner_ids: d.owner_ids,
  all_of: d.groups.map((g) => ({
    members: g.members.map(({ kind, entitlement_id, role_id, duty_tag, connector_id, external_id }) => ({
      kind,
      ...(entitlement_id ? { entitlement_id } : {}),
      ...(role_id ? { role_id } : {}),
      ...(duty_tag ? { duty_tag } : {}),
      ...(connector_id ? { connector_id } : {}),
      ...(external_id ? { external_id } : {}),
    })),
  })),
});

/** What is wrong with a member of what was sent, or with anything within it. */
export const wrongWithin = (refused: unknown, pointer: string): string | undefined =>
  refused instanceof Refusal
    ? refused.errors.find((w) => w.pointer === `#/${pointer}` || w.pointer?.startsWith(`#/${pointer}/`))?.detail
    : undefined;

/** The form of a duty. */
export function DutyEditor({ of, cancel }: { of: FormState<DutyDraft>; cancel: () => void }) {
  const { value: v, set, wrong } = of;
  const next = useRef(v.groups.length);
  const write = (i: number, members: Member[]) =>
    set(
      "groups",
      v.groups.map((g, j) => (j === i ? { ...g, members } : g)),
    );
  return (
    <Form of={of} verb={separationText.save} cancel={cancel}>
      <TextField label={separationText.name} {...of.field("name")} required max={200} />
      <TextField label={separationText.description} rows={2} {...of.field("description")} max={4000} />
      <TextField label={text.process} hint={text.processHint} {...of.field("process")} max={200} />
      {v.groups.map((g, i) => (
        <fieldset key={g.key} className="duty-group">
          <legend className="sr">{text.groupN(i + 1)}</legend>
          <div className="row between">
            <h2>{v.groups.length > 1 ? text.groupN(i + 1) : text.members}</h2>
            {v.groups.length > 1 && (
              <Button
                tone="quiet"
                className="icon"
                aria-label={text.removeGroupN(i + 1)}
                onClick={() =>
                  set(
                    "groups",
                    v.groups.filter((_, j) => j !== i),
                  )
                }
              >
                <X aria-hidden size={14} />
              </Button>
            )}
          </div>
          {g.members.length === 0 ? (
            <p className="small muted">{text.noMembersYet}</p>
          ) : (
            <Members
              of={g.members}
              label={text.membersOfTheGroup(i + 1)}
              drop={(m) =>
                write(
                  i,
                  g.members.filter((_, j) => j !== m),
                )
              }
              wrong={(m) => wrongWithin(of.refused, `all_of/${i}/members/${m}`)}
            />
          )}
          <AddMember add={(m) => write(i, [...g.members, m])} />
          <FieldError of={wrong(`all_of/${i}/members`)} />
        </fieldset>
      ))}
      <div className="stack tight">
        <div>
          <Button onClick={() => set("groups", [...v.groups, { key: next.current++, members: [] }])}>
            <Plus aria-hidden size={14} /> {text.addGroup}
          </Button>
        </div>
        <small className="muted">{text.severalGroupsHint}</small>
        <FieldError of={wrong("all_of")} />
      </div>
      <ManyPick
        label={separationText.owners}
        kind="people"
        ids={v.owner_ids}
        set={(ids) => set("owner_ids", ids)}
        error={wrongWithin(of.refused, "owner_ids")}
      />
    </Form>
  );
}
