import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Button, Part } from "../../kit/kit";
import { say } from "../../kit/toast";
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
      say("The copy is a draft. Give its secrets, and test it; the mappings are offered in step 4.");
      await navigate({ to: "/connectors/new/$id/$step" as never, params: { id: made.id, step: "connection" } as never });
    },
  );
  return (
    <Part
      title="Copy to another environment"
      lead="Makes a draft with these settings and labels. Secrets are not copied; the mappings can be taken over in its fourth step."
    >
      <Form of={form} verb="Make the copy" always>
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
    done: `${c.name} is deleted.`,
    quiet: true,
    after: () => void navigate({ to: "/connectors" }),
    changes: ["/connectors"],
  });
  return (
    <Part title="Remove">
      <div className="connectors-danger stack tight">
        <p>
          <strong>Delete this connector.</strong> Its secrets are erased at once, and nothing is read from or written to the system any
          more. What was read stays as history: people, accounts and access remain as they are, and are not kept up to date. To stop for a
          while, pause or disable it instead.
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
        verb="Delete for good"
        tone="danger"
        disabled={typed !== c.name}
        act={() => remove.mutateAsync()}
      >
        <p>The secrets are erased and it cannot be taken back. What it has brought stays, and grows old.</p>
        <TextField label={`Type its name, ${c.name}, to confirm`} value={typed} set={setTyped} />
      </AskFirst>
    </Part>
  );
}
