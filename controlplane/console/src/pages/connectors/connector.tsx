import { useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import * as text from "#text/connectors";
import type { Connector } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Failure, Head, Note, Skeleton, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Actions } from "./actions";
import "./connectors.css";
import { HealthState } from "./healthstate";
import { Overview } from "./overview";
import { Runs } from "./runs";
import { useStep } from "./step";
import { typeOf } from "./words";
import { WritesStopped } from "./writes";

const Mapping = lazy(() => import("./mapping"));
const Settings = lazy(() => import("./settings"));

const tabs = [
  ["overview", text.overview],
  ["runs", text.runs],
  ["mapping", text.mapping],
  ["settings", text.settings],
] as const;

/** One connected system: its health, its sync runs, its mappings and its settings. */
export default function OneConnector() {
  const { id, tab = "overview" } = useParams({ strict: false }) as { id: string; tab?: string };
  const found = useGet<Connector>(`/connectors/${id}`, {}, { every: 10_000 });
  if (found.isPending) return <Skeleton rows={6} />;
  if (!found.data) return <Failure page error={found.error} retry={() => void found.refetch()} />;
  const c = found.data;
  return (
    <>
      <Head
        up={<Link to="/connectors">{text.connectors}</Link>}
        title={<Text of={c.name} />}
        lead={
          <>
            {typeOf(c)} · {c.environment} · {c.mode === "agent" ? text.throughAnAgent : text.directConnection}
          </>
        }
      >
        <HealthState of={c} />
        <Actions of={c} />
      </Head>
      <nav className="tabs" aria-label={text.sectionsOfTheConnector}>
        {tabs.map(([t, words]) => (
          <Link
            key={t}
            to="/connectors/$id/$tab"
            params={{ id, tab: t }}
            resetScroll={false}
            activeProps={{}}
            className={t === tab ? "active" : ""}
            aria-current={t === tab ? "page" : undefined}
          >
            {words}
          </Link>
        ))}
      </nav>
      {c.status === "draft" && <Draft of={c} />}
      <WritesStopped of={c} />
      <Suspense fallback={<Skeleton rows={6} />}>
        {tab === "runs" ? (
          <Runs of={c} />
        ) : tab === "mapping" ? (
          <Mapping of={c} />
        ) : tab === "settings" ? (
          <Settings of={c} />
        ) : (
          <Overview of={c} />
        )}
      </Suspense>
    </>
  );
}

function Draft({ of: c }: { of: Connector }) {
  const may = useMay();
  const step = useStep(c.id, may.admin);
  return (
    <Note tone="info">
      {text.thisConnectorIsADraftIt}{" "}
      {may.admin && (
        <Link to="/connectors/new/$id/$step" params={{ id: c.id, step }}>
          {text.continueSetup}
        </Link>
      )}
    </Note>
  );
}
