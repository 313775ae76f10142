import { useState } from "react";
import * as text from "#text/connectors";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Button, Part } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { environments } from "./words";

/** What is done with the connector as a whole. */
export default function More({ of: c }: { of: Connector }) {
  return (
    <>
      <CopyTo of={c} />
      <Danger of={c} />
    </>
  );
}

/** A draft of the same system in another environment: settings are taken along, secrets are not. */
function CopyTo({ of: c }: { of: Connector }) {
  const navigate = useGo();
  const form = useForm(
    { name: `${c.name} (copy)`, environment: c.environment === "production" ? "staging" : "production" },
    async (v, key) => {
      const made = await ask<Connector>("POST", "/connectors", { key, body: copyOf(c, v.name, v.environment) });
      showToast(text.theCopyIsADraftEnter);
      await navigate({ to: "/connectors/new/$id/$step", params: { id: made.id, step: "connection" } });
    },
  );
  return (
    <Part title={text.copyToAnotherEnvironment} lead={text.createsADraftWithTheseSettings}>
      <Form of={form} verb={text.copy} always>
        <div className="fields">
          <TextField label={text.name} {...form.field("name")} required max={200} error={form.wrong("name")} />
          <SelectField
            label={text.environment}
            value={form.value.environment}
            set={(v: string) => form.set("environment", v)}
            options={environments}
          />
        </div>
      </Form>
    </Part>
  );
}

function copyOf(c: Connector, name: string, environment: string) {
  return {
    name,
    environment,
    draft: true,
    type: c.type,
    ...(c.vendor_key ? { vendor_key: c.vendor_key } : {}),
    mode: c.mode,
    ...(c.agent_group ? { agent_group: c.agent_group } : c.agent_id ? { agent_id: c.agent_id } : {}),
    description: c.description,
    purpose: c.purpose,
    authority_rank: c.authority_rank,
    labels: c.labels,
    connection: c.connection,
  };
}

/** Deleting: what it means is said, and its name has to be typed. */
function Danger({ of: c }: { of: Connector }) {
  const navigate = useGo();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const remove = useAct({
    act: (_, key) => ask<Of<"Connector">>("DELETE", `/connectors/${c.id}`, { key, ifMatch: c.version }),
    done: text.nameDeleted(c.name),
    quiet: true,
    after: () => void navigate({ to: "/connectors" }),
    changes: ["/connectors"],
  });
  return (
    <Part title={text.deleteVerb}>
      <div className="connectors-danger stack tight">
        <p>{text.strongItsSecretsAreDeletedAt(<strong>{text.deleteThisConnector}</strong>)}</p>
        <div>
          <Button tone="danger" onClick={() => setOpen(true)}>
            {text.deleteLabel}
          </Button>
        </div>
      </div>
      <ConfirmDialog
        open={open}
        close={() => setOpen(false)}
        title={text.deleteName(c.name)}
        verb={text.deleteVerb}
        tone="danger"
        disabled={typed !== c.name}
        act={() => remove.mutateAsync()}
      >
        <p>{text.theSecretsAreDeletedAndYou}</p>
        <TextField label={text.enterTheNameNameToConfirm(c.name)} value={typed} set={setTyped} />
      </ConfirmDialog>
    </Part>
  );
}
