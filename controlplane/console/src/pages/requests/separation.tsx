import * as text from "#text/separation";
import { Check } from "../../kit/form";
import { Note } from "../../kit/kit";
import { MitigationFields } from "../separation/mitigate";
import { VerdictOf } from "../separation/verdict";
import type { Conflict } from "../separation/words";
import type { Drafting } from "./draft";
import { type Problem, problemsAt, type RequestPreview } from "./preview";
import { PersonName } from "./recipients";

/** Which policies the requested access would violate, for whom, and the smallest ways out. */
export default function RequestSeparation({ all, d, self }: { all: RequestPreview[]; d: Drafting; self: string }) {
  const leave = (ids: string[]) => d.ask(d.things.filter((t) => !ids.includes(t.id)));
  return (
    <section className="stack" id="separation" aria-label={text.separationOfDuties} aria-live="polite">
      <h2>{text.separationOfDuties}</h2>
      {all.map(
        (f) =>
          f.separation &&
          f.separation.violations.length > 0 && (
            <VerdictOf
              key={f.person}
              of={f.separation}
              who={<PersonName id={f.person} known={d.draft.people[f.person]} self={self} />}
              {...(all.length === 1 ? { more: (c) => <Proposal of={c} d={d} problems={f.problems} /> } : {})}
              leave={(cure) => {
                const ids = cure.remove.map((s) => s.id);
                const asked = cure.remove.every((s) => s.kind === "added");
                return asked ? () => leave(ids) : undefined;
              }}
            />
          ),
      )}
    </section>
  );
}

/** Proposes a control that compensates for a violation, where the policy names some. */
function Proposal({ of: c, d, problems }: { of: Conflict; d: Drafting; problems: Problem[] }) {
  const all = d.draft.mitigations;
  const chosen = all[c.policy.id];
  if (c.mitigation || !c.mitigation_policies?.length) return null;
  const set = (change: typeof chosen) => {
    const { [c.policy.id]: _, ...others } = all;
    d.set({ mitigations: change ? { ...others, [c.policy.id]: change } : others });
  };
  return (
    <>
      <Check
        label={text.proposeWithTheRequest}
        hint={text.proposeWithTheRequestHint}
        value={Boolean(chosen)}
        set={(on) => set(on ? {} : undefined)}
      />
      {chosen && <MitigationFields of={c} value={chosen} set={(name, value) => set({ ...chosen, [name]: value })} />}
      {chosen &&
        problemsAt(problems, "mitigations").map((p) => (
          <Note key={p.detail} tone="warn">
            {p.detail}
          </Note>
        ))}
    </>
  );
}
