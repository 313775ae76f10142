import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import { useAct, useMay } from "../../api/use";
import { DeleteFirst } from "../../kit/deletefirst";
import { AskFirst, Dialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { Menu } from "../../kit/menu";
import { Edit } from "./edit";
import { Enrolment, type Invited } from "./invite";
import { type Agent, why } from "./words";

type Doing = "edit" | "disable" | "revoke" | "delete" | "clear" | "enroll";

/** What can be done with an agent in the state it is in. */
export function Acts({ of: a }: { of: Agent }) {
  const may = useMay();
  const navigate = useNavigate();
  const [doing, setDoing] = useState<Doing>();
  const [reason, setReason] = useState("");
  const [invited, setInvited] = useState<Invited>();
  const changes = ["/settings/agents"];
  const post = <R = Agent>(verb: string, body?: unknown) =>
    ask<R>("POST", `/settings/agents/${a.id}/${verb}`, { body, key: crypto.randomUUID() });
  const quick = useAct<{ verb: string; done: string }>({ act: ({ verb }) => post(verb), changes, done: (_, v) => v.done });
  const slow = useAct<() => Promise<unknown>>({ act: (f) => f(), changes, quiet: true });
  if (!may.admin) return null;
  const can = (states: string) => states.split(" ").includes(a.state);
  const live = can("online degraded offline registered");
  const close = () => setDoing(undefined);
  return (
    <>
      {a.state === "pending" && (
        <Button tone="primary" onClick={() => setDoing("enroll")}>
          New enrollment token
        </Button>
      )}
      {a.state === "quarantined" && (
        <Button tone="primary" onClick={() => setDoing("clear")}>
          Clear quarantine
        </Button>
      )}
      {a.draining && <Button onClick={() => quick.mutate({ verb: "resume", done: "The agent takes tasks again" })}>Resume</Button>}
      {a.state === "disabled" && (
        <Button onClick={() => quick.mutate({ verb: "enable", done: "The agent can connect again" })}>Enable</Button>
      )}
      <Menu
        words="More"
        of={[
          { words: "Edit", act: () => setDoing("edit") },
          live && !a.draining && { words: "Drain", act: () => quick.mutate({ verb: "drain", done: "The agent gets no new tasks" }) },
          (live || a.state === "draining") && { words: "Disable", act: () => setDoing("disable") },
          a.state !== "pending" && { words: "New enrollment token", act: () => setDoing("enroll") },
          a.state !== "revoked" && { words: "Revoke", danger: true, act: () => setDoing("revoke") },
          { words: "Delete", danger: true, act: () => setDoing("delete") },
        ]}
      />
      {doing === "edit" && <Edit of={a} close={close} />}
      <AskFirst
        open={doing === "disable"}
        close={close}
        title={`Disable ${a.name}?`}
        lead="The agent is disconnected at once. Its tasks go to another agent of the group, or wait."
        verb="Disable"
        act={() => slow.mutateAsync(() => post("disable"))}
      />
      <AskFirst
        open={doing === "clear"}
        close={close}
        title="Clear quarantine?"
        lead="Two hosts used the identity of this agent. Stop the copy first; the original agent then reconnects. If you cannot tell which host is right, create a new enrollment token instead."
        verb="Clear quarantine"
        act={() => slow.mutateAsync(() => post("quarantine/clear"))}
      >
        {a.quarantine_reason && <Note tone="bad">{why(a)}</Note>}
      </AskFirst>
      <AskFirst
        open={doing === "revoke"}
        close={close}
        tone="danger"
        title={`Revoke ${a.name}?`}
        lead="The agent is disconnected at once and stops. You cannot undo this. A new enrollment creates another agent."
        verb="Revoke"
        disabled={!reason.trim()}
        act={() => slow.mutateAsync(() => post("revoke", { reason: reason.trim() }))}
      >
        <TextField label="Reason" value={reason} set={setReason} required max={500} autoFocus />
      </AskFirst>
      {doing === "delete" && (
        <DeleteFirst
          close={close}
          title={`Delete ${a.name}?`}
          lead="The agent is removed from the list. First change the connectors that use it."
          path={`/settings/agents/${a.id}`}
          list="/settings/agents"
          done="Agent deleted."
          gone={() => void navigate({ to: "/settings/agents" as never })}
        />
      )}
      <AskFirst
        open={doing === "enroll"}
        close={close}
        title="Create a new enrollment token?"
        lead="For a new host, or to enroll this agent again. Earlier tokens stop working. An enrolled agent keeps working until another host enrolls with the token. That host gets the stored credentials of the connectors that use this agent or its group."
        verb="Create"
        act={() => slow.mutateAsync(async () => setInvited(await post<Invited>("enroll", { release_credentials: true })))}
      />
      <Dialog open={invited !== undefined} close={() => setInvited(undefined)} wide title={`Enroll ${a.name}`}>
        {invited && <Enrolment of={invited} />}
      </Dialog>
    </>
  );
}
