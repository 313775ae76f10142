import * as texts from "#text/kit";
import "./diff.css";
import { displayValue } from "./difftext";

/** One member of something before and after. */
type Difference = { field: string; from?: unknown; to?: unknown; hidden?: boolean | undefined };

/** What was, with a minus, and what is, with a plus. hidden values are secrets, or about somebody whom the reader may not see. */
export function Differences({ of, none = texts.noChanges }: { of: Difference[]; none?: string }) {
  if (of.length === 0) return <p className="muted small">{none}</p>;
  return (
    <dl className="diff small">
      {of.map((d) => (
        <div key={d.field}>
          <dt>{d.field.replaceAll("_", " ")}</dt>
          {d.hidden ? (
            <dd className="muted">{texts.changedValuesAreNotShown}</dd>
          ) : (
            <>
              <Side sign="−" name="was" className="gone" of={d.from} />
              <Side sign="+" name="is" className="came" of={d.to} />
            </>
          )}
        </div>
      ))}
    </dl>
  );
}

function Side({ sign, name, className, of }: { sign: string; name: string; className: string; of: unknown }) {
  const text = displayValue(of);
  if (text === undefined) return null;
  return (
    <dd className={className}>
      <span aria-hidden>{sign} </span>
      <span className="sr">{name} </span>
      <bdi>{text}</bdi>
    </dd>
  );
}
