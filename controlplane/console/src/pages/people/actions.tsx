import { useState } from "react";
import type { IdentityDetail } from "../../api/types";
import { Menu } from "../../kit/menu";
import { Archive } from "./archive";
import { Edit } from "./edit";
import { Evaluate } from "./evaluate";
import { Merge } from "./merge";
import { Move, type Moving, withdraws } from "./move";

type Doing = Moving | "edit" | "merge" | "evaluate" | "archive";

/** From which states an action leads on; the service says it again. */
const from: Record<Moving, string[]> = {
  leave: ["active"],
  return: ["on_leave", "active"],
  deactivate: ["pre_hire", "active", "on_leave", "notice"],
  reactivate: ["pre_hire", "on_leave", "notice", "deactivated"],
};

/** What an administrator can do about somebody. */
export function PersonActions({ of: p, show }: { of: IdentityDetail; show: (what?: string) => void }) {
  const [doing, setDoing] = useState<Doing>();
  const can = (what: Moving) => from[what].includes(p.status) && (what !== "return" || p.status === "on_leave" || Boolean(p.leave_from));
  const begin = (what: Doing, words: string, danger = false) => ({ words, act: () => setDoing(what), danger });
  const close = () => setDoing(undefined);
  const live = p.status !== "archived";
  return (
    <>
      <Menu
        words="Actions"
        of={[
          live && begin("edit", "Edit person"),
          live && begin("evaluate", "Evaluate policies"),
          can("leave") && begin("leave", "Start leave"),
          can("return") && begin("return", "End leave"),
          can("reactivate") && begin("reactivate", withdraws(p, "reactivate") ? "Withdraw notice" : "Activate"),
          { words: "Owns", act: () => show("handover") },
          live && begin("merge", "Merge another record into this one"),
          can("deactivate") && begin("deactivate", "Offboard", true),
          live && begin("archive", "Archive", true),
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
