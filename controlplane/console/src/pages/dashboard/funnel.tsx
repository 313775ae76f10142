import * as text from "#text/dashboard";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";

const width = 1000;
const height = 120;
const gap = 10;

/** How many people are known, and how many of them are connected to an account: as a picture, with the figures above it. */
export function Funnel({ of }: { of: Of<"DashboardFunnel"> }) {
  const stages = [
    { words: text.people, lead: text.fromSourceSystems, n: of.bootstrapped },
    { words: text.connected, lead: text.withAnAccount, n: of.connected },
  ];
  const most = Math.max(1, of.bootstrapped);
  const high = (n: number) => Math.max(2, (n / most) * (height - 4));
  const each = (width - gap * (stages.length - 1)) / stages.length;
  return (
    <section className="card padded stack tight" aria-labelledby="funnel">
      <div className="row between">
        <h2 id="funnel">{text.fromDirectoryToGovernance}</h2>
        <span className="badge info">{of.state === "connected" ? text.systemsAreConnected : text.noSyncHasSucceededYet}</span>
      </div>
      <dl className="dash-stages">
        {stages.map((s) => (
          <div key={s.words}>
            <dt>{s.words}</dt>
            <dd>
              <strong>{s.n.toLocaleString("en")}</strong>
              {s.n !== of.bootstrapped && <span className="muted small"> {Math.round((100 * s.n) / most)} %</span>}
              <span className="muted small block">{s.lead}</span>
            </dd>
          </div>
        ))}
      </dl>
      <svg
        className="dash-funnel"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text.connectedOfPeopleHaveAnAccount(number(of.connected), of.bootstrapped)}
      >
        {stages.map((s, i) => (
          <path
            key={s.words}
            className={i === 0 ? "first" : "then"}
            d={band(i * (each + gap), each, high(stages[Math.max(0, i - (i > 0 ? 1 : 0))]?.n ?? 0), high(s.n))}
          >
            <title>{`${s.words}: ${s.n}`}</title>
          </path>
        ))}
      </svg>
    </section>
  );
}

/** A band that becomes as high as its end. */
function band(x: number, w: number, from: number, to: number): string {
  const mid = height / 2;
  const half = x + w / 2;
  const end = x + w;
  const [a, b, c, d] = [mid - from / 2, mid - to / 2, mid + to / 2, mid + from / 2];
  return `M${x} ${a} C${half} ${a} ${half} ${b} ${end} ${b} L${end} ${c} C${half} ${c} ${half} ${d} ${x} ${d} Z`;
}
