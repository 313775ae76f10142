import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Connector } from "../../api/types";
import { useGet } from "../../api/use";
import { Id } from "../../kit/elements";
import { Facts, Failure, Head, Note, Part, Skeleton, Table, Text, When } from "../../kit/kit";
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
        up={<Link to={"/settings/agents" as never}>Agents</Link>}
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
      <Behind of={a} />
    </div>
  );
}

function facts(a: Agent): [string, ReactNode][] {
  const n = (name: string) => (typeof a.stats?.[name] === "number" ? (a.stats[name] as number) : undefined);
  const mib = (bytes?: number) => (bytes === undefined ? undefined : `${(bytes / 2 ** 20).toFixed(1)} MiB`);
  return [
    ["Last contact", <When key="seen" at={a.last_seen_at} />],
    ["Connected since", a.connected_since && <When key="since" at={a.connected_since} />],
    ["Version", a.version],
    ["Group", a.group && <bdi key="group">{a.group}</bdi>],
    ["Host", a.hostname && <bdi key="host">{a.hostname}</bdi>],
    ["System", a.os && `${a.os} ${a.arch ?? ""}`],
    ["Last address", a.ip_last],
    [
      "Clock",
      a.clock_skew_ms === null
        ? undefined
        : `${Math.abs(a.clock_skew_ms) < 1000 ? "less than 1 s off" : `${(a.clock_skew_ms / 1000).toFixed(0)} s off`}`,
    ],
    ["Running tasks", n("in_flight")],
    ["Data waiting on its disk", mib(n("spool_bytes"))],
    ["Memory", mib(n("rss_bytes"))],
    ["Token expires", a.token_expires_at && <When key="token" at={a.token_expires_at} />],
    ["Identity key", a.identity_fingerprint && <Id key="identity" of={a.identity_fingerprint} />],
    ["Sealing key", a.sealing_fingerprint && <Id key="sealing" of={a.sealing_fingerprint} />],
    ["Registered", <When key="created" at={a.created_at} />],
    ["ID", <Id key="id" of={a.id} />],
  ];
}

/** The connectors that this agent, or its group, reads. */
function Behind({ of }: { of: Agent }) {
  const { data, error, refetch } = useGet<{ items: Connector[]; total: number }>("/connectors", { mode: "agent", limit: 500 });
  const mine = data?.items.filter((c) => c.agent_id === of.id || (of.group && c.agent_group === of.group)) ?? [];
  return (
    <Part title="Connected systems" lead={of.group ? "Connectors that use this agent or its group." : undefined}>
      {error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={2} />
      ) : mine.length === 0 ? (
        <p className="muted small">No connector uses this agent yet.</p>
      ) : (
        <Table label="Connectors that use this agent">
          <thead>
            <tr>
              <th scope="col">System</th>
              <th scope="col">State</th>
              <th scope="col">Uses</th>
              <th scope="col">Last sync</th>
            </tr>
          </thead>
          <tbody>
            {mine.map((c) => (
              <tr key={c.id}>
                <td>
                  <Link to={"/connectors/$id" as never} params={{ id: c.id } as never}>
                    <Text of={c.name} />
                  </Link>
                </td>
                <td>
                  <State of={c.status} />
                </td>
                <td>{c.agent_id ? "this agent" : "its group"}</td>
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
