import { Plus, X } from "lucide-react";
import * as texts from "#text/approvals";
import type { Page } from "../../api/client";
import { useGet } from "../../api/use";
import { SelectField, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { Pick, people, roles } from "../../kit/pick";
import { ConditionField } from "../policies/condition";
import { matchAll } from "../policies/language";
import { type Resolver, resolverKinds } from "./model";

export type ProblemLookup = (pointer: string) => string | undefined;
type Props = { label: string; of: Resolver[]; set: (r: Resolver[]) => void; at: string; wrong: ProblemLookup; add?: string };

/** Who is asked: a list of ways to find people. */
export function Resolvers({ label, of, set, at, wrong, add = texts.addApprover }: Props) {
  const put = (i: number, r: Resolver | undefined) => set(of.flatMap((x, j) => (j !== i ? [x] : r ? [r] : [])));
  return (
    <div className="stack tight">
      {of.map((r, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name than their place
        <div key={i} className="rule-resolver">
          <One of={r} set={(x) => put(i, x)} label={`${label} ${i + 1}`} at={`${at}/${i}`} wrong={wrong} />
          <Button tone="quiet" className="icon" aria-label={texts.removeLabelI(label, i + 1)} onClick={() => put(i, undefined)}>
            <X aria-hidden size={14} />
          </Button>
        </div>
      ))}
      {wrong(at) && (
        <small className="bad" role="alert">
          {wrong(at)}
        </small>
      )}
      <div>
        <Button tone="quiet" onClick={() => set([...of, { kind: of.length ? "resource_owner" : "manager" }])}>
          <Plus aria-hidden size={14} /> {add}
        </Button>
      </div>
    </div>
  );
}

function One({ of, set, label, at, wrong }: { of: Resolver; set: (r: Resolver) => void; label: string; at: string; wrong: ProblemLookup }) {
  const kind = (k: string) =>
    set({ kind: k, ...(k === "app_role" ? { app_role: "admin" } : {}), ...(k === "requester_choice" ? { from: matchAll } : {}) });
  return (
    <div className="fields grow">
      <SelectField label={label} value={of.kind} set={kind} options={resolverKinds} error={wrong(`${at}/kind`)} />
      <More of={of} set={set} at={at} wrong={wrong} />
    </div>
  );
}

function More({ of, set, at, wrong }: { of: Resolver; set: (r: Resolver) => void; at: string; wrong: ProblemLookup }) {
  switch (of.kind) {
    case "manager":
      return (
        <SelectField
          label={texts.level}
          value={String(of.level ?? 1)}
          set={(l) => set({ ...of, level: Number(l) })}
          options={["1", "2", "3", "4", "5"].map((l) => [l, l === "1" ? "manager" : texts.lLevelsUp(l)] as const)}
          error={wrong(`${at}/level`)}
        />
      );
    case "identity":
      return <Person of={of.identity_id ?? ""} set={(id) => set({ ...of, identity_id: id })} error={wrong(`${at}/identity_id`)} />;
    case "group":
      return <RoleOf of={of.role_id ?? ""} set={(id) => set({ ...of, role_id: id })} error={wrong(`${at}/role_id`)} />;
    case "app_role":
      return (
        <SelectField
          label={texts.roleInGrantwright}
          value={of.app_role ?? ""}
          set={(r) => set({ ...of, app_role: r })}
          options={[
            ["admin", texts.administrators],
            ["manager", texts.managers],
            ["resource_owner", texts.resourceOwners],
            ["auditor", texts.auditorsWhoAlsoHaveAnotherRole],
          ]}
          error={wrong(`${at}/app_role`)}
        />
      );
    case "on_call":
      return <Schedule of={of.schedule_id ?? ""} set={(id) => set({ ...of, schedule_id: id })} error={wrong(`${at}/schedule_id`)} />;
    case "expression":
      return (
        <TextField
          label={texts.expression}
          mono
          hint={texts.pythonOverIdentityAndRequestIt}
          value={of.text ?? ""}
          set={(text) => set({ ...of, text })}
          error={wrong(`${at}/text`)}
        />
      );
    case "requester_choice":
      return (
        <ConditionField
          label={texts.choice}
          value={of.from ?? matchAll}
          set={(from) => set({ ...of, from })}
          wrong={wrong}
          at={`${at}/from`}
        />
      );
    default:
      return null;
  }
}

type Choice = { of: string; set: (id: string) => void; error: string | undefined };

export function Person({ of, set, error, label = texts.approver }: Choice & { label?: string }) {
  const known = useGet<{ display_name?: string | null }>(`/identities/${of}`, {}, { enabled: of !== "" });
  return (
    <Pick
      label={label}
      source={people}
      value={of ? { id: of, words: known.data?.display_name ?? "…" } : null}
      set={(p) => set(p?.id ?? "")}
      error={error}
    />
  );
}

function RoleOf({ of, set, error }: Choice) {
  const known = useGet<{ name?: string }>(`/entitlements/roles/${of}`, {}, { enabled: of !== "" });
  return (
    <Pick
      label={texts.role}
      source={roles}
      value={of ? { id: of, words: known.data?.name ?? "…" } : null}
      set={(p) => set(p?.id ?? "")}
      error={error}
    />
  );
}

type Named = Page<{ id: string; name: string }>;

export function Schedule({ of, set, error }: Choice) {
  const all = useGet<Named>("/approval-rules/on-call", { limit: 200 });
  return (
    <SelectField
      label={texts.onCallSchedule}
      value={of}
      set={set}
      none={texts.choose}
      options={(all.data?.items ?? []).map((s) => [s.id, s.name] as const)}
      error={error}
      hint={all.data?.items.length === 0 ? texts.noScheduleYetCreateOneUnder : undefined}
    />
  );
}

export function Calendar({ of, set, error }: Choice) {
  const all = useGet<Named>("/approval-rules/calendars", { limit: 200 });
  return (
    <SelectField
      label={texts.workingTime}
      value={of}
      set={set}
      none={texts.defaultCalendarLower}
      options={(all.data?.items ?? []).map((s) => [s.id, s.name] as const)}
      error={error}
    />
  );
}

export function OtherRule({ of, set, error, not, label = texts.approvalRule }: Choice & { not?: string | undefined; label?: string }) {
  const all = useGet<Named>("/approval-rules", { limit: 200 });
  return (
    <SelectField
      label={label}
      value={of}
      set={set}
      none={texts.choose}
      options={(all.data?.items ?? []).filter((r) => r.id !== not).map((r) => [r.id, r.name] as const)}
      error={error}
    />
  );
}
