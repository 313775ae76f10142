import * as text from "#text/provisioning";
import type { Of } from "../../api/types";
import { Differences } from "../../kit/diff";
import { Verbatim } from "../../kit/elements";
import { When } from "../../kit/kit";
import { State } from "../../kit/state";
import { verbatim } from "../connectors/target";
import { lasted } from "../connectors/words";
import type { TaskDetail } from "./words";

/** What is to be written, without secrets, and what has become different by it. */
export function Written({ of: t }: { of: TaskDetail }) {
  const account = t.payload.account;
  const { attributes, ...members } = account ?? {};
  const fields = Object.entries({ ...members, ...attributes }).filter(([, v]) => v !== null && v !== undefined);
  return (
    <>
      {fields.length > 0 && (
        <div className="stack tight">
          <h3>{text.writtenValues}</h3>
          <Differences of={fields.map(([field, to]) => ({ field, to }))} />
          {t.payload.credential && t.payload.credential.mode !== "none" && <p className="small muted">{text.withARandomPasswordThatIs}</p>}
        </div>
      )}
      {t.changes.length > 0 && (
        <div className="stack tight">
          <h3>{text.drift}</h3>
          <Differences of={t.changes.map((c) => ({ field: c.field, from: c.old, to: c.new }))} />
        </div>
      )}
    </>
  );
}

/** Each time that it was sent. */
export function Attempts({ of: t }: { of: TaskDetail }) {
  if (t.attempts.length === 0) return null;
  return (
    <div className="stack tight">
      <h3>{text.attempts}</h3>
      <ol className="provisioning-attempts small">
        {[...t.attempts].reverse().map((a) => (
          <li key={a.n}>
            <OneTry of={a} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function OneTry({ of: a }: { of: Of<"TaskAttempt"> }) {
  const said = a.upstream ? [a.upstream.message, verbatim(a.upstream)].filter(Boolean).join("\n\n") : "";
  const good = a.outcome === "applied" || a.outcome === "already" || a.outcome === "noop";
  return (
    <div className="stack tight">
      <div className="row between">
        <span>
          {a.n}. <When at={a.at} />{" "}
          {a.executed_by?.mode === "agent" && (
            <span className="muted">{text.byTheAgentOnHostname(a.executed_by.hostname ?? text.itsHost)}</span>
          )}
        </span>
        <span className="row">
          <span className="muted">{lasted(a.latency_ms)}</span>
          <State
            of={a.outcome ?? "unknown"}
            tone={good ? "ok" : a.error_class ? "bad" : "neutral"}
            words={(a.outcome ?? text.outcomeUnknown).replaceAll("_", " ")}
          />
        </span>
      </div>
      {said && (
        <details>
          <summary data-reads="">{text.responseOfTheSystem}</summary>
          <Verbatim label={text.responseToAttemptN(a.n)} copy>
            {said}
          </Verbatim>
        </details>
      )}
      {a.request_id && <span className="faint mono">{a.request_id}</span>}
    </div>
  );
}
