import { useState } from "react";
import * as texts from "#text/packs";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { Verbatim } from "../../kit/elements";
import { TextField } from "../../kit/form";
import { Button, Empty, Failure, Problems, Skeleton, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { kindWords, type Pack } from "./words";

type Conflict = Of<"PackConflict">;
type Use = "mine" | "theirs" | "merged";

/** Where the pack and the tenant want different things, field by field. */
export function Conflicts({ of: p }: { of: Pack }) {
  const found = useGet<{ items: Conflict[] }>(`/sector-packs/${p.key}/conflicts`, { limit: 500 });
  if (found.isPending) return <Skeleton rows={4} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  if (found.data.items.length === 0) return <Empty title={texts.noConflicts}>{texts.ifYouAndAnUpgradeChange}</Empty>;
  return (
    <div className="stack">
      {found.data.items.map((c, i, all) => (
        <One key={c.id} of={c} nth={all.slice(0, i).filter((x) => x.object_key === c.object_key).length + 1} />
      ))}
    </div>
  );
}

/** nth: a role and a birthright may have the same key, and an object may be in conflict again. */
function One({ of: c, nth }: { of: Conflict; nth: number }) {
  const may = useMay();
  const called = nth === 1 ? c.object_key : `${c.object_key} (${nth})`;
  const by = c.resolved_by as { display?: string } | null;
  return (
    <section className="card padded stack tight" aria-label={called}>
      <div className="row between">
        <h2>
          {c.object_key} <span className="muted small">{kindWords(c.kind)}</span>
        </h2>
        <State of={c.state} tone={c.state === "open" ? "warn" : "neutral"} words={resolutionText(c)} />
      </div>
      {by && <p className="small muted">{texts.decidedByByResolvedAt(by.display, <When at={c.resolved_at} />)}</p>}
      <div className="packs-columns">
        <Side title={texts.previousValueOfThePack} of={called} value={c.base} fields={c.fields} none={texts.notPartOfThePackBefore} />
        <Side title={texts.yourValue} of={called} value={c.mine} fields={c.fields} none={texts.deletedByYou} />
        <Side title={texts.newValueOfThePack} of={called} value={c.theirs} fields={c.fields} none={texts.noLongerPartOfThePack} />
      </div>
      {c.state === "open" && may.admin && <Decide of={c} called={called} />}
    </section>
  );
}

const resolutions: Record<string, string> = { mine: texts.yourValueKept, theirs: texts.valueOfThePackAccepted, merged: texts.newValueSet };

/** What became of a conflict, in words. */
const resolutionText = (c: Conflict) =>
  c.state === "superseded" ? texts.replacedByALaterVersion : ((c.resolution && resolutions[c.resolution]) ?? "open");

const pick = (of: Record<string, unknown> | null, fields: string[]) =>
  of ? Object.fromEntries(fields.map((f) => [f, of[f] ?? null])) : null;

function Side({ title, of, value, fields, none }: { title: string; of: string; value: unknown; fields: string[]; none: string }) {
  const shown = pick(value as Record<string, unknown> | null, fields);
  return (
    <div className="stack tight">
      <strong className="small">{title}</strong>
      {shown ? <Verbatim label={`${title}: ${of}`}>{JSON.stringify(shown, null, 2)}</Verbatim> : <p className="small muted">{none}</p>}
    </div>
  );
}

function Decide({ of: c, called }: { of: Conflict; called: string }) {
  const [use, setUse] = useState<Use>("mine");
  const [merged, setMerged] = useState(() =>
    JSON.stringify(pick((c.mine ?? c.theirs) as Record<string, unknown> | null, c.fields), null, 2),
  );
  const bad = use === "merged" && !readable(merged);
  const resolve = useAct({
    act: (_, key) =>
      ask("POST", `/sector-packs/conflicts/${c.id}/resolve`, {
        key,
        ifMatch: c.version,
        body: use === "merged" ? { use, merged: JSON.parse(merged) } : { use },
      }),
    changes: ["/sector-packs", "/entitlements", "/policies"],
    done: texts.saved,
    quiet: true,
  });
  return (
    <>
      <fieldset className="packs-choice">
        <legend className="sr">{texts.valueOfCalled(called)}</legend>
        {(
          [
            ["mine", texts.keepYourValue],
            ["theirs", texts.acceptTheValueOfThePack],
            ["merged", texts.enterANewValue],
          ] as const
        ).map(([v, words]) => (
          <label key={v}>
            <input type="radio" name={`use ${c.id}`} checked={use === v} onChange={() => setUse(v)} /> <span>{words}</span>
          </label>
        ))}
      </fieldset>
      {use === "merged" && (
        <TextField label={texts.fields} mono rows={8} value={merged} set={setMerged} error={bad ? texts.thisIsNotAValidJson : undefined} />
      )}
      <Problems of={resolve.error} />
      <div>
        <Button tone="primary" disabled={bad || resolve.isPending} onClick={() => resolve.mutate()}>
          {texts.resolve}
        </Button>
      </div>
    </>
  );
}

function readable(text: string): boolean {
  try {
    const v: unknown = JSON.parse(text);
    return typeof v === "object" && v !== null && !Array.isArray(v);
  } catch {
    return false;
  }
}
