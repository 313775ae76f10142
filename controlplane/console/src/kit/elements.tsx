import type { LinkProps } from "@tanstack/react-router";
import { Check, Copy as CopyIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import * as texts from "#text/kit";
import { Link } from "./link";
import { showToast } from "./toast";

/** One of a page's parts that have addresses of their own. */
type Tab = { words: string; to: LinkProps["to"]; params?: Record<string, string>; count?: number | undefined };

/** The parts of a page as links; the open one is marked. */
export function Tabs({ of, label }: { of: Tab[]; label: string }) {
  return (
    <nav className="tabs" aria-label={label}>
      {of.map((t) => (
        <Link
          key={t.words}
          to={t.to}
          params={t.params}
          resetScroll={false}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: "active", "aria-current": "page" }}
        >
          {t.words}
          {t.count !== undefined && <span className="count">{t.count.toLocaleString("en")}</span>}
        </Link>
      ))}
    </nav>
  );
}

/** Copies a text, and says so. */
export function Copy({ text, label = texts.copy }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 2000);
    } catch {
      showToast(texts.theBrowserBlockedCopyingSelectThe);
    }
  };
  return (
    <button type="button" className="button quiet icon" aria-label={label} title={label} data-reads="" onClick={() => void copy()}>
      {done ? <Check aria-hidden size={14} /> : <CopyIcon aria-hidden size={14} />}
    </button>
  );
}

/** An id or a value of a machine, with a button that copies it. */
export function Id({ of }: { of: string }) {
  return (
    <span className="id">
      <code>{of}</code>
      <Copy text={of} label={texts.copyId} />
    </span>
  );
}

/** What somebody else said, word for word: an answer, a command, a document. */
export function Verbatim({ children, label, copy }: { children: string; label: string; copy?: boolean }) {
  return (
    <div className="verbatim">
      <section aria-label={label} className="grow">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached */}
        <pre dir="auto" tabIndex={0}>
          {children}
        </pre>
      </section>
      {copy && <Copy text={children} />}
    </div>
  );
}

/** How far something has come: parts of a whole, each with its words. */
export function Bar({ of, label }: { of: { words: string; value: number; tone: 1 | 2 | 3 | 4 | 5 | 0 }[]; label: string }) {
  const total = of.reduce((sum, p) => sum + p.value, 0) || 1;
  return (
    <div className="bar-chart" role="img" aria-label={`${label}: ${of.map((p) => `${p.value} ${p.words}`).join(", ")}`}>
      {of.map((p) => (
        <span key={p.words} className={`c${p.tone}`} style={{ width: `${(100 * p.value) / total}%` }} title={`${p.value} ${p.words}`} />
      ))}
    </div>
  );
}

/** Steps on a way: done, here, to come. */
export function Steps({
  of,
  label,
}: {
  label: string;
  of: {
    words: string;
    detail?: ReactNode;
    state: "done" | "here" | "todo" | "bad";
    to?: LinkProps["to"];
    params?: Record<string, string>;
  }[];
}) {
  return (
    <nav aria-label={label}>
      <ol className="steps">
        {of.map((s, i) => {
          const inner = (
            <>
              <span className="sign" aria-hidden>
                {s.state === "done" ? <Check size={14} /> : s.state === "bad" ? "!" : i + 1}
              </span>
              <span>
                <strong>{s.words}</strong>
                {s.detail && <small className="muted">{s.detail}</small>}
              </span>
            </>
          );
          return (
            <li key={s.words} className={s.state} aria-current={s.state === "here" ? "step" : undefined}>
              {s.to ? (
                <Link to={s.to} params={s.params}>
                  {inner}
                </Link>
              ) : (
                <span className="inner">{inner}</span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
