import { type FocusEvent, useState } from "react";
import * as text from "#text/wizard";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { SelectField, TextField } from "../../kit/form";
import { Failure, Skeleton } from "../../kit/kit";
import { environments } from "../connectors/words";
import { SettingField } from "./field";
import { type About, aboutOf, restoreTyped, storeTyped, useSave } from "./formstate";
import { type StepProps, WizardFooter } from "./frame";
import { blockedByAgent, Probe, useProbe } from "./probe";
import { ReachField } from "./reach";
import { applies, type Setting, type Typed, textOf, typeKey } from "./settings";

/** Step 2: only the settings of the type, and the test. Whatever is typed asks for another test. */
export function Connection(props: StepProps) {
  const type = useGet<Of<"ConnectorType">>(`/connectors/types/${typeKey(props.connector)}`);
  if (type.isError) return <Failure error={type.error} retry={() => void type.refetch()} />;
  if (!type.data) return <Skeleton rows={6} />;
  return <Fields {...props} fields={type.data.fields} />;
}

function Fields({ id, wizard, connector, fields, go }: StepProps & { fields: Setting[] }) {
  const [typed, setTyped] = useState<Typed>(() => restoreTyped(id));
  const [about, setAbout] = useState(() => aboutOf(connector));
  const save = useSave(id, fields, connector);
  const value = (key: string) => {
    const f = fields.find((x) => x.key === key);
    return f ? textOf(f, typed, connector.connection) : "";
  };
  const shown = fields.filter((f) => applies(f, fields, value));
  const missing = shown
    .filter((f) => f.required && !(f.secret ? connector.credentials[f.key]?.set || typed[f.key] : value(f.key)))
    .map((f) => f.label);
  if (about.reach.mode === "agent" && !about.reach.agent_id && !about.reach.agent_group) missing.push(text.theAgent);
  const dirty = Object.keys(typed).length > 0 || JSON.stringify(about) !== JSON.stringify(aboutOf(connector));
  const keep = async () => {
    if (!dirty) return true;
    const ok = await save.send(shown, typed, about);
    sent(ok);
    return ok;
  };
  // What was sent is the service's now; what was typed meanwhile stays.
  const sent = (ok: boolean) => {
    if (ok) setTyped((was) => Object.fromEntries(Object.entries(was).filter(([k, v]) => typed[k] !== v)));
    storeTyped(id, fields, ok ? {} : typed);
  };
  const left = (e: FocusEvent) => {
    if (dirty && !e.target.closest(".field")?.contains(e.relatedTarget)) void save.quietly(shown, typed, about).then(sent);
  };
  const probe = useProbe(id, keep);
  const set = (key: string, v: string | boolean) => {
    setTyped((was) => ({ ...was, [key]: v }));
    save.touched(key);
    probe.forget();
  };
  const change = (more: Partial<About>) => {
    setAbout((was) => ({ ...was, ...more }));
    if (more.reach) probe.forget();
  };
  const last = connector.last_test;
  const tested = !dirty && Boolean(last?.current && last.success);
  const field = (f: Setting) => (
    <SettingField
      key={f.key}
      of={f}
      text={textOf(f, typed, f.secret ? {} : connector.connection)}
      kept={connector.credentials[f.key]?.set ? connector.credentials[f.key]?.updated_at : undefined}
      set={(v) => set(f.key, v)}
      error={save.wrong(f) ?? blockedByAgent(probe, f)}
    />
  );
  const plain = shown.filter((f) => !f.advanced);
  const advanced = shown.filter((f) => f.advanced);
  return (
    <>
      <div className="wizard-columns">
        {/* What was typed is kept whenever a field is left. */}
        <fieldset className="wizard-choice stack" aria-label={text.settingsOfTheConnection} onBlur={left}>
          <ReachField
            value={about.reach}
            set={(reach) => change({ reach })}
            error={save.wrongAt("agent_id") ?? save.wrongAt("agent_group")}
          />
          {plain.map(field)}
          {advanced.length > 0 && (
            <details>
              <summary className="wizard-more">{text.moreSettingsAdvanced(advanced.length)}</summary>
              <div className="stack">{advanced.map(field)}</div>
            </details>
          )}
          <details>
            <summary className="wizard-more">{text.nameEnvironmentAndPurpose}</summary>
            <div className="stack">
              <TextField
                label={text.name}
                value={about.name}
                set={(name) => change({ name })}
                required
                max={200}
                error={save.wrongAt("name")}
              />
              <Choices about={about} change={change} />
            </div>
          </details>
        </fieldset>
        <Probe of={probe} last={last} changed={dirty} missing={missing} unsaved={save.refused} />
      </div>
      <WizardFooter
        id={id}
        go={() => go("discovery")}
        busy={probe.busy}
        missing={
          missing.length > 0
            ? text.missingMissing(missing[0]?.toLowerCase())
            : tested
              ? undefined
              : last && !last.success && last.current && !dirty
                ? text.theConnectionTestMustSucceed
                : text.testTheConnectionFirst
        }
      >
        <span className="small muted">
          {dirty ? text.savedWhenYouLeaveAField : wizard.status === "draft" ? text.savedAsADraftYouCan : text.savedYouCanLeaveAndContinue}
        </span>
      </WizardFooter>
    </>
  );
}

const purposes = [
  ["both", text.peopleAccountsAndAccess],
  ["source", text.peopleSource],
  ["target", text.accountsAndAccessTarget],
] as const;

/** Environment and purpose, as the first two steps ask for them. */
export function Choices({
  about,
  change,
}: {
  about: { environment: string; purpose: string };
  change: (m: { environment?: string; purpose?: string }) => void;
}) {
  return (
    <div className="fields">
      <SelectField
        label={text.environment}
        value={about.environment}
        set={(environment: string) => change({ environment })}
        options={environments}
      />
      <SelectField label={text.provides} value={about.purpose} set={(purpose: string) => change({ purpose })} options={purposes} />
    </div>
  );
}
