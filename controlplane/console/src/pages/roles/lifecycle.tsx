import { lazy, Suspense, useState } from "react";
import * as text from "#text/roles";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Button, LoadingMarker } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Menu } from "../../kit/menu";
import type { Role } from "./model";

const Planned = lazy(() => import("./confirmplan"));

const asks = {
  propose: {
    verb: text.requestApproval,
    title: text.requestApproval,
    lead: text.theOwnersAndTheAdministratorsAre,
    done: text.approvalRequested,
  },
  withdraw: {
    verb: text.withdraw,
    title: text.withdrawApprovalRequest,
    lead: text.theApprovalRequestIsWithdrawnThe,
    done: text.withdrawn,
  },
  deprecate: {
    verb: text.deprecate,
    title: text.deprecateRole,
    lead: text.membersKeepTheRoleAndIt,
    done: text.deprecatedTheRoleCanNoLonger,
  },
} as const;

type LifecycleAction = keyof typeof asks;

/** The way of a role from its draft to its end: what can be done as it stands. */
export function Lifecycle({ role }: { role: Role }) {
  const navigate = useGo();
  const [asked, setAsked] = useState<LifecycleAction>();
  const [planned, setPlanned] = useState<"publish" | "retire">();
  const act = useAct<LifecycleAction>({
    act: (what, key) => ask("POST", `/entitlements/roles/${role.id}/${what}`, { key, ifMatch: role.version }),
    changes: ["/entitlements/roles", "/decision-tasks"],
    done: (_, what) => asks[what].done,
    quiet: true,
  });
  const publishable = role.lifecycle === "draft" || role.lifecycle === "deprecated" || role.has_draft;
  return (
    <>
      {role.lifecycle !== "retired" && role.lifecycle !== "proposed" && (
        <Button onClick={() => void navigate({ to: "/roles/$id/$tab", params: { id: role.id, tab: "draft" } })}>{text.edit}</Button>
      )}
      {publishable && (
        <Button tone="primary" onClick={() => setPlanned("publish")}>
          {role.lifecycle === "deprecated" && !role.has_draft ? text.reactivate : text.publishEllipsis}
        </Button>
      )}
      <Menu
        words={text.more}
        label={text.moreActions}
        of={[
          publishable && role.lifecycle !== "deprecated" && { words: text.requestApprovalEllipsis, act: () => setAsked("propose") },
          (role.lifecycle === "proposed" || role.has_draft) && {
            words: text.withdrawApprovalRequestEllipsis,
            act: () => setAsked("withdraw"),
          },
          role.lifecycle === "active" && { words: text.deprecateEllipsis, act: () => setAsked("deprecate") },
          role.lifecycle !== "retired" && { words: text.retireEllipsis, danger: true, act: () => setPlanned("retire") },
        ]}
      />
      {asked && (
        <ConfirmDialog
          open
          close={() => setAsked(undefined)}
          title={asks[asked].title}
          lead={asks[asked].lead}
          verb={asks[asked].verb}
          act={() => act.mutateAsync(asked)}
        />
      )}
      <Suspense fallback={<LoadingMarker />}>
        {planned && <Planned role={role} what={planned} close={() => setPlanned(undefined)} />}
      </Suspense>
    </>
  );
}
