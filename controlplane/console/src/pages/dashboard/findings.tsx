import { ArrowDown, ArrowRight, ArrowUp } from "lucide-react";
import * as text from "#text/dashboard";
import type { Of } from "../../api/types";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { actionOf, trendOf } from "./findings.words";

type Finding = Of<"DashboardFinding">;

/** What should be done, the most serious first: each with its count, its trend and one action. */
export function Findings({ of }: { of: Finding[] }) {
  const open = of.filter((f) => f.count > 0);
  return (
    <section className="card padded stack tight" aria-labelledby="findings">
      <h2 id="findings">{text.findings}</h2>
      {open.length === 0 ? (
        <p className="muted">{text.noOpenFindings}</p>
      ) : (
        <ul className="dash-findings">
          {open.map((f) => (
            <li key={f.kind}>
              <strong className="figure">{f.count.toLocaleString("en")}</strong>
              <span>{f.label}</span>
              <State of={f.severity} tone={tones[f.severity]} />
              <Trend of={f} />
              <Action of={f} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const tones = { critical: "bad", high: "bad", medium: "warn", low: "neutral", none: "ok" } as const;

function Trend({ of }: { of: Finding }) {
  const trend = trendOf(of);
  if (!trend) return <span className="small muted dash-trend">{text.noEarlierCount}</span>;
  const Icon = trend.change > 0 ? ArrowUp : trend.change < 0 ? ArrowDown : ArrowRight;
  return (
    <span className="small muted dash-trend">
      <Icon aria-hidden size={13} /> {trend.words}
    </span>
  );
}

function Action({ of }: { of: Finding }) {
  const { to, search } = actionOf(of.kind);
  return (
    <Link to={to} search={search} className="button" data-reads="">
      {of.action.label}
    </Link>
  );
}
