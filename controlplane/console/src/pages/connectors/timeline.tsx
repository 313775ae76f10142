import * as text from "#text/syncruns";
import type { Of } from "../../api/types";
import { Table, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { lasted, outcomeOf, runSummary, runWords } from "./words";

type HealthRun = Of<"HealthRun">;

const wide = 600;
const high = 100;

/** The last runs by when they began and how long they took, the oldest at the left; with a table of the same. */
export function Timeline({ of: connector, runs }: { of: string; runs: HealthRun[] }) {
  if (runs.length === 0) return <p className="muted">{text.noSyncRunsYetSentence}</p>;
  const inOrder = [...runs].reverse();
  const longest = Math.max(1, ...inOrder.map((r) => r.duration_ms ?? 0));
  const slot = wide / Math.max(14, inOrder.length);
  return (
    <div className="stack tight">
      <div className="card padded">
        <svg
          className="connectors-time"
          viewBox={`0 0 ${wide} ${high + 20}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={text.theLongestTook(runSummary(runs), lasted(longest))}
        >
          <line x1={0} x2={wide} y1={high} y2={high} />
          {inOrder.map((r, i) => {
            const o = outcomeOf(r.status);
            const height = o === "bad" ? high - 6 : Math.max(4, ((r.duration_ms ?? 0) / longest) * (high - 20));
            return (
              <rect key={r.id} className={o} x={i * slot + slot * 0.15} width={slot * 0.7} y={high - height} height={height} rx={2}>
                <title>{`${r.created_at.slice(0, 16).replace("T", " ")}: ${runWords(r.status)}${r.error_code ? ` (${r.error_code})` : ""}, ${lasted(r.duration_ms)}`}</title>
              </rect>
            );
          })}
        </svg>
        <p className="small muted">{text.theHeightShowsTheDurationUp(lasted(longest))}</p>
      </div>
      <Table label={text.lastSyncRunsAsATable}>
        <thead>
          <tr>
            <th scope="col">{text.started}</th>
            <th scope="col">{text.mode}</th>
            <th scope="col">{text.result}</th>
            <th scope="col">{text.startedBy}</th>
            <th scope="col" className="num">
              {text.duration}
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((r) => (
            <tr key={r.id}>
              <td>
                <Link to="/connectors/$id/runs/$run" params={{ id: connector, run: r.id }}>
                  <When at={r.created_at} />
                </Link>
              </td>
              <td>
                {r.full ? text.full : text.incremental}
                {r.mode === "preview" ? text.preview : ""}
              </td>
              <td>
                <State of={r.status} words={runWords(r.status)} /> {r.error_code && <code className="small">{r.error_code}</code>}
              </td>
              <td>{r.trigger}</td>
              <td className="num">{lasted(r.duration_ms)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}
