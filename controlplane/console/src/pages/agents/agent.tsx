import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import * as text from "#text/agents";
import type { Connector } from "../../api/types";
import { useGet } from "../../api/use";
import { Id } from "../../kit/elements";
import { Facts, Failure, Head, Note, Part, Skeleton, Table, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { Acts } from "./actions";
import { Waiting } from "./invite";
import { type Agent, why } from "./words";

/** One agent: how it fares, what it is for, and what can be done with it. */
export default function AgentPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useGet<Agent>(`/settings/agents/${id}`, {}, { every: 5000 });
  if (query.isError && !query.data) return <Failure page error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={8} />;
  return <Shown of={query.data} />;
}

function Shown({ of: a }: { of: Agent }) {
  const reason = why(a);
  return (
    <div className="stack">
      <Head
        up={<Link to="/settings/agents">{text.agents}</Link>}
        title={a.name}
        lead={
          <span className="row">
            <State of={a.state} /> {a.description && <Text of={a.description} />}
          </span>
        }
      >
        <Acts of={a} />
      </Head>
      {reason && (
        <Note tone={["quarantined", "revoked"].includes(a.state) ? "bad" : ["degraded", "draining"].includes(a.state) ? "warn" : "info"}>
          {reason}
        </Note>
      )}
      {a.state === "registered" && <Waiting id={a.id} />}
      <Facts of={facts(a)} />
      <ConnectorsOfAgent of={a} />
    </div>
  );
}

function facts(a: Agent): [string, ReactNode][] {
  const n = (name: string) => (typeof a.stats?.[name] === "number" ? (a.stats[name] as number) : undefined);
  const mib = (bytes?: number) => (bytes === undefined ? undefined : text.bytesMib((bytes / 2 ** 20).toFixed(1)));
  return [
    [text.lastContact, <When key="seen" at={a.last_seen_at} />],
    [text.connectedSince, a.connected_since && <When key="since" at={a.connected_since} />],
    [text.version, a.version],
    [text.group, a.group && <bdi key="group">{a.group}</bdi>],
    [text.host, a.hostname && <bdi key="host">{a.hostname}</bdi>],
    [text.system, a.os && `${a.os} ${a.arch ?? ""}`],
    [text.lastAddress, a.ip_last],
    [
      text.clock,
      a.clock_skew_ms === null
        ? undefined
        : Math.abs(a.clock_skew_ms) < 1000
          ? text.lessThan1SOff
          : text.clockSkewMsSOff((a.clock_skew_ms / 1000).toFixed(0)),
    ],
    [text.runningTasks, n("in_flight")],
    [text.dataWaitingOnItsDisk, mib(n("spool_bytes"))],
    [text.memory, mib(n("rss_bytes"))],
    [text.tokenExpires, a.token_expires_at && <When key="token" at={a.token_expires_at} />],
    [text.identityKey, a.identity_fingerprint && <Id key="identity" of={a.identity_fingerprint} />],
    [text.sealingKey, a.sealing_fingerprint && <Id key="sealing" of={a.sealing_fingerprint} />],
    [text.registered, <When key="created" at={a.created_at} />],
    [text.id, <Id key="id" of={a.id} />],
  ];
}

/** The connectors that this agent, or its group, reads. */
function ConnectorsOfAgent({ of }: { of: Agent }) {
  const { data, error, refetch } = useGet<{ items: Connector[]; total: number }>("/connectors", { mode: "agent", limit: 500 });
  const mine = data?.items.filter((c) => c.agent_id === of.id || (of.group && c.agent_group === of.group)) ?? [];
  return (
    <Part title={text.connectedSystems} lead={of.group ? text.connectorsThatUseThisAgentOr : undefined}>
      {error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={2} />
      ) : mine.length === 0 ? (
        <p className="muted small">{text.noConnectorUsesThisAgentYet}</p>
      ) : (
        <Table label={text.connectorsThatUseThisAgent}>
          <thead>
            <tr>
              <th scope="col">{text.system}</th>
              <th scope="col">{text.state}</th>
              <th scope="col">{text.uses}</th>
              <th scope="col">{text.lastSync}</th>
            </tr>
          </thead>
          <tbody>
            {mine.map((c) => (
              <tr key={c.id}>
                <td>
                  <Link to="/connectors/$id" params={{ id: c.id }}>
                    <Text of={c.name} />
                  </Link>
                </td>
                <td>
                  <State of={c.status} />
                </td>
                <td>{c.agent_id ? text.thisAgent : text.itsGroup}</td>
                <td>
                  <When at={c.last_success_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  );
}
