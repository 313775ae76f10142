import { CircleAlert, RotateCw } from "lucide-react";
import { type ButtonHTMLAttributes, type ReactNode, useEffect, useState } from "react";
import { Refusal } from "../api/session";
import { told } from "./told";

type Tone = "plain" | "primary" | "danger" | "quiet";

/** A button; its words are a verb. */
export function Button({ tone = "plain", className = "", ...rest }: ButtonHTMLAttributes<HTMLButtonElement> & { tone?: Tone }) {
  return <button type="button" className={`button ${tone} ${className}`} {...rest} />;
}

/** The head of a page: its one h1, what it is for, and what can be done. */
export function Head({ title, lead, children }: { title: ReactNode; lead?: ReactNode; children?: ReactNode }) {
  return (
    <header className="head">
      <div className="grow">
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p className="muted">{lead}</p>}
      </div>
      {children && <div className="row">{children}</div>}
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
      <Title>{title}</Title>
      {children && <div className="muted">{children}</div>}
    </div>
  );
}

/** What could not be shown: in the service's own words, with the id of the request to quote. With page it is all there is on the page. */
export function Failure({ error, retry, page = false }: { error: unknown; retry?: () => void; page?: boolean }) {
  const Title = page ? "h1" : "h2";
  const r = error instanceof Refusal ? error : new Refusal(0, "", String(error));
  const title = r.status === 404 ? "There is nothing here that you may see" : r.status === 403 ? "Not visible to you" : "That did not work";
  return (
    <div className="failure" role="alert">
      <CircleAlert aria-hidden size={20} />
      <div className="grow">
        <Title>{title}</Title>
        <p>{r.message}</p>
        {r.requestId && (
          <p className="small faint">
            Request <code>{r.requestId}</code>
          </p>
        )}
      </div>
      {retry && (
        <Button onClick={retry}>
          <RotateCw aria-hidden size={15} /> Try again
        </Button>
      )}
    </div>
  );
}

/** A table that scrolls by itself where it is wider than the page, with the keyboard too. */
export function Table({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached
    <section className="card table" aria-label={label} tabIndex={0}>
      <table>{children}</table>
    </section>
  );
}

/** Lines in the shape of a table that is still being read. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div aria-busy="true" aria-live="polite" className="skeleton">
      <span className="sr">Reading…</span>
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines that are all alike
        <div key={i} className="bar" />
      ))}
    </div>
  );
}

/** A moment: in words, and exactly when one points at it. */
export function When({ at, none = "never" }: { at?: string | null; none?: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return <span className="faint">{none}</span>;
  return (
    <time dateTime={at} title={at}>
      {told(at, now)}
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
