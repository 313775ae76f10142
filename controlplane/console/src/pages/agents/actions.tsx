import { useState } from "react";
import * as text from "#text/agents";
import { ask } from "../../api/client";
import { useAct, useMay } from "../../api/use";
import { DeleteFirst } from "../../kit/deletefirst";
import { ConfirmDialog, Dialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { Edit } from "./edit";
import { Enrolment, type Invited } from "./invite";
import { type Agent, why } from "./words";

type AgentAction = "edit" | "disable" | "revoke" | "delete" | "clear" | "enroll";

/** What can be done with an agent in the state it is in. */
export function Acts({ of: a }: { of: Agent }) {
  const may = useMay();
  const navigate = useGo();
  const [doing, setDoing] = useState<AgentAction>();
  const [reason, setReason] = useState("");
  const [invited, setInvited] = useState<Invited>();
  const changes = ["/settings/agents"];
  const post = <R = Agent>(verb: string, body?: unknown) =>
    ask<R>("POST", `/settings/agents/${a.id}/${verb}`, { body, key: crypto.randomUUID() });
  const quick = useAct<{ verb: string; done: string }>({ act: ({ verb }) => post(verb), changes, done: (_, v) => v.done });
  const slow = useAct<() => Promise<unknown>>({ act: (f) => f(), changes, quiet: true });
  if (!may.admin) return null;
  const can = (states: string) => states.split(" ").includes(a.state);
  const live = can(text.onlineDegradedOfflineRegistered);
  const close = () => setDoing(undefined);
  return (
    <>
      {a.state === "pending" && (
        <Button tone="primary" onClick={() => setDoing("enroll")}>
          {text.newEnrollmentToken}
        </Button>
      )}
      {a.state === "quarantined" && (
        <Button tone="primary" onClick={() => setDoing("clear")}>
          {text.clearQuarantine}
        </Button>
      )}
      {a.draining && <Button onClick={() => quick.mutate({ verb: "resume", done: text.theAgentTakesTasksAgain })}>{text.resume}</Button>}
      {a.state === "disabled" && (
        <Button onClick={() => quick.mutate({ verb: "enable", done: text.theAgentCanConnectAgain })}>{text.enable}</Button>
      )}
      <Menu
        words={text.more}
        of={[
          { words: text.edit, act: () => setDoing("edit") },
          live && !a.draining && { words: text.drain, act: () => quick.mutate({ verb: "drain", done: text.theAgentGetsNoNewTasks }) },
          (live || a.state === "draining") && { words: text.disable, act: () => setDoing("disable") },
          a.state !== "pending" && { words: text.newEnrollmentToken, act: () => setDoing("enroll") },
          a.state !== "revoked" && { words: text.revoke, danger: true, act: () => setDoing("revoke") },
          { words: text.deleteLabel, danger: true, act: () => setDoing("delete") },
        ]}
      />
      {doing === "edit" && <Edit of={a} close={close} />}
      <ConfirmDialog
        open={doing === "disable"}
        close={close}
        title={text.disableName(a.name)}
        lead={text.effectOfDisabling}
        verb={text.disable}
        act={() => slow.mutateAsync(() => post("disable"))}
      />
      <ConfirmDialog
        open={doing === "clear"}
        close={close}
        title={text.clearQuarantineQuestion}
        lead={text.twoHostsUsedTheIdentityOf}
        verb={text.clearQuarantine}
        act={() => slow.mutateAsync(() => post("quarantine/clear"))}
      >
        {a.quarantine_reason && <Note tone="bad">{why(a)}</Note>}
      </ConfirmDialog>
      <ConfirmDialog
        open={doing === "revoke"}
        close={close}
        tone="danger"
        title={text.revokeName(a.name)}
        lead={text.effectOfRevoking}
        verb={text.revoke}
        disabled={!reason.trim()}
        act={() => slow.mutateAsync(() => post("revoke", { reason: reason.trim() }))}
      >
        <TextField label={text.reason} value={reason} set={setReason} required max={500} autoFocus />
      </ConfirmDialog>
      {doing === "delete" && (
        <DeleteFirst
          close={close}
          title={text.deleteName(a.name)}
          lead={text.theAgentIsRemovedFromThe}
          path={`/settings/agents/${a.id}`}
          list="/settings/agents"
          done={text.agentDeleted}
          gone={() => void navigate({ to: "/settings/agents" })}
        />
      )}
      <ConfirmDialog
        open={doing === "enroll"}
        close={close}
        title={text.createANewEnrollmentToken}
        lead={text.forANewHostOrTo}
        verb={text.create}
        act={() => slow.mutateAsync(async () => setInvited(await post<Invited>("enroll", { release_credentials: true })))}
      />
      <Dialog open={invited !== undefined} close={() => setInvited(undefined)} wide title={text.enrollName(a.name)}>
        {invited && <Enrolment of={invited} />}
      </Dialog>
    </>
  );
}
