import { useState } from "react";
import * as text from "#text/agents";
import { Add } from "../../kit/addbutton";
import { Dialog } from "../../kit/dialog";
import { Button, Head, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import "./agents.css";
import { Enrolment, type Invited, InviteForm } from "./invite";
import { type Agent, why } from "./words";

const states = ["pending", "registered", "online", "degraded", "draining", "offline", "disabled", "quarantined", "revoked"] as const;

const columns: Column<Agent>[] = [
  {
    title: text.agent,
    cell: (a) => (
      <Link to="/settings/agents/$id" params={{ id: a.id }}>
        <Text of={a.name} />
      </Link>
    ),
    text: (a) => a.name,
  },
  { title: text.state, cell: (a) => <State of={a.state} />, text: (a) => a.state },
  { title: text.reason, wide: true, cell: (a) => <span className="small">{why(a)}</span>, text: why },
  { title: text.lastContact, cell: (a) => <When at={a.last_seen_at} />, text: (a) => a.last_seen_at },
  { title: text.version, cell: (a) => <Text of={a.version} none="–" />, text: (a) => a.version },
  { title: text.group, cell: (a) => <Text of={a.group} none="–" />, text: (a) => a.group },
  { title: text.host, cell: (a) => <Text of={a.hostname} none="–" />, text: (a) => a.hostname },
];

/** The agents, which read systems that cannot be reached from outside. */
export default function Agents() {
  const [asking, ask] = useState(false);
  return (
    <div className="stack">
      <Head title={text.agents} lead={text.programsInYourNetworkThatConnect}>
        <Add words={text.registerAnAgent} act={() => ask(true)} />
      </Head>
      <List<Agent>
        path="/settings/agents"
        label={text.agents}
        columns={columns}
        every={5000}
        csv="agents"
        filters={[{ name: "state", words: text.state, options: states.map((s) => [s, s] as const) }]}
        open={(a) => ({ to: "/settings/agents/$id", params: { id: a.id } })}
        empty={{
          title: text.noAgentsYet,
          words: (
            <>
              <HowAgentsWork />
              <p>{text.anAgentRunsOnOneHost}</p>
            </>
          ),
        }}
      />
      {asking && <Register close={() => ask(false)} />}
    </div>
  );
}

/** Asks for the name, then shows the token and waits. It can be closed at any time; the agent comes online all the same. */
function Register({ close }: { close: () => void }) {
  const [invited, setInvited] = useState<Invited>();
  return (
    <Dialog open close={close} wide title={invited ? text.connectName(invited.name) : text.registerAnAgent}>
      {invited ? (
        <>
          <Enrolment of={invited} />
          <div className="row end">
            <Button reads onClick={close}>
              {text.close}
            </Button>
          </div>
        </>
      ) : (
        <InviteForm invited={setInvited} cancel={close} />
      )}
    </Dialog>
  );
}

function HowAgentsWork() {
  return (
    <svg className="agents-intro" viewBox="0 0 560 76" role="img" aria-label={text.theAgentRunsInYourNetwork}>
      <rect x="1" y="16" width="140" height="44" rx="8" />
      <text x="71" y="42">
        {text.yourSystems}
      </text>
      <rect x="211" y="16" width="120" height="44" rx="8" className="agents-arrow" />
      <text x="271" y="42">
        {text.agent}
      </text>
      <rect x="419" y="16" width="140" height="44" rx="8" />
      <text x="489" y="42">
        {text.grantwright}
      </text>
      <path d="M211 38H145m0 0l7-4m-7 4l7 4" className="agents-flow" />
      <path d="M331 38H415m0 0l-7-4m7 4l-7 4" className="agents-flow" />
    </svg>
  );
}
