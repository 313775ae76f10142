import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/users";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { useGo } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { showRefusal } from "../../kit/toast";
import { OneTimeLink } from "./link";
import type { User } from "./words";

type UserAction = "link" | "sessions" | "factor" | "disable" | "delete";

const asked: Record<UserAction, { title: string; lead: string; verb: string; danger?: boolean }> = {
  link: {
    title: text.createPasswordLink,
    lead: text.theUserSetsANewPassword,
    verb: text.create,
  },
  sessions: {
    title: text.endSessions,
    lead: text.theUserIsSignedOutEverywhere,
    verb: text.endSessions,
    danger: true,
  },
  factor: {
    title: text.removeSecondFactor,
    lead: text.forUsersWhoHaveLostTheir,
    verb: text.remove,
    danger: true,
  },
  disable: {
    title: text.disableUser,
    lead: text.theUserIsSignedOutWithin,
    verb: text.disable,
    danger: true,
  },
  delete: {
    title: text.deleteUser,
    lead: text.signInMethodsNameEMail,
    verb: text.deleteLabel,
    danger: true,
  },
};

/** What can be done with a user besides changing them. */
export function Acts({ of, self }: { of: User; self: boolean }) {
  const [asking, asks] = useState<UserAction>();
  const [link, setLink] = useState<Of<"UserInvitation">>();
  const navigate = useGo();
  const path = `/settings/users/${of.id}`;
  const queries = useQueryClient();
  // Who is deleted is not asked for again: only the list is.
  const remove = useAct({
    quiet: true,
    done: text.userDeleted,
    act: (_, key) => ask("DELETE", path, { key, ifMatch: of.version }),
    after: () => {
      void queries.invalidateQueries({ queryKey: ["/settings/users"] });
      void navigate({ to: "/settings/users", replace: true });
    },
  });
  const act = useAct<Exclude<UserAction, "delete"> | "enable">({
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
        words={text.more}
        label={text.moreActionsForThisUser}
        of={[
          { words: of.status === "invited" ? text.createNewInvitation : text.createPasswordLink, act: () => asks("link") },
          { words: text.endSessions, act: () => asks("sessions") },
          of.mfa.enrolled && { words: text.removeSecondFactor, act: () => asks("factor") },
          !self && of.enabled && { words: text.disable, act: () => asks("disable"), danger: true },
          !self && !of.enabled && { words: text.enable, act: () => act.mutate("enable", { onError: showRefusal }) },
          !self && { words: text.deleteLabel, act: () => asks("delete"), danger: true },
        ]}
      />
      {now && asking && (
        <ConfirmDialog
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

const said: Partial<Record<UserAction | "enable", string>> = {
  sessions: text.sessionsEnded,
  factor: text.secondFactorRemoved,
  disable: text.userDisabled,
  enable: text.userEnabled,
};
