import { CircleAlert, RotateCw } from "lucide-react";
import { type ButtonHTMLAttributes, Fragment, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import * as texts from "#text/kit";
import { Refusal } from "../api/session";
import { Help } from "../app/help";
import { exactTime, relativeTime } from "./time";

export { Problems } from "./problems";

type Tone = "plain" | "primary" | "danger" | "quiet";

/** A button; its words are a verb. reads: it changes nothing, so that whoever only reads has it too. */
export function Button({
  tone = "plain",
  className = "",
  reads,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { tone?: Tone; reads?: boolean }) {
  return <button type="button" className={`button ${tone} ${className}`} data-reads={reads ? "" : undefined} {...rest} />;
}

/** The head of a page: where it belongs, its one h1, what it is for, and what can be done. The page of the documentation stands beside. */
export function Head({ title, lead, up, children }: { title: ReactNode; lead?: ReactNode; up?: ReactNode; children?: ReactNode }) {
  return (
    <header className="head">
      <div className="grow">
        {up && <div className="up small muted">{up}</div>}
        <h1 tabIndex={-1} dir="auto">
          {title}
        </h1>
        {lead && <div className="muted lead">{lead}</div>}
      </div>
      <div className="row">
        {children}
        <Help />
      </div>
    </header>
  );
}

/** A state in colour and in words. */
export function Badge({ tone = "neutral", children }: { tone?: "neutral" | "ok" | "warn" | "bad" | "info"; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** What stands where nothing is: what it is for, and the next thing to do. */
export function Empty({ title, page = false, children }: { title: string; page?: boolean; children?: ReactNode }) {
  const Title = page ? "h1" : "h2";
  return (
    <div className="empty">
      <Title tabIndex={page ? -1 : undefined}>{title}</Title>
      {children && <div className="muted">{children}</div>}
    </div>
  );
}

/** What could not be shown: in the service's own words, with the id of the request to quote. With page it is all there is on the page. */
export function Failure({ error, retry, page = false }: { error: unknown; retry?: () => void; page?: boolean }) {
  const Title = page ? "h1" : "h2";
  const r = error instanceof Refusal ? error : new Refusal(0, "", String(error));
  const title = r.status === 404 ? texts.notFoundOrNotVisibleTo : r.status === 403 ? texts.notVisibleToYou : texts.requestFailed;
  return (
    <div className="failure" role="alert">
      <CircleAlert aria-hidden size={20} />
      <div className="grow">
        <Title tabIndex={page ? -1 : undefined}>{title}</Title>
        <p>{r.message}</p>
        {r.requestId && <p className="small faint">{texts.requestRequest(<code>{r.requestId}</code>)}</p>}
      </div>
      {retry && (
        <Button reads onClick={retry}>
          <RotateCw aria-hidden size={15} /> {texts.tryAgain}
        </Button>
      )}
    </div>
  );
}

/** A table. Its head stays in sight while the page scrolls; where it is wider than the page it scrolls by itself, with the keyboard too. */
export function Table({ label, stale, children }: { label: string; stale?: boolean; children: ReactNode }) {
  const [wide, place] = useWide();
  return (
    <section
      ref={place}
      className="card table"
      aria-label={label}
      aria-busy={stale}
      data-wide={wide || undefined}
      tabIndex={wide ? 0 : undefined}
    >
      <table>{children}</table>
    </section>
  );
}

/** Whether the table within a place is wider than it. */
function useWide(): [boolean, RefObject<HTMLElement | null>] {
  const place = useRef<HTMLElement>(null);
  const [wide, setWide] = useState(false);
  useLayoutEffect(() => {
    const around = place.current;
    const table = around?.querySelector("table");
    if (!around || !table) return undefined;
    const measure = () => setWide(table.offsetWidth > around.clientWidth + 1);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(around);
    observer.observe(table);
    return () => observer.disconnect();
  }, []);
  return [wide, place];
}

/** Lines in the shape of a table that is still being read. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div aria-busy="true" aria-live="polite" className="skeleton">
      <span className="sr">{texts.loading}</span>
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines that are all alike
        <div key={i} className="bar" />
      ))}
    </div>
  );
}

/** Stands for a dialog while its program is being fetched: what is typed meanwhile is meant for it, not for the page. */
export const LoadingMarker = () => <span hidden data-coming="" />;

/** A moment: in words, and exactTime when one points at it. */
export function When({ at, none = "never" }: { at?: string | null; none?: string }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return <span className="faint">{none}</span>;
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, Date.now())}
    </time>
  );
}

/** Names and what they are, side by side. */
export function Facts({ of }: { of: [string, ReactNode][] }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A remark beside what it is about. */
export function Note({ tone = "info", children }: { tone?: "ok" | "warn" | "bad" | "info"; children: ReactNode }) {
  return <div className={`note ${tone}`}>{children}</div>;
}

/** A part of a page under a title of its own, with what can be done about it. */
export function Part({ title, lead, actions, children }: { title: ReactNode; lead?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="stack tight part">
      <div className="row between">
        <h2>{title}</h2>
        {actions && <div className="row">{actions}</div>}
      </div>
      {lead && <p className="muted small">{lead}</p>}
      {children}
    </section>
  );
}

/** Text of a target system: shown as it is, in its own direction, and never wider than where it stands. */
export function Text({ of, none = "" }: { of?: string | null; none?: string }) {
  if (!of) return <span className="faint">{none}</span>;
  return (
    <bdi className="clip" title={of.length > 16 ? of.slice(0, 2000) : undefined}>
      {breakable(of.length > 300 ? `${of.slice(0, 300)}…` : of)}
    </bdi>
  );
}

/** A text with places to break it at: an address goes to the next line after its @ or before a dot, and not within a word. */
function breakable(text: string): ReactNode {
  if (!/^\S+@\S+$/.test(text)) return text;
  return text.split(/(?<=@)|(?=\.)/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text stay in their order
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
