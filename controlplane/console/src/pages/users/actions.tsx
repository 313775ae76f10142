import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Menu } from "../../kit/menu";
import { showRefusal } from "../../kit/toast";
import { OneTimeLink } from "./link";
import type { User } from "./words";

type Asked = "link" | "sessions" | "factor" | "disable" | "delete";

const asked: Record<Asked, { title: string; lead: string; verb: string; danger?: boolean }> = {
  link: {
    title: "Create password link",
    lead: "The user sets a new password with the link. Earlier links stop working, and the sessions of the user end.",
    verb: "Create",
  },
  sessions: {
    title: "End sessions",
    lead: "The user is signed out everywhere within seconds, and can sign in again.",
    verb: "End sessions",
    danger: true,
  },
  factor: {
    title: "Remove second factor",
    lead: "For users who have lost their phone. The password alone signs them in until they set up a new factor. Their sessions end.",
    verb: "Remove",
    danger: true,
  },
  disable: {
    title: "Disable user",
    lead: "The user is signed out within seconds and cannot sign in until an administrator enables the user again.",
    verb: "Disable",
    danger: true,
  },
  delete: {
    title: "Delete user",
    lead: "Sign-in methods, name, e-mail address and roles are deleted. The audit log keeps past actions under an ID. You cannot undo this.",
    verb: "Delete",
    danger: true,
  },
};

/** What can be done with a user besides changing them. */
export function Acts({ of, self }: { of: User; self: boolean }) {
  const [asking, asks] = useState<Asked>();
  const [link, setLink] = useState<Of<"UserInvitation">>();
  const navigate = useNavigate();
  const path = `/settings/users/${of.id}`;
  const queries = useQueryClient();
  // Who is deleted is not asked for again: only the list is.
  const remove = useAct({
    quiet: true,
    done: "User deleted.",
    act: (_, key) => ask("DELETE", path, { key, ifMatch: of.version }),
    after: () => {
      void queries.invalidateQueries({ queryKey: ["/settings/users"] });
      void navigate({ to: "/settings/users", replace: true });
    },
  });
  const act = useAct<Exclude<Asked, "delete"> | "enable">({
    quiet: true,
    changes: ["/settings/users"],
    done: (_, what) => said[what],
    act: async (what, key) => {
      if (what === "link") setLink((await ask<Of<"InvitedUser">>("POST", `${path}/invite`, { key })).invitation);
      else if (what === "sessions") await ask("POST", `${path}/sessions/revoke`, { key });
      else if (what === "factor") await ask("POST", `${path}/mfa/reset`, { key });
      else await ask("PATCH", path, { key, body: { enabled: what === "enable" }, ifMatch: of.version });
    },
  });
  const now = asking && asked[asking];
  return (
    <>
      <Menu
        words="More"
        label="More actions for this user"
        of={[
          { words: of.status === "invited" ? "Create new invitation" : "Create password link", act: () => asks("link") },
          { words: "End sessions", act: () => asks("sessions") },
          of.mfa.enrolled && { words: "Remove second factor", act: () => asks("factor") },
          !self && of.enabled && { words: "Disable", act: () => asks("disable"), danger: true },
          !self && !of.enabled && { words: "Enable", act: () => act.mutate("enable", { onError: showRefusal }) },
          !self && { words: "Delete", act: () => asks("delete"), danger: true },
        ]}
      />
      {now && asking && (
        <AskFirst
          open
          close={() => asks(undefined)}
          title={now.title}
          lead={now.lead}
          verb={now.verb}
          tone={now.danger ? "danger" : "primary"}
          act={() => (asking === "delete" ? remove.mutateAsync() : act.mutateAsync(asking))}
        />
      )}
      {link && <OneTimeLink of={link} who={of.display_name || of.email} close={() => setLink(undefined)} />}
    </>
  );
}

const said: Partial<Record<Asked | "enable", string>> = {
  sessions: "Sessions ended.",
  factor: "Second factor removed.",
  disable: "User disabled.",
  enable: "User enabled.",
};
