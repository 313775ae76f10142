import * as text from "#text/webhooks";
import { type DeliveryDetail, placeOf, schedule, span } from "./words";

const width = 500;
const left = 14;
const x = (seconds: number) => left + placeOf(seconds) * (width - 2 * left);
const marks = [60, 600, 3600, 21_600];

/** The attempts of a delivery over its six hours: those made, and the times in which those to come begin. */
export function Timeline({ of: d }: { of: DeliveryDetail }) {
  const [first] = d.attempts;
  const start = Date.parse(first?.at ?? d.created_at);
  const made = d.attempts.map((a) => ({
    n: a.n,
    after: (Date.parse(a.at) - start) / 1000,
    ok: a.status !== undefined && a.status >= 200 && a.status < 300,
    status: a.status,
  }));
  const open = d.state === "pending";
  const coming = open ? schedule.map(([from, to], i) => ({ n: i + 1, from, to })).filter((s) => s.n > made.length) : [];
  const said = made
    .map((m) =>
      m.status ? text.attemptNAfterSpanHttpStatus(m.n, span(m.after), m.status) : text.attemptNAfterSpanNoResponse(m.n, span(m.after)),
    )
    .join("; ");
  return (
    <svg
      className="webhooks-timeline"
      viewBox={`0 0 ${width} 74`}
      role="img"
      aria-label={
        open
          ? text.countOf5AttemptsInSix(made.length, said || text.noAttemptsYet, coming.length)
          : text.countOf5AttemptsInSixLower(made.length, said || text.noAttemptsYet)
      }
    >
      <line x1={left} y1="30" x2={width - left} y2="30" className="webhooks-axis" />
      {marks.map((m) => (
        <g key={m}>
          <line x1={x(m)} y1="26" x2={x(m)} y2="34" className="webhooks-axis" />
          <text x={x(m)} y="66" className="webhooks-mark">
            {span(m)}
          </text>
        </g>
      ))}
      {coming.map((c) => (
        <g key={c.n}>
          <title>{text.attemptNStartsBetweenSpanAnd(c.n, span(c.from), span(c.to))}</title>
          <rect x={x(c.from)} y="22" width={Math.max(6, x(c.to) - x(c.from))} height="16" rx="4" className="webhooks-pending" />
          <text x={(x(c.from) + x(c.to)) / 2} y="14" className="webhooks-count">
            {c.n}
          </text>
        </g>
      ))}
      {made.map((m) => (
        <g key={m.n}>
          <title>
            {m.status
              ? text.attemptNSpanAfterTheFirst(m.n, span(m.after), m.status)
              : text.attemptNSpanAfterTheFirstText(m.n, span(m.after))}
          </title>
          {m.ok ? (
            <circle cx={x(m.after)} cy="30" r="7" className="webhooks-delivered" />
          ) : (
            <path d={`M${x(m.after) - 6} 24l12 12m0-12l-12 12`} className="webhooks-failed" />
          )}
          <text x={x(m.after)} y="14" className="webhooks-count">
            {m.n}
          </text>
          <text x={x(m.after)} y="52" className="webhooks-mark">
            {m.status ?? "–"}
          </text>
        </g>
      ))}
    </svg>
  );
}
