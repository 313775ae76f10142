import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Button, LoadingMarker } from "../../kit/kit";
import { Menu } from "../../kit/menu";
import type { Role } from "./model";

const Planned = lazy(() => import("./confirmplan"));

const asks = {
  propose: {
    verb: "Request approval",
    title: "Request approval",
    lead: "The owners and the administrators are asked. One of them, other than you, approves or rejects the draft.",
    done: "Approval requested.",
  },
  withdraw: {
    verb: "Withdraw",
    title: "Withdraw approval request",
    lead: "The approval request is withdrawn. The changes stay as a draft.",
    done: "Withdrawn.",
  },
  deprecate: {
    verb: "Deprecate",
    title: "Deprecate role",
    lead: "Members keep the role, and it stays up to date for them. It can no longer be assigned.",
    done: "Deprecated. The role can no longer be assigned.",
  },
} as const;

type Asked = keyof typeof asks;

/** The way of a role from its draft to its end: what can be done as it stands. */
export function Lifecycle({ role }: { role: Role }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked>();
  const [planned, setPlanned] = useState<"publish" | "retire">();
  const act = useAct<Asked>({
    act: (what, key) => ask("POST", `/entitlements/roles/${role.id}/${what}`, { key, ifMatch: role.version }),
    changes: ["/entitlements/roles", "/decision-tasks"],
    done: (_, what) => asks[what].done,
    quiet: true,
  });
  const publishable = role.lifecycle === "draft" || role.lifecycle === "deprecated" || role.has_draft;
  return (
    <>
      {role.lifecycle !== "retired" && role.lifecycle !== "proposed" && (
        <Button onClick={() => void navigate({ to: "/roles/$id/$tab", params: { id: role.id, tab: "draft" } as never })}>Edit</Button>
      )}
      {publishable && (
        <Button tone="primary" onClick={() => setPlanned("publish")}>
          {role.lifecycle === "deprecated" && !role.has_draft ? "Reactivate…" : "Publish…"}
        </Button>
      )}
      <Menu
        words="More"
        label="More actions"
        of={[
          publishable && role.lifecycle !== "deprecated" && { words: "Request approval…", act: () => setAsked("propose") },
          (role.lifecycle === "proposed" || role.has_draft) && { words: "Withdraw approval request…", act: () => setAsked("withdraw") },
          role.lifecycle === "active" && { words: "Deprecate…", act: () => setAsked("deprecate") },
          role.lifecycle !== "retired" && { words: "Retire…", danger: true, act: () => setPlanned("retire") },
        ]}
      />
      {asked && (
        <AskFirst
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
