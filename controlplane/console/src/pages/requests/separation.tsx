import * as text from "#text/separation";
import { VerdictOf } from "../separation/verdict";
import type { Drafting } from "./draft";
import type { RequestPreview } from "./preview";
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
