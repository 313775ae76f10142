import { useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import * as text from "#text/webhooks";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { DeleteFirst } from "../../kit/deletefirst";
import { ConfirmDialog, Dialog } from "../../kit/dialog";
import { Verbatim } from "../../kit/elements";
import { SelectField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { showToast } from "../../kit/toast";
import { Edit } from "./edit";
import { Replay } from "./replay";
import { SecretOnce } from "./secret";
import type { Webhook } from "./words";

type Tested = Of<"Tested">;
type WebhookAction = "edit" | "disable" | "rotate" | "replay" | "delete";

const overlaps = [
  ["PT0S", text.immediately],
  ["PT1H", text.forOneHour],
  ["PT24H", text.forOneDay],
  ["P7D", text.forSevenDays],
] as const;

/** One that the service has disabled is enabled after a test: said in the words of this page, not in those of the API. */
function untested(e: unknown): never {
  if (!(e instanceof Refusal) || e.code !== "test_required") throw e;
  throw new Refusal(e.status, e.code, text.sendATestFirstTheWebhook, e.requestId);
}

/** What can be done with a webhook. */
export function WebhookActions({ of: w }: { of: Webhook }) {
  const may = useMay();
  const navigate = useGo();
  const queries = useQueryClient();
  const [doing, setDoing] = useState<WebhookAction>();
  const [secret, setSecret] = useState<string>();
  const [overlap, setOverlap] = useState<string>("PT24H");
  const path = `/settings/webhooks/${w.id}`;
  const changed = () => queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/settings/webhooks") });
  const post = async <R,>(verb: string, body?: unknown) => {
    const r = await ask<R>("POST", `${path}/${verb}`, { body, key: crypto.randomUUID() });
    await changed();
    return r;
  };
  const enable = useAct({ act: () => post("enable").catch(untested), done: text.webhookEnabled });
  const test = useAct<void, Tested>({ act: () => post<Tested>("test") });
  if (!may.admin) return null;
  const close = () => setDoing(undefined);
  return (
    <>
      <Button tone="primary" disabled={test.isPending} onClick={() => test.mutate()}>
        <Send aria-hidden size={14} /> {test.isPending ? text.sending : text.sendTest}
      </Button>
      {!w.enabled && <Button onClick={() => enable.mutate()}>{text.enable}</Button>}
      <Menu
        words={text.more}
        of={[
          { words: text.edit, act: () => setDoing("edit") },
          { words: text.replayEvents, act: () => setDoing("replay") },
          { words: text.rotateSecret, act: () => setDoing("rotate") },
          w.enabled && { words: text.disable, act: () => setDoing("disable") },
          { words: text.deleteLabel, danger: true, act: () => setDoing("delete") },
        ]}
      />
      {test.data && <TestResult of={test.data} close={() => test.reset()} />}
      <Dialog open={doing === "edit"} close={close} wide title={text.editName(w.name)}>
        <Edit
          of={w}
          cancel={close}
          done={() => {
            close();
            showToast(text.saved);
            void changed();
          }}
        />
      </Dialog>
      {doing === "replay" && <Replay of={w} close={close} />}
      <ConfirmDialog
        open={doing === "rotate"}
        close={close}
        title={text.rotateSecretQuestion}
        lead={text.aNewSecretIsCreatedAnd}
        verb={text.createNewSecret}
        act={async () => setSecret((await post<Of<"Made">>("rotate-secret", { overlap })).secret)}
      >
        <SelectField
          label={text.overlap}
          value={overlap}
          set={setOverlap}
          options={overlaps.map(([v, t]) => [v as string, v === "PT0S" ? "immediately" : text.previousSecretSignsT(t)] as const)}
        />
      </ConfirmDialog>
      <ConfirmDialog
        open={doing === "disable"}
        close={close}
        title={text.disableName(w.name)}
        lead={text.noEventsAreSentEventsThat}
        verb={text.disable}
        act={() => post("disable")}
      />
      {doing === "delete" && (
        <DeleteFirst
          close={close}
          title={text.deleteName(w.name)}
          lead={text.itsSecretAndItsDeliveriesAre}
          path={path}
          list="/settings/webhooks"
          version={w.version}
          done={text.webhookDeleted}
          gone={() => void navigate({ to: "/settings/webhooks" })}
        />
      )}
      <SecretOnce secret={secret} close={() => setSecret(undefined)} />
    </>
  );
}

/** What the receiver answered to a test. */
function TestResult({ of, close }: { of: Tested; close: () => void }) {
  return (
    <Dialog open close={close} title={of.success ? text.testDelivered : text.testFailed}>
      <Note tone={of.success ? "ok" : "bad"}>
        {of.status && of.error
          ? text.valueInLatencyMsMsError(of.status ? text.httpStatus(of.status) : (of.error ?? text.noResponse), of.latency_ms, of.error)
          : text.valueInLatencyMsMs(of.status ? text.httpStatus(of.status) : (of.error ?? text.noResponse), of.latency_ms)}
      </Note>
      {of.excerpt && <Verbatim label={text.responseOfTheReceiver}>{of.excerpt}</Verbatim>}
      <div className="row end">
        <Button reads onClick={close}>
          {text.close}
        </Button>
      </div>
    </Dialog>
  );
}
