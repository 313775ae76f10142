import * as text from "#text/separation";
import "./separation.css";
import { Scissors } from "lucide-react";
import { Button } from "../../kit/kit";
import { type Conflict, type Cure, cureKey, cureWords, revocable, sourceWords } from "./words";

/** What a cure takes away: names, and what each is where it is not a grant. */
function CureName({ of }: { of: Cure }) {
  return of.remove.map((s, i) => (
    <span key={s.id}>
      {i > 0 && text.and}
      <bdi>{s.name}</bdi>
      {s.kind !== "grant" && <span className="small muted"> · {sourceWords(s)}</span>}
    </span>
  ));
}

type CuresProps = {
  of: Pick<Conflict, "cures" | "cures_proven">;
  revoke?: (cure: Cure) => void;
  leave?: (cure: Cure) => (() => void) | undefined;
};

/** The smallest ways out of a conflict. revoke takes one of them, leave gives how requested access is left out; without them they are only read. */
export function Cures({ of: c, revoke, leave }: CuresProps) {
  if (c.cures.length === 0) return <p className="small muted">{text.noRemovalEndsTheViolation}</p>;
  return (
    <div className="stack tight">
      {leave ? null : (
        <p className="small muted">{c.cures_proven ? text.eachOfTheseEndsTheViolation(c.cures.length) : text.eachOfTheseEndsUnproven}</p>
      )}
      <ul className="cures" aria-label={c.cures.length > 1 ? text.removeAnyOneOfThese : text.removeThis}>
        {c.cures.map((cure) => (
          <li key={cureKey(cure)}>
            <Scissors aria-hidden size={14} />
            <span className="grow">
              <CureName of={cure} />
            </span>
            {revoke && revocable(cure) && (
              <Button aria-label={text.revokeNames(cureWords(cure))} onClick={() => revoke(cure)}>
                {text.revokeEllipsis}
              </Button>
            )}
            {leave?.(cure) && (
              <Button reads aria-label={text.leaveOutNames(cureWords(cure))} onClick={leave(cure)}>
                {text.leaveOut}
              </Button>
            )}
            {revoke && !revocable(cure) && <span className="small muted">{text.notGrantedYet}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A choice of one of the smallest ways out. value are the ids of what is taken away. */
export function CureChoice({ of: c, value, set }: { of: Pick<Conflict, "cures">; value: string[]; set: (ids: string[]) => void }) {
  const chosen = value.join(" ");
  return (
    <fieldset className="checks">
      <legend>{text.accessToRevoke}</legend>
      {c.cures.map((cure) => (
        <label className="check" key={cureKey(cure)}>
          <input
            type="radio"
            name="cure"
            disabled={!revocable(cure)}
            checked={chosen === cureKey(cure)}
            onChange={() => set(cure.remove.map((s) => s.id))}
          />
          <span>
            <CureName of={cure} />
            {!revocable(cure) && <small className="muted">{text.notGrantedYet}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
