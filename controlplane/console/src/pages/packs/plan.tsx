import * as text from "#text/packs";
import type { Of } from "../../api/types";
import { Differences } from "../../kit/diff";
import { Note } from "../../kit/kit";
import { Impact } from "../roles/impact";
import { ImpactOf } from "../separation/impact";
import { kindWords, type PlanItem, reasonWords, waitsFor } from "./words";

type Planned = Of<"PlannedChange">;

type Key = "add" | "change" | "remove" | "conflict" | "skip" | "kept";
type Group = { key: Key; sign: string; tone: string; words: string };

const groups: Group[] = [
  { key: "add", sign: "+", tone: "add", words: text.added },
  { key: "change", sign: "~", tone: "diff", words: text.changed },
  { key: "remove", sign: "−", tone: "gone", words: text.removed },
  { key: "conflict", sign: "!", tone: "clash", words: text.inConflictYourValueAppliesUntil },
  { key: "skip", sign: "·", tone: "stay", words: text.unchanged },
  { key: "kept", sign: "·", tone: "stay", words: text.keptUntilTheServiceHasWhatTheyAreFor },
];

/** What an installation or an upgrade would do, and whose access it would change. */
export function Plan({ of: p }: { of: Planned }) {
  const isKept = (i: PlanItem) => i.reason?.startsWith("kept_") ?? false;
  const items = { ...p, skip: p.skip.filter((i) => !isKept(i)), kept: p.skip.filter(isKept) };
  return (
    <div className="stack">
      <section aria-label={text.peopleWithChangedAccess} className="card padded">
        <Impact of={p.impact} />
        {p.impact.limits_hit.map((l) => (
          <Note key={l.code} tone="warn">
            {text.detailIfYouContinueYouConfirm(l.detail)}
          </Note>
        ))}
      </section>
      <Separation of={p.separation} />
      {p.birthrights.length > 0 && (
        <details className="card padded">
          <summary data-reads="">{text.birthrightsCurrentAndNew}</summary>
          <div className="stack">
            {p.birthrights.map((b) => (
              <div key={b.object_key} className="stack tight">
                <strong>{b.object_key}</strong>
                <Differences of={fieldsOf(b)} />
              </div>
            ))}
          </div>
        </details>
      )}
      {groups
        .filter((g) => items[g.key].length > 0)
        .map((g) => (
          <Items key={g.key} of={items[g.key]} group={g} />
        ))}
      {p.pending_binding.length > 0 && <Note>{text.objectsWaitForASystemWith(p.pending_binding.length)}</Note>}
    </div>
  );
}

/** Violations that the change would cause and end, and the roles that keep it from being installed. */
function Separation({ of: s }: { of: Planned["separation"] }) {
  if (s.role_conflicts.length + s.by_policy.length + s.violations_new + s.violations_closed === 0) return null;
  return (
    <section aria-label={text.separationOfDuties} className="card padded stack tight">
      <h3>{text.separationOfDuties}</h3>
      {s.role_conflicts.length > 0 && (
        <Note tone="bad">
          {text.rolesThatViolateAPolicy}
          <ul>
            {s.role_conflicts.map((c) => (
              <li key={`${c.role_id} ${c.detail}`}>{c.detail}</li>
            ))}
          </ul>
        </Note>
      )}
      <ImpactOf of={s} />
    </section>
  );
}

/** Some objects of a pack, each with a sign of what becomes of it. */
export function Items({ of, group: g }: { of: PlanItem[]; group: Omit<Group, "key"> }) {
  return (
    <section className="stack tight" aria-label={g.words}>
      <h3>
        {g.words} <span className="muted">({of.length})</span>
      </h3>
      <ul className="packs-plan small">
        {of.map((i) => (
          <li key={`${i.kind} ${i.object_key}`}>
            <span className={`sign ${g.tone}`} aria-hidden>
              {g.sign}
            </span>
            <div>
              <strong dir="auto">{i.name || i.object_key}</strong> <span className="muted">{kindWords(i.kind)}</span>
              {i.fields.length > 0 && <span className="muted"> · {i.fields.join(", ")}</span>}
              {i.reason && <span className="muted"> · {reasonWords(i.reason)}</span>}
              {i.waiting.length > 0 && (
                <ul className="muted">
                  {i.waiting.map((w) => (
                    <li key={JSON.stringify(w)} className="packs-pending">
                      {text.waitingForWaitsFor(waitsFor(w))}
                    </li>
                  ))}
                </ul>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function fieldsOf(b: Of<"BirthrightDiff">) {
  const before = (b.before ?? {}) as Record<string, unknown>;
  const after = (b.after ?? {}) as Record<string, unknown>;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((f) => JSON.stringify(before[f]) !== JSON.stringify(after[f]))
    .map((field) => ({ field, from: before[field], to: after[field] }));
}
