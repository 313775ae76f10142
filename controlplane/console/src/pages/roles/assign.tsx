import { useState } from "react";
import * as texts from "#text/roles";
import { ask } from "../../api/client";
import { useAct, useMay } from "../../api/use";
import { dayBegins, dayEnds, dayOf } from "../../kit/day";
import { ConfirmDialog } from "../../kit/dialog";
import { Check, problemAt, SelectField, TextField } from "../../kit/form";
import { Pick, type Picked, people } from "../../kit/pick";
import { Prediction } from "../separation/verdict";
import type { MemberAction } from "./members";
import type { Role } from "./model";

type Props = { role: Role; doing: MemberAction; close: () => void };
type Body = { method: string; path: string; body?: unknown; query?: Record<string, string> };

/** Gives a role to somebody, moves the end of that, or takes it away. */
export default function AssignRole({ role, doing, close }: Props) {
  const may = useMay();
  const [who, setWho] = useState<Picked | null>(null);
  const [reason, setReason] = useState("");
  const [starts, setStarts] = useState("");
  const [ends, setEnds] = useState(doing.what === "end" ? dayOf(doing.member.until) : "");
  const [said, setSaid] = useState<Record<string, unknown>>({});
  const path = `/entitlements/roles/${role.id}/members`;
  const send = useAct<Body>({
    act: (b, key) => ask(b.method, b.path, { body: b.body, key, ...(b.query ? { query: b.query } : {}) }),
    changes: ["/entitlements/roles", "/identities"],
    done: done[doing.what],
    quiet: true,
  });
  const wrong = (pointer: string) => problemAt(send.error, pointer);
  if (doing.what === "give") {
    const body = {
      identity_id: who?.id,
      reason,
      ...(starts ? { starts_at: dayBegins(starts) } : {}),
      ...(ends ? { ends_at: dayEnds(ends) } : {}),
      ...(Object.keys(said).length > 0 ? { parameters: said } : {}),
    };
    return (
      <ConfirmDialog
        open
        close={close}
        title={texts.assignName(role.name)}
        verb={texts.assign}
        disabled={!who || !reason.trim()}
        act={() => send.mutateAsync({ method: "POST", path, body })}
      >
        <Pick label={texts.person} source={people} value={who} set={setWho} required />
        {may.admin && <Prediction person={who?.id} add={{ role_id: role.id }} />}
        <div className="fields">
          <TextField
            type="date"
            label={texts.start}
            hint={texts.leaveEmptyToStartNow}
            value={starts}
            set={setStarts}
            error={wrong("starts_at")}
          />
          <TextField
            type="date"
            label={texts.end}
            hint={role.max_duration || role.default_duration ? texts.leaveEmptyForTheDurationOf : texts.leaveEmptyForNoEndDate}
            value={ends}
            set={setEnds}
            error={wrong("ends_at")}
          />
        </div>
        <Parameters role={role} value={said} set={setSaid} wrong={(name) => wrong(`parameters/${name}`)} />
        <TextField label={texts.reason} rows={2} max={2000} required value={reason} set={setReason} />
      </ConfirmDialog>
    );
  }
  const member = doing.member;
  const one = `${path}/${member.identity_id}`;
  if (doing.what === "end")
    return (
      <ConfirmDialog
        open
        close={close}
        title={texts.changeEndDate}
        lead={<bdi>{member.display}</bdi>}
        verb={texts.save}
        act={() => send.mutateAsync({ method: "PATCH", path: one, body: { ends_at: ends ? dayEnds(ends) : null } })}
      >
        <TextField type="date" label={texts.end} hint={texts.leaveEmptyForNoEndDate} value={ends} set={setEnds} error={wrong("ends_at")} />
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      open
      close={close}
      title={texts.removeMember}
      lead={texts.memberLosesTheAccessOfThis(<bdi>{member.display}</bdi>)}
      verb={texts.remove}
      tone="danger"
      act={() => send.mutateAsync({ method: "DELETE", path: one, query: { reason } })}
    >
      <TextField label={texts.reason} max={500} value={reason} set={setReason} />
    </ConfirmDialog>
  );
}

const done = { give: texts.grantedProvisioningHasStarted, end: texts.endDateChanged, take: texts.memberRemoved };

type ParametersProps = {
  role: Role;
  value: Record<string, unknown>;
  set: (v: Record<string, unknown>) => void;
  wrong: (name: string) => string | undefined;
};

function Parameters({ role, value, set, wrong }: ParametersProps) {
  return (role.parameters ?? []).map((p) => {
    const put = (v: unknown) => set({ ...value, [p.name]: v });
    const text = String(value[p.name] ?? "");
    const required = p.required ?? false;
    if (p.type === "boolean") return <Check key={p.name} label={p.name} value={value[p.name] === true} set={put} />;
    if ((p.allowed_values ?? []).length > 0)
      return (
        <SelectField
          key={p.name}
          label={p.name}
          none={texts.choose}
          required={required}
          value={text}
          set={put}
          error={wrong(p.name)}
          options={(p.allowed_values ?? []).map((v) => [v, v] as const)}
        />
      );
    return (
      <TextField
        key={p.name}
        label={p.name}
        required={required}
        type={p.type === "integer" ? "number" : p.type === "date" ? "date" : "text"}
        value={text}
        set={(v) => put(p.type === "integer" && v ? Number(v) : v)}
        error={wrong(p.name)}
      />
    );
  });
}
