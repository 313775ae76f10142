import { useState } from "react";
import { useGet } from "../../api/use";
import { SelectField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { Enrolment, type Invited, InviteForm } from "../agents/invite";
import { type Agent, ready } from "../agents/words";

export type Reach = { mode: "hosted" | "agent"; agent_id: string | null; agent_group: string | null };

/** Whether a system is reached directly or through an agent, and through which. Without one that is online it is brought online here. */
export function ReachField({ value, set, error }: { value: Reach; set: (r: Reach) => void; error?: string | undefined }) {
  return (
    <fieldset className="wizard-choice stack tight">
      <legend>Connection method</legend>
      <div className="row">
        <Chip on={value.mode === "hosted"} set={() => set({ mode: "hosted", agent_id: null, agent_group: null })} words="Directly" />
        <Chip on={value.mode === "agent"} set={() => set({ ...value, mode: "agent" })} words="Through an agent" />
        <span className="small muted">
          {value.mode === "hosted"
            ? "For systems that are reachable from the internet."
            : "For systems behind a firewall: an agent in your network connects to them."}
        </span>
      </div>
      {value.mode === "agent" && <AgentChoice value={value} set={set} error={error} />}
    </fieldset>
  );
}

export function Chip({ on, set, words }: { on: boolean; set: () => void; words: string }) {
  return (
    <button type="button" className="chip" aria-pressed={on} onClick={set}>
      {words}
    </button>
  );
}

function AgentChoice({ value, set, error }: { value: Reach; set: (r: Reach) => void; error: string | undefined }) {
  const { data } = useGet<{ items: Agent[] }>("/settings/agents", { limit: 200 }, { every: 5000 });
  const [inviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<Invited>();
  if (!data) return <p className="small muted">Searching for agents…</p>;
  const usable = data.items.filter((a) => !["revoked", "quarantined"].includes(a.state));
  const groups = [...new Set(usable.map((a) => a.group).filter((g): g is string => Boolean(g)))];
  const online = usable.filter(ready);
  const options = [
    ...groups.map((g) => [`g:${g}`, `Any agent of the group ${g}`] as const),
    ...usable.map((a) => [`a:${a.id}`, `${a.name} (${a.state})`] as const),
  ];
  const chosen = value.agent_group ? `g:${value.agent_group}` : value.agent_id ? `a:${value.agent_id}` : "";
  return (
    <div className="stack tight">
      {options.length > 0 && (
        <SelectField
          label="Agent"
          value={chosen}
          none="Choose an agent"
          options={options}
          error={error}
          set={(v: string) =>
            set({ mode: "agent", agent_id: v.startsWith("a:") ? v.slice(2) : null, agent_group: v.startsWith("g:") ? v.slice(2) : null })
          }
        />
      )}
      {invited ? (
        <Enrolment of={invited} online={(a) => set({ mode: "agent", agent_id: a.id, agent_group: null })} />
      ) : inviting ? (
        <InviteForm invited={setInvited} cancel={() => setInviting(false)} />
      ) : online.length === 0 ? (
        <Note tone="warn">
          No agent is online. <Button onClick={() => setInviting(true)}>Register an agent</Button>
        </Note>
      ) : (
        <div>
          <Button tone="quiet" onClick={() => setInviting(true)}>
            Register another agent
          </Button>
        </div>
      )}
    </div>
  );
}
