import { useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import * as text from "#text/wizard";
import { ask } from "../../api/client";
import type { Connector } from "../../api/types";
import { useGet } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Steps } from "../../kit/elements";
import { Button, Failure, Head, Skeleton } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { Connection } from "./connection";
import { Discovery } from "./discovery";
import { blocked, Closed, type StepName, serverStep, steps, type Wizard } from "./frame";
import "./wizard.css";

// The two heavy steps come when they are reached.
const MappingStep = lazy(() => import("./mapping"));
const SyncStep = lazy(() => import("./sync"));

/** The way from a connector's type to its first sync. Stage is the service's to say, so that it can be left and resumed. */
export default function WizardPage() {
  const { id, step } = useParams({ strict: false }) as { id: string; step: string };
  const navigate = useGo();
  const wizard = useGet<Wizard>(`/connectors/${id}/wizard`);
  const connector = useGet<Connector>(`/connectors/${id}`);
  const queries = useQueryClient();
  // Whoever comes back sees how far it is by now, and not by when they left.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step asks anew
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: [`/connectors/${id}/wizard`] }, { cancelRefetch: false });
    void queries.invalidateQueries({ queryKey: [`/connectors/${id}`] }, { cancelRefetch: false });
  }, [id, step, queries]);
  const known = steps.some((s) => s.name === step);
  const next = wizard.data && steps[Math.max(0, wizard.data.step - 2)]?.name;
  const go = (to: StepName) => void navigate({ to: "/connectors/new/$id/$step", params: { id, step: to } });
  useEffect(() => {
    if (!known && next) void navigate({ to: "/connectors/new/$id/$step", params: { id, step: next }, replace: true });
  }, [known, next, id, navigate]);
  const failed = wizard.isError ? wizard : connector.isError ? connector : undefined;
  if (failed && !failed.data) return <Failure page error={failed.error} retry={() => void failed.refetch()} />;
  if (!wizard.data || !connector.data || !known) return <Skeleton rows={8} />;
  return <Shown key={step} step={step as StepName} id={id} wizard={wizard.data} connector={connector.data} go={go} />;
}

type Props = { step: StepName; id: string; wizard: Wizard; connector: Connector; go: (step: StepName) => void };

function Shown({ step, ...props }: Props) {
  const { wizard, id } = props;
  const at = steps.findIndex((s) => s.name === step);
  const why = blocked(serverStep(wizard, step));
  const type = wizard.steps[0]?.type?.name;
  return (
    <div className="stack wizard">
      <Steps label={text.stepsOfTheSetup} of={stepLinks(wizard, step, id)} />
      <Head
        up={text.linkStepAtOf5Type(<Link to="/connectors">{text.connectors}</Link>, at + 2, type, <bdi>{wizard.name}</bdi>)}
        title={steps[at]?.title}
      >
        {!wizard.done && <Discard of={wizard} />}
      </Head>
      {why && step !== "connection" ? (
        <Closed why={why} wizard={wizard} id={id} />
      ) : (
        <Suspense fallback={<Skeleton rows={8} />}>
          {step === "connection" && <Connection {...props} />}
          {step === "discovery" && <Discovery {...props} />}
          {step === "mapping" && <MappingStep {...props} />}
          {step === "sync" && <SyncStep {...props} />}
        </Suspense>
      )}
    </div>
  );
}

function stepLinks(w: Wizard, here: StepName, id: string) {
  const type = { words: text.typeLabel, detail: w.steps[0]?.type?.name, state: "done" as const };
  const rest = steps.map((s) => {
    const of = serverStep(w, s.name);
    const done = of?.state === "completed" && !(s.name === "mapping" && (of.mapping?.undecided ?? 0) > 0 && !w.done);
    const open = of?.state !== "blocked";
    return {
      words: s.words,
      detail: s.detail,
      state: s.name === here ? ("here" as const) : done ? ("done" as const) : ("todo" as const),
      ...(open && s.name !== here ? { to: "/connectors/new/$id/$step", params: { id, step: s.name } } : {}),
    };
  });
  return [type, ...rest];
}

/** Takes a draft back: its secrets are erased. */
function Discard({ of }: { of: Wizard }) {
  const navigate = useGo();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button tone="quiet" onClick={() => setAsking(true)}>
        {text.discard}
      </Button>
      <ConfirmDialog
        open={asking}
        close={() => setAsking(false)}
        tone="danger"
        title={text.discardName(of.name)}
        lead={text.theConnectorAndItsCredentialsAre}
        verb={text.discard}
        act={async () => {
          await ask("DELETE", `/connectors/${of.connector_id}`, { key: crypto.randomUUID() });
          showToast(text.nameDiscarded(of.name));
          await navigate({ to: "/connectors/new" });
        }}
      />
    </>
  );
}
