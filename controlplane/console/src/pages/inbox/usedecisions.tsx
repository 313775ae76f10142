import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import * as text from "#text/inbox";
import { showRefusal, showToast } from "../../kit/toast";
import {
  type Batch,
  type Decision,
  decideMany,
  decideOne,
  hideDecided,
  invalidateTasks,
  lastBatch,
  refusalText,
  refuse,
  rememberBatch,
  restoreTasks,
  undo,
} from "./decisions";
import { type Task, windowOf } from "./tasks";

/** Decisions that were made together; of one alone, the task. */
type Single = Batch & { task?: string };

/** What the inbox does with tasks: decides them at once, and takes it back. again opens a task that waits once more. */
export function useDecisions(again: (task: string) => unknown) {
  const queries = useQueryClient();

  const takeBack = async (batch: Single) => {
    try {
      const { undone, late, why } = await undo(batch, queries);
      if (undone === 1 && batch.task) again(batch.task);
      if (undone > 0) showToast(undone === 1 ? text.undoneTheTaskIsOpenAgain : text.decisionsUndoneTheTasksAreOpen(undone));
      if (late > 0) showRefusal(new Error(`${text.decisions(late)} could not be undone: ${why}`));
    } catch (e) {
      showRefusal(e);
    }
  };

  const addDecision = (words: string, until: number, sent: Promise<string[]>, task?: string) => {
    const batch: Single = { words, until, sent, ...(task ? { task } : {}) };
    rememberBatch(batch, queries);
    const close = showToast(words, {
      remedy: { words: <Undo until={until} />, act: () => void takeBack(batch) },
      detail: text.theDecisionBecomesFinalWhenThe,
      ms: 0,
    });
    batch.close = close;
    setTimeout(close, until - Date.now());
    void sent.catch(close);
  };

  return {
    /** Decides one task; the list goes on at once, and has it back with the reason when it is refused. */
    now: async (task: Task, choice: Decision) => {
      hideDecided([task.id]);
      const sent = decideOne(task, choice, crypto.randomUUID());
      addDecision(`${choice.label}: ${short(task.title)}`, Date.now() + windowOf(1) * 1000, sent, task.id);
      try {
        await sent;
      } catch (e) {
        restoreTasks([task.id]);
        refuse([[task, refusalText(e)]]);
        showToast(text.notDecidedRefusalText(refusalText(e)), { ms: 10_000 });
      }
      await invalidateTasks(queries);
    },
    /** Decides one task from a form, which stays until the service has taken it. */
    fromForm: async (task: Task, choice: Decision, key: string) => {
      const ids = await decideOne(task, choice, key).catch((e: unknown) => {
        void invalidateTasks(queries); // what is looked at again is what it is now
        throw e;
      });
      hideDecided(ids);
      addDecision(`${choice.label}: ${short(task.title)}`, Date.now() + windowOf(1) * 1000, Promise.resolve(ids), task.id);
      void invalidateTasks(queries);
    },
    /** Decides many. progress hears how many have been answered. */
    many: async (tasks: Task[], choice: Decision, progress: (done: number) => void) => {
      hideDecided(tasks.map((t) => t.id));
      const until = Date.now() + windowOf(tasks.length) * 1000;
      const taken = await decideMany(tasks, choice, progress);
      if (taken.length > 0) addDecision(text.decisionsMade(choice.label, taken.length), until, Promise.resolve(taken));
      await invalidateTasks(queries);
      return taken.length;
    },
    undoLast: () => {
      const batch = lastBatch();
      if (batch) void takeBack(batch);
      else showToast(text.nothingToUndoYourLastDecision);
    },
  };
}

const short = (title: string) => (title.length > 60 ? `${title.slice(0, 60)}…` : title);

/** Undo, with the seconds that are left. Only the word is read out. */
function Undo({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      {text.undoMax(
        <span className="num faint" aria-hidden>
          {text.maxS(Math.max(0, Math.ceil((until - now) / 1000)))}
        </span>,
      )}
    </>
  );
}
