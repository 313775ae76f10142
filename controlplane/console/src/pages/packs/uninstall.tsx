import { useState } from "react";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { TextField } from "../../kit/form";
import { Button, Note, Part, Skeleton, Wrongs } from "../../kit/kit";
import { useTry } from "../../kit/tryfirst";

import { Impact } from "../roles/impact";
import { Items } from "./plan";
import type { Pack } from "./words";

type Removal = Of<"PackRemoval">;
type Mode = Removal["mode"];

const modes: [Mode, string, string][] = [
  ["detach", "Let go of it", "Nothing goes: all of its objects are yours from then on."],
  ["remove_unused", "Remove what is not used", "What you have not changed and nobody holds anything through goes; the rest is yours."],
  [
    "remove_all",
    "Remove everything",
    "All that the pack has brought goes, but not what you had before it. What its policies gave ends as they say.",
  ],
];

/** Takes a pack away in one of three ways; what it would do is shown first. */
export function Uninstall({ of: p }: { of: Pack }) {
  const [mode, setMode] = useState<Mode>("remove_unused");
  const [typed, setTyped] = useState("");
  const path = `/sector-packs/${p.key}/uninstall`;
  const tried = useTry<Removal>(path, { mode }, true);
  const plan = tried.data?.mode === mode ? tried.data : undefined;
  const remove = useAct({
    act: (v: { confirm: string }, key) => ask<Removal>("POST", path, { key, body: { mode, confirm: v.confirm } }),
    changes: ["/sector-packs", "/entitlements", "/policies"],
    done: `${p.name} is uninstalled.`,
    quiet: true,
  });
  const moved = remove.error instanceof Refusal && remove.error.code === "plan_changed";
  return (
    <>
      <fieldset className="packs-choice">
        <legend className="sr">How it is uninstalled</legend>
        {modes.map(([m, words, means]) => (
          <label key={m}>
            <input type="radio" name="mode" checked={mode === m} onChange={() => setMode(m)} />
            <span>
              <strong>{words}</strong> <span className="muted">{means}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Part title="What would happen">
        <Wrongs of={tried.error} />
        {plan ? <Told of={plan} /> : !tried.error && <Skeleton rows={4} />}
      </Part>
      <div className="packs-danger stack tight">
        <TextField label={`Type ${p.key} to confirm`} value={typed} set={setTyped} />
        <Wrongs of={remove.error} />
        {moved && (
          <Note tone="warn">
            Something else would happen by now. <Button onClick={() => void tried.refetch().then(() => remove.reset())}>Look again</Button>
          </Note>
        )}
        <div>
          <Button
            tone="danger"
            disabled={!plan || typed !== p.key || remove.isPending}
            onClick={() => plan && remove.mutate({ confirm: plan.plan_hash })}
          >
            {remove.isPending ? "Just a moment…" : "Uninstall"}
          </Button>
        </div>
      </div>
    </>
  );
}

function Told({ of: r }: { of: Removal }) {
  return (
    <div className="stack">
      <section className="card padded" aria-label="Whose access would change">
        <Impact of={r.impact} />
      </section>
      {r.remove.length > 0 && <Items of={r.remove} group={{ sign: "−", tone: "gone", words: "Removed" }} />}
      {r.leaving.length > 0 && (
        <Items of={r.leaving} group={{ sign: "~", tone: "diff", words: "Out of use, and gone when what they gave has ended" }} />
      )}
      {r.detach.length > 0 && <Items of={r.detach} group={{ sign: "·", tone: "stay", words: "Stay, and are yours" }} />}
    </div>
  );
}
