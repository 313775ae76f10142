import { Link, useNavigate } from "@tanstack/react-router";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { SelectField, TextField, useForm } from "../../kit/form";
import { Button, Head, Problems } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { type Filled, filledOf, patchOf } from "./fields";
import { PersonFields } from "./fieldset";
import "./people.css";

type New = Filled & { external_id: string; kind: "human" | "non_human" };

const blank: New = { ...filledOf({}), external_id: "", kind: "human" };

/** Adds somebody whom no connected system knows. */
export default function AddPerson() {
  const navigate = useNavigate();
  const form = useForm<New>(blank, async (v, key) => {
    const body = { external_id: v.external_id.trim(), kind: v.kind, ...withoutNulls(patchOf(blank, v)) };
    const made = await ask<Of<"Identity">>("POST", "/identities", { body, key });
    showToast("Added. Policies grant the access of this person.");
    await navigate({ to: "/people/$id", params: { id: made.id } });
  });
  return (
    <>
      <Head
        title="Add a person"
        lead="Add a person who is in no connected system. Other people are added by syncs."
        up={<Link to="/people">People</Link>}
      />
      <form className="stack person-form" onSubmit={form.submit}>
        <div className="fields">
          <TextField
            label="ID"
            required
            max={256}
            {...form.field("external_id")}
            hint="A stable identifier, such as the personnel number. A system that later reports the same ID updates this person."
          />
          <SelectField
            label="Kind"
            {...form.field("kind")}
            options={[
              ["human", "person"],
              ["non_human", "machine (requires a sponsor and a backup)"],
            ]}
          />
        </div>
        <PersonFields of={form as never} />
        <Problems of={form.refused} />
        <div className="row">
          <Button type="submit" tone="primary" disabled={form.busy || !form.value.external_id.trim()}>
            {form.busy ? "Saving…" : "Add person"}
          </Button>
          <Link to="/people" className="button">
            Cancel
          </Link>
        </div>
      </form>
    </>
  );
}

const withoutNulls = (of: Record<string, unknown>) => Object.fromEntries(Object.entries(of).filter(([, v]) => v !== null));
