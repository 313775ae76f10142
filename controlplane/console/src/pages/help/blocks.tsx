import { Link2 } from "lucide-react";
import { type JSX, memo, type ReactNode } from "react";
import * as text from "#text/help";
import { Copy } from "../../kit/elements";
import { Link } from "../../kit/link";
import { known } from "./read";
import { type Block, type Inline, plain } from "./tree";

/** What a page says, element by element: nothing of it is ever read as HTML. */
export const Blocks = memo(function Blocks({ of, page }: { of: Block[]; page: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
  return of.map((b, i) => <One key={`${b.t}${i}`} of={b} page={page} />);
});

function One({ of, page }: { of: Block; page: string }): JSX.Element {
  switch (of.t) {
    case "head":
      return <Heading of={of} page={page} />;
    case "p":
      return (
        <p>
          <Line of={of.c} page={page} />
        </p>
      );
    case "code":
      return (
        <div className="verbatim">
          <Scrolls label={of.lang ? text.exampleLang(of.lang) : text.example} className="grow">
            <pre dir="ltr">{of.s}</pre>
          </Scrolls>
          <Copy text={of.s} />
        </div>
      );
    case "list": {
      const items = of.items.map((blocks, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
        <li key={i}>
          <Item of={blocks} page={page} />
        </li>
      ));
      return of.ordered ? <ol start={of.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case "table":
      return <Grid of={of} page={page} />;
    case "quote":
      return (
        <blockquote>
          <Blocks of={of.c} page={page} />
        </blockquote>
      );
    case "hr":
      return <hr />;
  }
}

/** A single paragraph in an item of a list stands without being one. */
function Item({ of, page }: { of: Block[]; page: string }) {
  const [first, ...rest] = of;
  if (first?.t !== "p") return <Blocks of={of} page={page} />;
  return (
    <>
      <Line of={first.c} page={page} />
      <Blocks of={rest} page={page} />
    </>
  );
}

function Heading({ of, page }: { of: Extract<Block, { t: "head" }>; page: string }) {
  const Name = `h${Math.min(Math.max(of.depth, 2), 6)}` as "h2";
  return (
    <Name id={of.id} tabIndex={-1}>
      <Line of={of.c} page={page} />
      <Link to="/help/$page" params={{ page }} hash={of.id} className="help-anchor" aria-label={text.linkToPlain(plain(of.c))}>
        <Link2 aria-hidden size={14} />
      </Link>
    </Name>
  );
}

function Grid({ of, page }: { of: Extract<Block, { t: "table" }>; page: string }) {
  const named = of.head.some((c) => plain(c));
  const label = named
    ? text.tableHead(of.head.map(plain).filter(Boolean).join(", "))
    : text.tableRows(
        of.rows
          .map((r) => plain(r[0] ?? []))
          .join(", ")
          .slice(0, 120),
      );
  const side = (i: number) => (of.right[i] ? "num" : undefined);
  return (
    <Scrolls label={label} className="help-table">
      <table>
        {named && (
          <thead>
            <tr>
              {of.head.map((c, i) => {
                const Cell = c.length > 0 ? "th" : "td";
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
                  <Cell key={i} scope={c.length > 0 ? "col" : undefined} className={side(i)}>
                    <Line of={c} page={page} />
                  </Cell>
                );
              })}
            </tr>
          </thead>
        )}
        <tbody>
          {of.rows.map((row, r) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
            <tr key={r}>
              {row.map((c, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
                <td key={i} className={side(i)}>
                  <Line of={c} page={page} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

/** What is wider than the page scrolls by itself, with the keyboard too. A group and no landmark: a page has many of them. */
function Scrolls({ label, className, children }: { label: string; className: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: no part of a form
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached
    <div role="group" aria-label={label} className={className} tabIndex={0}>
      {children}
    </div>
  );
}

function Line({ of, page }: { of: Inline[]; page: string }): JSX.Element[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
  return of.map((i, n) => <InlineNode key={n} of={i} page={page} />);
}

function InlineNode({ of, page }: { of: Inline; page: string }): JSX.Element {
  if (typeof of === "string") return <>{of}</>;
  if (of.t === "code") return <code>{of.s}</code>;
  if (of.t === "br") return <br />;
  const inner = <Line of={of.c} page={page} />;
  if (of.t === "out")
    return (
      <a href={of.href} target="_blank" rel="noreferrer">
        {inner}
      </a>
    );
  if (of.t === "page") {
    const to = of.page || page;
    if (!known(to)) return inner;
    return (
      <Link to="/help/$page" params={{ page: to }} {...(of.at ? { hash: of.at } : {})}>
        {inner}
      </Link>
    );
  }
  const Name = of.t;
  return <Name>{inner}</Name>;
}
