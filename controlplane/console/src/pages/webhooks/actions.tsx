import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useState } from "react";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { DeleteFirst } from "../../kit/deletefirst";
import { AskFirst, Dialog } from "../../kit/dialog";
import { Verbatim } from "../../kit/elements";
import { SelectField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { Menu } from "../../kit/menu";
import { showToast } from "../../kit/toast";
import { Edit } from "./edit";
import { Replay } from "./replay";
import { SecretOnce } from "./secret";
import type { Webhook } from "./words";

type Tested = Of<"Tested">;
type Doing = "edit" | "disable" | "rotate" | "replay" | "delete";

const overlaps = [
  ["PT0S", "immediately"],
  ["PT1H", "for one hour"],
  ["PT24H", "for one day"],
  ["P7D", "for seven days"],
] as const;

/** One that the service has disabled is enabled after a test: said in the words of this page, not in those of the API. */
function untested(e: unknown): never {
  if (!(e instanceof Refusal) || e.code !== "test_required") throw e;
  throw new Refusal(e.status, e.code, "Send a test first. The webhook can be enabled after a test is delivered.", e.requestId);
}

/** What can be done with a webhook. */
export function WebhookActions({ of: w }: { of: Webhook }) {
  const may = useMay();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [doing, setDoing] = useState<Doing>();
  const [secret, setSecret] = useState<string>();
  const [overlap, setOverlap] = useState<string>("PT24H");
  const path = `/settings/webhooks/${w.id}`;
  const changed = () => queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/settings/webhooks") });
  const post = async <R,>(verb: string, body?: unknown) => {
    const r = await ask<R>("POST", `${path}/${verb}`, { body, key: crypto.randomUUID() });
    await changed();
    return r;
  };
  const enable = useAct({ act: () => post("enable").catch(untested), done: "Webhook enabled" });
  const test = useAct<void, Tested>({ act: () => post<Tested>("test") });
  if (!may.admin) return null;
  const close = () => setDoing(undefined);
  return (
    <>
      <Button tone="primary" disabled={test.isPending} onClick={() => test.mutate()}>
        <Send aria-hidden size={14} /> {test.isPending ? "Sending…" : "Send test"}
      </Button>
      {!w.enabled && <Button onClick={() => enable.mutate()}>Enable</Button>}
      <Menu
        words="More"
        of={[
          { words: "Edit", act: () => setDoing("edit") },
          { words: "Replay events", act: () => setDoing("replay") },
          { words: "Rotate secret", act: () => setDoing("rotate") },
          w.enabled && { words: "Disable", act: () => setDoing("disable") },
          { words: "Delete", danger: true, act: () => setDoing("delete") },
        ]}
      />
      {test.data && <TestResult of={test.data} close={() => test.reset()} />}
      <Dialog open={doing === "edit"} close={close} wide title={`Edit ${w.name}`}>
        <Edit
          of={w}
          cancel={close}
          done={() => {
            close();
            showToast("Saved");
            void changed();
          }}
        />
      </Dialog>
      {doing === "replay" && <Replay of={w} close={close} />}
      <AskFirst
        open={doing === "rotate"}
        close={close}
        title="Rotate secret?"
        lead="A new secret is created and shown once. During the overlap, both secrets sign, so that you can update the receiver."
        verb="Create new secret"
        act={async () => setSecret((await post<Of<"Made">>("rotate-secret", { overlap })).secret)}
      >
        <SelectField
          label="Overlap"
          value={overlap}
          set={setOverlap}
          options={overlaps.map(([v, t]) => [v as string, v === "PT0S" ? "immediately" : `previous secret signs ${t}`] as const)}
        />
      </AskFirst>
      <AskFirst
        open={doing === "disable"}
        close={close}
        title={`Disable ${w.name}?`}
        lead="No events are sent. Events in the meantime are recorded as skipped and can be replayed."
        verb="Disable"
        act={() => post("disable")}
      />
      {doing === "delete" && (
        <DeleteFirst
          close={close}
          title={`Delete ${w.name}?`}
          lead="Its secret and its deliveries are deleted."
          path={path}
          list="/settings/webhooks"
          version={w.version}
          done="Webhook deleted."
          gone={() => void navigate({ to: "/settings/webhooks" as never })}
        />
      )}
      <SecretOnce secret={secret} close={() => setSecret(undefined)} />
    </>
  );
}

/** What the receiver answered to a test. */
function TestResult({ of, close }: { of: Tested; close: () => void }) {
  return (
    <Dialog open close={close} title={of.success ? "Test delivered" : "Test failed"}>
      <Note tone={of.success ? "ok" : "bad"}>
        {of.status ? `HTTP ${of.status}` : (of.error ?? "No response")} in {of.latency_ms} ms
        {of.status && of.error ? `: ${of.error}` : ""}
      </Note>
      {of.excerpt && <Verbatim label="Response of the receiver">{of.excerpt}</Verbatim>}
      <div className="row end">
        <Button reads onClick={close}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
