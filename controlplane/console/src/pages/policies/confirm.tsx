import { useState } from "react";
import * as text from "#text/policies";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Note } from "../../kit/kit";
import { Impact } from "../roles/impact";

type ConfirmedAction<R> = {
  act: (confirm: Record<string, string>, key: string) => Promise<R>;
  verb: string;
  done?: string;
  after?: (r: R) => void;
};

/**
 * Does what may need a second look: when the service answers that it touches many people, it is shown who gains and loses what, and done
 * only when that is confirmed. When something else would happen by then, the new effect is shown.
 */
export function useConfirmed<R>(changes: string[]) {
  const [asked, setAsked] = useState<{ of: Of<"PolicyImpact">; doing: ConfirmedAction<R>; moved: boolean }>();
  const run = useAct<{ doing: ConfirmedAction<R>; confirm?: string }, R>({
    quiet: true,
    act: (v, key) => v.doing.act(v.confirm ? { confirm: v.confirm } : {}, key),
    done: (_, v) => v.doing.done,
    changes,
    after: (r, v) => {
      setAsked(undefined);
      v.doing.after?.(r);
    },
  });
  const attempt = async (doing: ConfirmedAction<R>, confirm?: string) => {
    try {
      return await run.mutateAsync(confirm ? { doing, confirm } : { doing });
    } catch (e) {
      const impact = e instanceof Refusal ? (e.problem.impact as Of<"PolicyImpact"> | undefined) : undefined;
      if (!impact || !(e instanceof Refusal) || !["confirmation_required", "plan_changed"].includes(e.code)) throw e;
      setAsked({ of: impact, doing, moved: e.code === "plan_changed" });
      return undefined;
    }
  };
  const dialog = asked && (
    <ConfirmDialog
      open
      wide
      close={() => setAsked(undefined)}
      title={text.reviewTheChangesFirst}
      lead={asked.moved ? text.theDataHasChangedTheseAre : text.thePolicyAffectsManyPeopleConfirm}
      verb={asked.doing.verb}
      tone={asked.of.grants_ended > 0 ? "danger" : "primary"}
      act={() => attempt(asked.doing, asked.of.plan_hash)}
    >
      {asked.of.limits_hit.map((l) => (
        <Note key={l.code} tone="warn">
          {l.detail}
        </Note>
      ))}
      <Impact of={asked.of} />
    </ConfirmDialog>
  );
  return { attempt, dialog, busy: run.isPending };
}
