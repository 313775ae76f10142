import { useState } from "react";
import * as text from "#text/packs";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { useDryRun } from "../../kit/dryrun";
import { TextField } from "../../kit/form";
import { Button, Note, Part, Problems, Skeleton } from "../../kit/kit";

import { Impact } from "../roles/impact";
import { Items } from "./plan";
import type { Pack } from "./words";

type Removal = Of<"PackRemoval">;
type Mode = Removal["mode"];

const modes: [Mode, string, string][] = [
  ["detach", text.keepAllObjects, text.noObjectIsRemovedAllObjects],
  ["remove_unused", text.removeUnusedObjects, text.removesObjectsThatYouHaveNot],
  ["remove_all", text.removeEverything, text.removesAllObjectsOfThePack],
];

/** Takes a pack away in one of three ways; what it would do is shown first. */
export function Uninstall({ of: p }: { of: Pack }) {
  const [mode, setMode] = useState<Mode>("remove_unused");
  const [typed, setTyped] = useState("");
  const path = `/sector-packs/${p.key}/uninstall`;
  const preview = useDryRun<Removal>(path, { mode }, true);
  const plan = preview.data?.mode === mode ? preview.data : undefined;
  const remove = useAct({
    act: (v: { confirm: string }, key) => ask<Removal>("POST", path, { key, body: { mode, confirm: v.confirm } }),
    changes: ["/sector-packs", "/entitlements", "/policies"],
    done: text.nameUninstalled(p.name),
    quiet: true,
  });
  const moved = remove.error instanceof Refusal && remove.error.code === "plan_changed";
  return (
    <>
      <fieldset className="packs-choice">
        <legend className="sr">{text.uninstallMode}</legend>
        {modes.map(([m, words, means]) => (
          <label key={m}>
            <input type="radio" name="mode" checked={mode === m} onChange={() => setMode(m)} />
            <span>
              <strong>{words}</strong> <span className="muted">{means}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Part title={text.previewOfTheChanges}>
        <Problems of={preview.error} />
        {plan ? <RemovalPreview of={plan} /> : !preview.error && <Skeleton rows={4} />}
      </Part>
      <div className="packs-danger stack tight">
        <TextField label={text.enterPToConfirm(p.key)} value={typed} set={setTyped} />
        <Problems of={remove.error} />
        {moved && (
          <Note tone="warn">
            {text.theChangesAreDifferentNow}{" "}
            <Button onClick={() => void preview.refetch().then(() => remove.reset())}>{text.previewAgain}</Button>
          </Note>
        )}
        <div>
          <Button
            tone="danger"
            disabled={!plan || typed !== p.key || remove.isPending}
            onClick={() => plan && remove.mutate({ confirm: plan.plan_hash })}
          >
            {remove.isPending ? text.saving : text.uninstall}
          </Button>
        </div>
      </div>
    </>
  );
}

function RemovalPreview({ of: r }: { of: Removal }) {
  return (
    <div className="stack">
      <section className="card padded" aria-label={text.peopleWithChangedAccess}>
        <Impact of={r.impact} />
      </section>
      {r.remove.length > 0 && <Items of={r.remove} group={{ sign: "−", tone: "gone", words: text.removed }} />}
      {r.leaving.length > 0 && (
        <Items of={r.leaving} group={{ sign: "~", tone: "diff", words: text.deprecatedAndRemovedWhenTheirGrants }} />
      )}
      {r.detach.length > 0 && <Items of={r.detach} group={{ sign: "·", tone: "stay", words: text.keptAndYours }} />}
    </div>
  );
}
