import { useEffect, useRef } from "react";
import * as text from "#text/wizard";
import { Badge } from "../../kit/kit";
import { clock, type Line, type Progress, type ProgressHistory, throughput } from "./progress";

const counted = [
  ["identities_read", text.identities, text.peopleRead],
  ["accounts_discovered", text.accountsLower, text.accountsRead],
  ["entitlements_mapped", text.entitlements, text.entitlementsRead],
  ["grants_recorded", text.grants, text.grantsRead],
] as const;

/** The four counters of a sync, each with how far it is of what the system says it holds. */
export function Counts({ of, done }: { of: Progress | undefined; done: boolean }) {
  return (
    <dl className="wizard-counts">
      {counted.map(([key, whole, words]) => {
        const n = of?.counters[key] ?? 0;
        const all = of?.estimate?.[whole];
        const part = done ? 1 : all ? Math.min(1, n / all) : 0;
        return (
          <div key={key} className="card">
            <dt className="small muted">{words}</dt>
            <dd>
              {n.toLocaleString("en")}
              <div
                className="wizard-bar"
                title={all && !done ? text.nOfAboutAll(n.toLocaleString("en"), all.toLocaleString("en")) : undefined}
              >
                <span style={{ width: `${100 * part}%` }} />
              </div>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const width = 1000;
const height = 84;

/** How many records a second were read, over the time of the run. */
export function Throughput({ of, running }: { of: ProgressHistory["points"]; running: boolean }) {
  const rates = throughput(of);
  const [first, last] = [of[0], of.at(-1)];
  const seconds = first && last ? (last.at - first.at) / 1000 : 0;
  const mean = first && last && seconds > 0 ? (last.records - first.records) / seconds : 0;
  const peak = Math.max(1, ...rates.map((r) => r.rate));
  const now = running ? (rates.at(-1)?.rate ?? 0) : mean;
  const round = (n: number) => Math.round(n).toLocaleString("en");
  return (
    <section className="card padded stack tight">
      <div className="row between">
        <h2>{text.throughput}</h2>
        <span className="small num">
          {rates.length > 0 ? (running ? text.roundRecordsS(round(now)) : text.roundRecordsSOnAverage(round(now))) : running ? "…" : ""}
        </span>
      </div>
      {rates.length > 0 ? (
        <svg
          className="wizard-area"
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={text.recordsPerSecondOverMaxS(Math.max(1, Math.round(seconds)), round(peak), round(mean))}
        >
          <path className="wizard-fill" d={area(rates, first?.at ?? 0, last?.at ?? 1, peak)} />
          <line x1="0" y1={height - 0.5} x2={width} y2={height - 0.5} />
        </svg>
      ) : (
        <p className="small muted">{running ? text.shownWhenTheFirstRecordsAre : text.theSyncEndedBeforeAChart}</p>
      )}
    </section>
  );
}

function area(rates: { at: number; rate: number }[], from: number, to: number, peak: number): string {
  const span = Math.max(1, to - from);
  const x = (at: number) => (((at - from) / span) * width).toFixed(1);
  const y = (rate: number) => (height - (rate / peak) * (height - 8)).toFixed(1);
  let path = `M0 ${height}`;
  let at = from;
  for (const r of rates) {
    path += `L${x(at)} ${y(r.rate)}L${x(r.at)} ${y(r.rate)}`;
    at = r.at;
  }
  return `${path}L${x(at)} ${height}Z`;
}

/** What has happened, the newest last. */
export function Log({ of }: { of: Line[] }) {
  const list = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is shown
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [of.length]);
  if (of.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached
    <section ref={list} className="card padded wizard-log" aria-label={text.progressMessages} tabIndex={0}>
      <ol>
        {of.map((l, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines stay in their order
          <li key={i}>
            <time dateTime={l.at}>{clock(l.at)}</time>
            {l.tone !== "info" && <Badge tone={l.tone}>{l.tone === "bad" ? text.error : text.warning}</Badge>}
            <span dir="auto">{l.words}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
