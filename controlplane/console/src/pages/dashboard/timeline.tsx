import { ArrowRight } from "lucide-react";
import { useState } from "react";
import * as text from "#text/dashboard";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { Button, Table, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { hours, type Mark, marks } from "./words";

const rows = 12;

/** When each system was read within the last 24 hours, and how that went. A failure is taller as well as red. */
export function Timeline({ of, at }: { of: { runs: Of<"DashboardRuns">; connectors: Of<"DashboardConnectors"> }; at: string }) {
  const [asTable, setAsTable] = useState(false);
  const all = marks(of.runs.items, of.runs.since, at);
  const failed = all.filter((m) => m.tone === "bad").length;
  const ran = new Set(all.map((m) => m.connector));
  const names = of.connectors.items.filter((c) => ran.has(c.id));
  return (
    <section className="card padded stack tight" aria-labelledby="syncs">
      <div className="row between">
        <h2 id="syncs">{text.syncsLast24Hours}</h2>
        <span className="row">
          {all.length > 0 && (
            <Button reads tone="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
              {asTable ? text.chart : text.table}
            </Button>
          )}
          <Link to="/connectors" className="button quiet">
            {text.connectors} <ArrowRight aria-hidden size={14} />
          </Link>
        </span>
      </div>
      {all.length === 0 ? (
        <p className="muted">{text.noSyncRunsInTheLast}</p>
      ) : asTable ? (
        <AsTable of={of.runs} />
      ) : (
        <Picture
          of={all}
          names={names.slice(0, rows)}
          since={of.runs.since}
          at={at}
          words={text.syncsOfSystemsInTheLast(all.length, names.length, failed)}
        />
      )}
      {!asTable && names.length > rows && <p className="small muted">{text.firstSystemsOfCountByName(rows, number(names.length))}</p>}
      {of.runs.truncated && <p className="small muted">{text.thereAreMoreThanSyncRuns(of.runs.items.length)}</p>}
    </section>
  );
}

// Hours at an edge would be cut there.
const inside = (l: { part: number }) => l.part > 0.05 && l.part < 0.95;

type PictureProps = { of: Mark[]; names: Of<"DashboardConnectorRef">[]; since: string; at: string; words: string };

function Picture({ of, names, since, at, words }: PictureProps) {
  const lines = hours(since, at);
  return (
    <div className="dash-timeline">
      <ul aria-label={text.systemsWithSyncRuns}>
        {names.map((c) => (
          <li key={c.id}>
            <Link to="/connectors/$id/$tab" params={{ id: c.id, tab: "runs" }}>
              <Text of={c.name} />
            </Link>
          </li>
        ))}
      </ul>
      <svg
        role="img"
        aria-label={words}
        viewBox={`0 0 1000 ${names.length * 28}`}
        preserveAspectRatio="none"
        style={{ height: names.length * 28 }}
      >
        {lines.map((l) => (
          <line key={l.part} className="hour" x1={l.part * 1000} x2={l.part * 1000} y1={0} y2={names.length * 28} />
        ))}
        {names.map((c, i) => (
          <g key={c.id}>
            <line className="line" x1={0} x2={1000} y1={i * 28 + 14} y2={i * 28 + 14} />
            {of
              .filter((m) => m.connector === c.id)
              .map((m) => (
                <Run key={m.id} of={m} name={c.name} y={i * 28 + 14} />
              ))}
          </g>
        ))}
      </svg>
      <div className="dash-hours small muted" aria-hidden>
        {lines.filter(inside).map((l) => (
          <span key={l.part} style={{ left: `${l.part * 100}%` }}>
            {l.words}
          </span>
        ))}
      </div>
    </div>
  );
}

function Run({ of, name, y }: { of: Mark; name: string; y: number }) {
  const high = of.tone === "bad" ? 20 : of.tone === "warn" ? 14 : 10;
  return (
    <rect className={of.tone} x={of.from * 1000} width={of.width * 1000} y={y - high / 2} height={high} rx={2}>
      <title>{`${name}: ${of.status.replaceAll("_", " ")}, ${new Date(of.at).toLocaleString("en-GB")}`}</title>
    </rect>
  );
}

function AsTable({ of }: { of: Of<"DashboardRuns"> }) {
  return (
    <Table label={text.syncsOfTheLast24Hours}>
      <thead>
        <tr>
          <th scope="col">{text.system}</th>
          <th scope="col">{text.result}</th>
          <th scope="col">{text.started}</th>
          <th scope="col">{text.ended}</th>
        </tr>
      </thead>
      <tbody>
        {of.items.map((r) => (
          <tr key={r.id}>
            <td>
              <Link to="/connectors/$id/runs/$run" params={{ id: r.connector_id, run: r.id }}>
                <Text of={r.connector_name} />
              </Link>
            </td>
            <td>
              <State of={r.status} />
            </td>
            <td>
              <When at={r.started_at} none={text.waits} />
            </td>
            <td>
              <When at={r.finished_at} none={text.notYet} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
