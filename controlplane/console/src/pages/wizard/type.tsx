import { useState } from "react";
import * as text from "#text/wizard";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Connector, Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Steps } from "../../kit/elements";
import { SelectField, TextField, useForm } from "../../kit/form";
import { Failure, Head, Note, Part, Problems, Skeleton } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Catalog, useChoice } from "./catalog";
import { Choices } from "./connection";
import { Drafts } from "./drafts";
import { steps, WizardFooter } from "./frame";
import { type Reach, ReachField } from "./reach";
import { typeKey } from "./settings";
import "./wizard.css";

type Type = Of<"ConnectorType">;

/** Step 1: what is connected. The draft is the service's from here on. */
export default function TypePage() {
  const types = useGet<{ items: Type[] }>("/connectors/types");
  const [chosen, choose] = useChoice();
  if (types.isError) return <Failure page error={types.error} retry={() => void types.refetch()} />;
  const type = types.data?.items.find((t) => t.key === chosen);
  return (
    <div className="stack wizard">
      <Steps
        label={text.stepsOfTheSetup}
        of={[
          { words: text.typeLabel, detail: text.typeOfSystem, state: "here" },
          ...steps.map((s) => ({ words: s.words, detail: s.detail, state: "todo" as const })),
        ]}
      />
      <Head up={text.connectorsFirstStep} title={text.selectASystemType} />
      <Drafts />
      {types.data ? <Catalog of={types.data.items} chosen={chosen} choose={choose} /> : <Skeleton rows={6} />}
      {type ? <About key={type.key} of={type} /> : <WizardFooter id="" go={() => undefined} missing={text.selectAType} />}
    </div>
  );
}

const capabilities: [keyof Type["capabilities"], string][] = [
  ["read_identities", text.readsPeople],
  ["read_accounts", text.readsAccounts],
  ["read_entitlements", text.readsGroupsAndRoles],
  ["incremental", text.readsChangesOnly],
  ["write_account", text.createsAndChangesAccounts],
  ["write_grant", text.grantsAndRevokesAccess],
];

/** The name and the circumstances of a new connector of a type. */
function About({ of: type }: { of: Type }) {
  const navigate = useGo();
  const [reach, setReach] = useState<Reach>({ mode: "hosted", agent_id: null, agent_group: null });
  const [like, setLike] = useState("");
  const same = useGet<{ items: Connector[] }>("/connectors", { type: type.type, limit: 200 });
  const others = (same.data?.items ?? []).filter((c) => typeKey(c) === type.key && c.status !== "deleted");
  const form = useForm({ name: type.name, environment: "production", purpose: "both" }, async (v, key) => {
    const body = {
      ...v,
      name: v.name.trim(),
      draft: true,
      type: type.type,
      ...(type.type === "vendor" ? { vendor_key: type.key } : {}),
      ...reachOf(reach),
      ...settingsOf(others, like),
    };
    const made = await ask<Connector>("POST", "/connectors", { body, key });
    await navigate({ to: "/connectors/new/$id/$step", params: { id: made.id, step: "connection" } });
  });
  const taken = form.refused instanceof Refusal && form.refused.errors.some((e) => e.code === "duplicate_business_id");
  const copy = (id: string) => {
    setLike(id);
    const from = others.find((c) => c.id === id);
    if (!from) return;
    setReach({ mode: from.mode, agent_id: from.agent_id, agent_group: from.agent_group });
    form.replace({
      name: `${from.name} (staging)`,
      environment: from.environment === "production" ? "staging" : "production",
      purpose: from.purpose,
    });
  };
  return (
    <Part title={type.name} lead={type.description}>
      <p className="small muted">
        {text.thisConnectorCapabilities(
          capabilities
            .filter(([k]) => type.capabilities[k])
            .map(([, words]) => words)
            .join(", ") || text.hasTheCapabilitiesThatYouConfigure,
        )}
      </p>
      <form className="stack form" onSubmit={form.submit}>
        {others.length > 0 && (
          <SelectField
            label={text.copyFromAConnectorOptional}
            value={like}
            none={text.none}
            set={copy}
            options={others.map((c) => [c.id, `${c.name} (${c.environment})`] as const)}
            hint={text.copiesTheSettingsWithoutSecretsYou}
          />
        )}
        <TextField
          label={text.name}
          {...form.field("name")}
          required
          max={200}
          error={taken ? text.aConnectorWithThisNameAlready : form.wrong("name")}
        />
        <Choices about={form.value} change={(m) => form.replace({ ...form.value, ...m })} />
        {!taken && <Problems of={form.refused} />}
        {type.quirks.length > 0 && (
          <Note>
            <strong>{text.notes}</strong>
            <ul>
              {type.quirks.map((q) => (
                <li key={q.code}>{q.text}</li>
              ))}
            </ul>
          </Note>
        )}
      </form>
      {/* Beside the form: an agent is registered by a form of its own. */}
      <ReachField value={reach} set={setReach} error={form.wrong("agent_id") ?? form.wrong("agent_group")} />
      <WizardFooter id="" go={form.submit} busy={form.busy} missing={form.value.name.trim() ? undefined : text.enterAName}>
        <span className="small muted">{text.theNextStepsAreSavedAs}</span>
      </WizardFooter>
    </Part>
  );
}

const reachOf = (r: Reach) => ({
  mode: r.mode,
  ...(r.agent_id ? { agent_id: r.agent_id } : {}),
  ...(r.agent_group ? { agent_group: r.agent_group } : {}),
});

function settingsOf(others: Connector[], id: string) {
  const from = others.find((c) => c.id === id);
  return from ? { connection: from.connection } : {};
}
