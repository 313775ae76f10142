import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import type { Connector, Of } from "../../api/types";
import { dialogIsOpen } from "../../app/keys";
import { Button } from "../../kit/kit";

export type Wizard = Of<"Wizard">;
export type WizardStep = Of<"WizardStep">;
export type StepName = "connection" | "discovery" | "mapping" | "sync";

/** What every step is given. */
export type StepProps = { id: string; wizard: Wizard; connector: Connector; go: (step: StepName) => void };

export const steps: { name: StepName; words: string; detail: string; title: string }[] = [
  { name: "connection", words: "Connection", detail: "Address and credentials", title: "Address and credentials" },
  { name: "discovery", words: "Discovery", detail: "Objects and fields", title: "Objects and fields" },
  { name: "mapping", words: "Field mapping", detail: "Map fields", title: "Map fields" },
  { name: "sync", words: "First sync", detail: "Initial import", title: "First sync" },
];

/** The step of the service that a step of the page is. */
export const serverStep = (w: Wizard, name: StepName): WizardStep | undefined =>
  w.steps.find((s) => s.name === (name === "sync" ? "first_sync" : name));

const blockers: Record<string, string> = {
  connector_incomplete: "Connection settings are missing.",
  test_required: "Test the connection first.",
  discovery_required: "Run discovery first.",
  mapping_required: "Map the fields first.",
};

/** Why a step cannot be taken yet; undefined when it can. */
export const blocked = (s: WizardStep | undefined) =>
  s?.state === "blocked" ? s.blocked_by.map((b) => blockers[b] ?? b).join(" ") : undefined;

/** Where the way back and the way on are. missing says what the way on waits for; it is the words of the button then. */
export function WizardFooter({
  back,
  id,
  words = "Continue",
  missing,
  busy,
  go,
  children,
}: {
  back?: StepName;
  id: string;
  words?: string;
  missing?: string | undefined;
  busy?: boolean;
  go?: () => void;
  children?: ReactNode;
}) {
  const now = useRef({ missing, busy, go });
  now.current = { missing, busy, go };
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || e.defaultPrevented || dialogIsOpen()) return;
      const { missing: wanting, busy: acting, go: on } = now.current;
      if (wanting || acting || !on) return;
      e.preventDefault();
      on();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return (
    <div className="row between wizard-foot">
      <div className="row">
        {back && (
          <Link className="button quiet" to={"/connectors/new/$id/$step" as never} params={{ id, step: back } as never}>
            Back
          </Link>
        )}
        {children}
      </div>
      {go && (
        <Button tone="primary" className="wizard-on" disabled={busy || Boolean(missing)} onClick={go} title="Ctrl+Enter">
          {busy ? "Saving…" : (missing ?? words)} <ArrowRight aria-hidden size={16} />
        </Button>
      )}
    </div>
  );
}

/** Says why a step is closed, and leads to the one that is open. */
export function Closed({ why, wizard, id }: { why: string; wizard: Wizard; id: string }) {
  const open = steps[Math.max(0, wizard.step - 2)] ?? steps[0];
  if (!open) return null;
  return (
    <div className="empty">
      <h2>Not available yet</h2>
      <p className="muted">{why}</p>
      <Link className="button primary" to={"/connectors/new/$id/$step" as never} params={{ id, step: open.name } as never}>
        Go to {open.words.toLowerCase()}
      </Link>
    </div>
  );
}
