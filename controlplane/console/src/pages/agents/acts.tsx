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
          New enrolment token
        </Button>
      )}
      {a.state === "quarantined" && (
        <Button tone="primary" onClick={() => setDoing("clear")}>
          Clear the quarantine
        </Button>
      )}
      {a.draining && <Button onClick={() => quick.mutate({ verb: "resume", done: "It takes tasks again" })}>Take tasks again</Button>}
      {a.state === "disabled" && <Button onClick={() => quick.mutate({ verb: "enable", done: "It may connect again" })}>Switch on</Button>}
      <Menu
        words="More"
        of={[
          { words: "Edit", act: () => setDoing("edit") },
          live && !a.draining && { words: "Drain: no new tasks", act: () => quick.mutate({ verb: "drain", done: "It gets no new tasks" }) },
          (live || a.state === "draining") && { words: "Switch off", act: () => setDoing("disable") },
          a.state !== "pending" && { words: "New enrolment token", act: () => setDoing("enroll") },
          a.state !== "revoked" && { words: "Revoke for good", danger: true, act: () => setDoing("revoke") },
          { words: "Delete", danger: true, act: () => setDoing("delete") },
        ]}
      />
      {doing === "edit" && <Edit of={a} close={close} />}
      <AskFirst
        open={doing === "disable"}
        close={close}
        title={`Switch ${a.name} off?`}
        lead="It is cut off at once. What it reads goes to another of its group, or waits."
        verb="Switch off"
        act={() => slow.mutateAsync(() => post("disable"))}
      />
      <AskFirst
        open={doing === "clear"}
        close={close}
        title="Has the copy been stopped?"
        lead="Two hosts showed this agent's identity. Stop the copy first: the right one comes back by itself. If you do not know which is right, make a new enrolment token instead."
        verb="Clear the quarantine"
        act={() => slow.mutateAsync(() => post("quarantine/clear"))}
      >
        {a.quarantine_reason && <Note tone="bad">{why(a)}</Note>}
      </AskFirst>
      <AskFirst
        open={doing === "revoke"}
        close={close}
        tone="danger"
        title={`Revoke ${a.name} for good?`}
        lead="It is cut off at once and stops. This cannot be undone; a new enrolment makes it another agent."
        verb="Revoke"
        disabled={!reason.trim()}
        act={() => slow.mutateAsync(() => post("revoke", { reason: reason.trim() }))}
      >
        <TextField label="Why" value={reason} set={setReason} required max={500} autoFocus />
      </AskFirst>
      {doing === "delete" && (
        <DeleteFirst
          close={close}
          title={`Delete ${a.name}?`}
          lead="It goes from the list. Connectors that are reached through it must be given another way first."
          path={`/settings/agents/${a.id}`}
          list="/settings/agents"
          done="The agent is deleted."
          gone={() => void navigate({ to: "/settings/agents" as never })}
        />
      )}
      <AskFirst
        open={doing === "enroll"}
        close={close}
        title="Make a new enrolment token?"
        lead="For a new host, or to enrol this one again. Tokens made before stop working. An agent that is enrolled keeps working until another host enrols with the token. That host gets the stored credentials of the connectors that use this agent or its group."
        verb="Make it"
        act={() => slow.mutateAsync(async () => setInvited(await post<Invited>("enroll", { release_credentials: true })))}
      />
      <Dialog open={invited !== undefined} close={() => setInvited(undefined)} wide title={`Enrol ${a.name}`}>
        {invited && <Enrolment of={invited} />}
      </Dialog>
    </>
  );
}
