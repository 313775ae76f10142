import { ArrowRight } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import * as text from "#text/wizard";
import type { Connector, Of } from "../../api/types";
import { dialogIsOpen } from "../../app/keys";
import { Button } from "../../kit/kit";
import { Link } from "../../kit/link";

export type Wizard = Of<"Wizard">;
export type WizardStep = Of<"WizardStep">;
export type StepName = "connection" | "discovery" | "mapping" | "sync";

/** What every step is given. */
export type StepProps = { id: string; wizard: Wizard; connector: Connector; go: (step: StepName) => void };

export const steps: { name: StepName; words: string; detail: string; title: string }[] = [
  { name: "connection", words: text.connection, detail: text.addressAndCredentials, title: text.addressAndCredentials },
  { name: "discovery", words: text.discovery, detail: text.objectsAndFields, title: text.objectsAndFields },
  { name: "mapping", words: text.fieldMapping, detail: text.mapFields, title: text.mapFields },
  { name: "sync", words: text.firstSync, detail: text.initialImport, title: text.firstSync },
];

/** The step of the service that a step of the page is. */
export const serverStep = (w: Wizard, name: StepName): WizardStep | undefined =>
  w.steps.find((s) => s.name === (name === "sync" ? "first_sync" : name));

const blockers: Record<string, string> = {
  connector_incomplete: text.connectionSettingsAreMissing,
  test_required: text.testTheConnectionFirstSentence,
  discovery_required: text.runDiscoveryFirstSentence,
  mapping_required: text.mapTheFieldsFirst,
};

/** Why a step cannot be taken yet; undefined when it can. */
export const blocked = (s: WizardStep | undefined) =>
  s?.state === "blocked" ? s.blocked_by.map((b) => blockers[b] ?? b).join(" ") : undefined;

/** Where the way back and the way on are. missing says what the way on waits for; it is the words of the button then. */
export function WizardFooter({
  back,
  id,
  words = text.continueLabel,
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
          <Link className="button quiet" to="/connectors/new/$id/$step" params={{ id, step: back }}>
            {text.back}
          </Link>
        )}
        {children}
      </div>
      {go && (
        <Button tone="primary" className="wizard-selected" disabled={busy || Boolean(missing)} onClick={go} title={text.ctrlEnter}>
          {busy ? text.savingEllipsis : (missing ?? words)} <ArrowRight aria-hidden size={16} />
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
      <h2>{text.notAvailableYet}</h2>
      <p className="muted">{why}</p>
      <Link className="button primary" to="/connectors/new/$id/$step" params={{ id, step: open.name }}>
        {text.goToWords(open.words.toLowerCase())}
      </Link>
    </div>
  );
}
