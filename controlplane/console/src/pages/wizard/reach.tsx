import { useState } from "react";
import * as text from "#text/wizard";
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
      <legend>{text.connectionMethod}</legend>
      <div className="row">
        <Chip on={value.mode === "hosted"} set={() => set({ mode: "hosted", agent_id: null, agent_group: null })} words={text.directly} />
        <Chip on={value.mode === "agent"} set={() => set({ ...value, mode: "agent" })} words={text.throughAnAgent} />
        <span className="small muted">
          {value.mode === "hosted" ? text.forSystemsThatAreReachableFrom : text.forSystemsBehindAFirewallAn}
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
  if (!data) return <p className="small muted">{text.searchingForAgents}</p>;
  const usable = data.items.filter((a) => !["revoked", "quarantined"].includes(a.state));
  const groups = [...new Set(usable.map((a) => a.group).filter((g): g is string => Boolean(g)))];
  const online = usable.filter(ready);
  const options = [
    ...groups.map((g) => [`g:${g}`, text.anyAgentOfTheGroupG(g)] as const),
    ...usable.map((a) => [`a:${a.id}`, `${a.name} (${a.state})`] as const),
  ];
  const chosen = value.agent_group ? `g:${value.agent_group}` : value.agent_id ? `a:${value.agent_id}` : "";
  return (
    <div className="stack tight">
      {options.length > 0 && (
        <SelectField
          label={text.agent}
          value={chosen}
          none={text.chooseAnAgent}
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
          {text.noAgentIsOnline} <Button onClick={() => setInviting(true)}>{text.registerAnAgent}</Button>
        </Note>
      ) : (
        <div>
          <Button tone="quiet" onClick={() => setInviting(true)}>
            {text.registerAnotherAgent}
          </Button>
        </div>
      )}
    </div>
  );
}
