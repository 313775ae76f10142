import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import * as text from "#text/inbox";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { number } from "../../kit/count";
import { LoadingMarker } from "../../kit/kit";
import { showRefusal } from "../../kit/toast";
import { invalidateTasks } from "./decisions";
import type { TaskActions } from "./detail";
import type { Action, Detail as Full, Task } from "./tasks";
import { useDecisions } from "./usedecisions";

// Dialogs come when they are first needed.
const Answer = lazy(() => import("./actionform"));
const ReassignOrEscalate = lazy(() => import("./reassign"));

/** What is being asked before something is done, and the doing. */
export function useActionDialog(
  task: Task | undefined,
  full: Full | undefined,
  chosen: Map<string, Task>,
  shown: Task[],
  show: (id: string | undefined) => void,
  clear: () => void,
) {
  // Whoever undoes wants to decide it anew, unless they have gone elsewhere meanwhile.
  const deciding = useDecisions((task) => window.location.pathname.endsWith("/inbox") && show(task));
  const queries = useQueryClient();
  const [asked, setAsked] = useState<{ tasks: Task[]; action: Action }>();
  const [hand, setHand] = useState<"reassign" | "escalate">();
  const [progress, setProgress] = useState<string>();
  const claim = useAct<"claim" | "release">({
    act: (what, key) => ask("POST", `/decision-tasks/${task?.id}/${what}`, { key }),
    changes: ["/decision-tasks"],
    done: (_, what) => (what === "claim" ? text.claimedOnlyYouCanDecideIt : text.releasedOtherApproversCanDecideIt),
  });
  const goOn = (gone: Task) => show(nextAfter(shown, gone.id));
  const many = async (tasks: Task[], action: Action, choice: { comment?: string }) => {
    const words = (done: number) => setProgress(text.doneOfCount(number(done), number(tasks.length)));
    if (tasks.length > 500) words(0);
    try {
      await deciding.many(tasks, { action: action.key, label: action.label, ...choice }, words);
      clear();
      if (task && tasks.some((t) => t.id === task.id)) show(undefined);
    } finally {
      setProgress(undefined);
    }
  };
  const act = (action: Action, first = false) => {
    const tasks = chosen.size > 0 ? [...chosen.values()] : task ? [task] : [];
    const [one] = tasks;
    if (!one) return;
    if (first || action.requires.length > 0 || tasks.length > 50) setAsked({ tasks, action });
    else if (chosen.size > 0) many(tasks, action, {}).catch(showRefusal);
    else {
      goOn(one);
      void deciding.now(one, { action: action.key, label: action.label });
    }
  };
  const doings: TaskActions = {
    act,
    claim: () => claim.mutate("claim"),
    release: () => claim.mutate("release"),
    reassign: () => full && setHand("reassign"),
    escalate: () => full && setHand("escalate"),
    undo: () => {
      if (task)
        ask("POST", `/decision-tasks/${task.id}/undo`, { key: crypto.randomUUID() })
          .catch(showRefusal)
          .finally(() => void invalidateTasks(queries));
      else deciding.undoLast();
    },
    back: () => show(undefined),
  };
  const dialog = (
    <Suspense fallback={<LoadingMarker />}>
      {asked && (
        <Answer
          tasks={asked.tasks}
          action={asked.action}
          close={() => setAsked(undefined)}
          act={async (choice, key) => {
            const [one] = asked.tasks;
            if (asked.tasks.length > 1 || !one) return many(asked.tasks, asked.action, choice);
            await deciding.fromForm(one, choice, key);
            clear();
            goOn(one);
          }}
        />
      )}
      {full && hand && <ReassignOrEscalate what={hand} task={full} close={() => setHand(undefined)} given={() => goOn(full)} />}
    </Suspense>
  );
  return { act, doings, dialog, progress, undoLast: deciding.undoLast };
}

/** Which task comes when one is gone: the next, otherwise the one before. */
function nextAfter(shown: Task[], id: string): string | undefined {
  const i = shown.findIndex((t) => t.id === id);
  return (shown[i + 1] ?? shown[i - 1])?.id;
}
