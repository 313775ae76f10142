import { useState } from "react";
import * as text from "#text/people";
import type { IdentityDetail } from "../../api/types";
import { Menu } from "../../kit/menu";
import { Archive } from "./archive";
import { Edit } from "./edit";
import { Evaluate } from "./evaluate";
import { Merge } from "./merge";
import { type LifecycleChange, Move, withdraws } from "./move";

type PersonAction = LifecycleChange | "edit" | "merge" | "evaluate" | "archive";

/** From which states an action leads on; the service says it again. */
const from: Record<LifecycleChange, string[]> = {
  leave: ["active"],
  return: ["on_leave", "active"],
  deactivate: ["pre_hire", "active", "on_leave", "notice"],
  reactivate: ["pre_hire", "on_leave", "notice", "deactivated"],
};

/** What an administrator can do about somebody. */
export function PersonActions({ of: p, show }: { of: IdentityDetail; show: (what?: string) => void }) {
  const [doing, setDoing] = useState<PersonAction>();
  const can = (what: LifecycleChange) =>
    from[what].includes(p.status) && (what !== "return" || p.status === "on_leave" || Boolean(p.leave_from));
  const begin = (what: PersonAction, words: string, danger = false) => ({ words, act: () => setDoing(what), danger });
  const close = () => setDoing(undefined);
  const live = p.status !== "archived";
  return (
    <>
      <Menu
        words={text.actions}
        of={[
          live && begin("edit", text.editPerson),
          live && begin("evaluate", text.evaluatePolicies),
          can("leave") && begin("leave", text.startLeave),
          can("return") && begin("return", text.endLeave),
          can("reactivate") && begin("reactivate", withdraws(p, "reactivate") ? text.withdrawNotice : text.activate),
          { words: text.owns, act: () => show("handover") },
          live && begin("merge", text.mergeAnotherRecordIntoThisOne),
          can("deactivate") && begin("deactivate", text.offboard, true),
          live && begin("archive", text.archive, true),
        ]}
      />
      {(doing === "leave" || doing === "return" || doing === "deactivate" || doing === "reactivate") && (
        <Move of={p} what={doing} close={close} />
      )}
      {doing === "edit" && <Edit of={p} close={close} />}
      {doing === "merge" && <Merge of={p} close={close} />}
      {doing === "evaluate" && <Evaluate of={p} close={close} />}
      {doing === "archive" && <Archive of={p} close={close} />}
    </>
  );
}
