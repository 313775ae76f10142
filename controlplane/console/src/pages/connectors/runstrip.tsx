import * as text from "#text/syncruns";
import { type Outcome, outcomeOf, type RunBrief, runSummary, runWords } from "./words";

const heights: Record<Outcome, number> = { good: 14, part: 9, bad: 5, open: 11, none: 2 };
const slots = 14;
const wide = 7;

/** The last runs as bars, the newest at the right. How a run came out is told by colour and by height. */
export function RunStrip({ runs }: { runs: RunBrief[] }) {
  if (runs.length === 0) return <span className="faint">{text.noneYet}</span>;
  return (
    <svg
      className="connectors-strip"
      width={slots * wide}
      height={16}
      viewBox={`0 0 ${slots * wide} 16`}
      role="img"
      aria-label={runSummary(runs)}
    >
      {runs.slice(-slots).map((r, i) => {
        const o = outcomeOf(r.status);
        return (
          <rect key={r.id} className={o} x={i * wide} y={15 - heights[o]} width={wide - 2} height={heights[o]} rx={1}>
            <title>{`${r.created_at.slice(0, 16).replace("T", " ")}: ${runWords(r.status)}${r.error_code ? ` (${r.error_code})` : ""}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
