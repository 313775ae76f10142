import { type ReactNode, useEffect, useState } from "react";
import * as text from "#text/separation";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { DeleteFirst } from "../../kit/deletefirst";
import { ConfirmDialog } from "../../kit/dialog";
import { Button } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { SimulationResult, useSimulation } from "./simulation";

type Policy = Of<"SeparationPolicy">;
type Mode = "draft" | "shadow" | "enforce";

/** What an administrator does with a policy: what makes it prevent something is confirmed with its impact in view. */
export function PolicyActions({ of: p, children }: { of: Policy; children: ReactNode }) {
  const navigate = useGo();
  const [asking, setAsking] = useState<"enforce" | "draft" | "disable" | "delete">();
  const close = () => setAsking(undefined);
  const at = `/policies/separation-of-duties/${p.id}`;
  const name = p.name ?? "";
  const said = { draft: text.isADraft, shadow: text.isInShadow, enforce: text.isEnforced };
  const mode = useAct<Mode, Policy>({
    quiet: asking !== undefined,
    act: (to, key) => ask("POST", `${at}/mode`, { body: { mode: to }, key, ifMatch: p.version }),
    done: (r) => said[r.mode ?? "draft"](name),
    changes: ["/policies/"],
  });
  const turn = useAct<boolean, Policy>({
    quiet: asking !== undefined,
    act: (on, key) => ask("POST", `${at}/${on ? "enable" : "disable"}`, { key, ifMatch: p.version }),
    done: (r) => (r.enabled ? text.isEnabled : text.isDisabled)(name),
    changes: ["/policies/"],
  });
  return (
    <>
      {!p.enabled && (
        <Button tone="primary" onClick={() => turn.mutate(true)}>
          {text.enable}
        </Button>
      )}
      {p.enabled && p.mode === "draft" && <Button onClick={() => mode.mutate("shadow")}>{text.startShadow}</Button>}
      {p.enabled && p.mode !== "enforce" && (
        <Button tone="primary" onClick={() => setAsking("enforce")}>
          {text.enforce}
        </Button>
      )}
      {children}
      <Menu
        words={text.more}
        of={[
          p.enabled && p.mode === "enforce" && { words: text.startShadow, act: () => mode.mutate("shadow") },
          p.enabled && p.mode !== "draft" && { words: text.backToDraft, act: () => setAsking("draft") },
          p.enabled && { words: text.disable, act: () => setAsking("disable") },
          { words: text.deleteLabel, act: () => setAsking("delete"), danger: true },
        ]}
      />
      {asking === "enforce" && <Enforce of={p} close={close} act={() => mode.mutateAsync("enforce")} />}
      {asking === "draft" && (
        <ConfirmDialog
          open
          close={close}
          title={text.draftThisPolicy}
          lead={text.draftLead}
          verb={text.backToDraft}
          act={() => mode.mutateAsync("draft")}
        />
      )}
      {asking === "disable" && (
        <ConfirmDialog
          open
          close={close}
          title={text.disableThisPolicy}
          lead={text.disableLead}
          verb={text.disable}
          tone="danger"
          act={() => turn.mutateAsync(false)}
        />
      )}
      {asking === "delete" && (
        <DeleteFirst
          close={close}
          title={text.deleteThisPolicy}
          lead={text.deletePolicyLead}
          verb={text.deleteLabel}
          path={at}
          list="/policies/separation-of-duties"
          version={p.version}
          done={text.policyDeleted(name)}
          gone={() => void navigate({ to: "/separation-of-duties" })}
        />
      )}
    </>
  );
}

/** Confirms that a policy is enforced, with its violations among today's people in view. */
function Enforce({ of: p, close, act }: { of: Policy; close: () => void; act: () => Promise<unknown> }) {
  const simulation = useSimulation(`/policies/separation-of-duties/${p.id}/simulations`);
  const { run } = simulation;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs once, when it is asked
  useEffect(() => void run(), []);
  return (
    <ConfirmDialog
      open
      wide
      close={close}
      title={text.enforceName(p.name ?? "")}
      lead={text.enforceLead}
      verb={text.enforce}
      disabled={!simulation.impact}
      act={act}
    >
      <SimulationResult of={simulation} />
    </ConfirmDialog>
  );
}
