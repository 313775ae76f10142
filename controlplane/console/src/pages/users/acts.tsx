import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Menu } from "../../kit/menu";
import { sayRefusal } from "../../kit/toast";
import { OneTimeLink } from "./link";
import type { User } from "./words";

type Asked = "link" | "sessions" | "factor" | "disable" | "delete";

const asked: Record<Asked, { title: string; lead: string; verb: string; danger?: boolean }> = {
  link: {
    title: "Make a new link",
    lead: "They use the link to set a new password. Earlier links stop working, and using it ends their sessions.",
    verb: "Make it",
  },
  sessions: {
    title: "End their sessions",
    lead: "They are signed out everywhere, within seconds, and can sign in again.",
    verb: "End them",
    danger: true,
  },
  factor: {
    title: "Take the second factor away",
    lead: "For somebody who has lost their phone. Their password alone signs them in until they set up another; their sessions end.",
    verb: "Take it away",
    danger: true,
  },
  disable: {
    title: "Disable this user",
    lead: "They are out within seconds and cannot sign in until somebody enables them again.",
    verb: "Disable",
    danger: true,
  },
  delete: {
    title: "Delete this user",
    lead: "Every way to sign in, the name, the address and the roles are erased. The audit log keeps what they did, by an id. This cannot be undone.",
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
    done: "The user is deleted.",
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
        label="More about this user"
        of={[
          { words: of.status === "invited" ? "Make a new invitation" : "Make a link for a new password", act: () => asks("link") },
          { words: "End their sessions", act: () => asks("sessions") },
          of.mfa.enrolled && { words: "Take the second factor away", act: () => asks("factor") },
          !self && of.enabled && { words: "Disable", act: () => asks("disable"), danger: true },
          !self && !of.enabled && { words: "Enable", act: () => act.mutate("enable", { onError: sayRefusal }) },
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
  sessions: "Their sessions have ended.",
  factor: "The second factor is taken away.",
  disable: "They cannot sign in any more.",
  enable: "They can sign in again.",
};
