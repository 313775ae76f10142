import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Button, Part } from "../../kit/kit";
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
  const navigate = useNavigate();
  const form = useForm(
    { name: `${c.name} (copy)`, environment: c.environment === "production" ? "staging" : "production" },
    async (v, key) => {
      const made = await ask<Connector>("POST", "/connectors", { key, body: copyOf(c, v.name, v.environment) });
      showToast("The copy is a draft. Enter its secrets and test it. You can copy the mappings in step 4.");
      await navigate({ to: "/connectors/new/$id/$step" as never, params: { id: made.id, step: "connection" } as never });
    },
  );
  return (
    <Part
      title="Copy to another environment"
      lead="Creates a draft with these settings and labels. Secrets are not copied. You can copy the mappings in the fourth step."
    >
      <Form of={form} verb="Copy" always>
        <div className="fields">
          <TextField label="Name" {...form.field("name")} required max={200} error={form.wrong("name")} />
          <SelectField
            label="Environment"
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
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const remove = useAct({
    act: (_, key) => ask<Of<"Connector">>("DELETE", `/connectors/${c.id}`, { key, ifMatch: c.version }),
    done: `${c.name} deleted.`,
    quiet: true,
    after: () => void navigate({ to: "/connectors" }),
    changes: ["/connectors"],
  });
  return (
    <Part title="Delete">
      <div className="connectors-danger stack tight">
        <p>
          <strong>Delete this connector.</strong> Its secrets are deleted at once, and all syncs and changes stop. Synced people, accounts
          and access are kept but no longer updated. To stop temporarily, pause or disable the connector.
        </p>
        <div>
          <Button tone="danger" onClick={() => setOpen(true)}>
            Delete…
          </Button>
        </div>
      </div>
      <AskFirst
        open={open}
        close={() => setOpen(false)}
        title={`Delete ${c.name}`}
        verb="Delete"
        tone="danger"
        disabled={typed !== c.name}
        act={() => remove.mutateAsync()}
      >
        <p>The secrets are deleted and you cannot undo this. Synced data is kept but no longer updated.</p>
        <TextField label={`Enter the name ${c.name} to confirm`} value={typed} set={setTyped} />
      </AskFirst>
    </Part>
  );
}
