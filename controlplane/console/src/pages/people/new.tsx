import * as text from "#text/people";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { SelectField, TextField, useForm } from "../../kit/form";
import { Button, Head, Problems } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { type Filled, filledOf, patchOf } from "./fields";
import { PersonFields } from "./fieldset";
import "./people.css";

type New = Filled & { external_id: string; kind: "human" | "non_human" };

const blank: New = { ...filledOf({}), external_id: "", kind: "human" };

/** Adds somebody whom no connected system knows. */
export default function AddPerson() {
  const navigate = useGo();
  const form = useForm<New>(blank, async (v, key) => {
    const body = { external_id: v.external_id.trim(), kind: v.kind, ...withoutNulls(patchOf(blank, v)) };
    const made = await ask<Of<"Identity">>("POST", "/identities", { body, key });
    showToast(text.addedPoliciesGrantTheAccessOf);
    await navigate({ to: "/people/$id", params: { id: made.id } });
  });
  return (
    <>
      <Head title={text.addAPerson} lead={text.addAPersonWhoIsIn} up={<Link to="/people">{text.people}</Link>} />
      <form className="stack person-form" onSubmit={form.submit}>
        <div className="fields">
          <TextField label={text.id} required max={256} {...form.field("external_id")} hint={text.aStableIdentifierSuchAsThe} />
          <SelectField
            label={text.kind}
            {...form.field("kind")}
            options={[
              ["human", text.personLower],
              ["non_human", text.machineRequiresASponsorAndA],
            ]}
          />
        </div>
        <PersonFields of={form as never} />
        <Problems of={form.refused} />
        <div className="row">
          <Button type="submit" tone="primary" disabled={form.busy || !form.value.external_id.trim()}>
            {form.busy ? text.saving : text.addPerson}
          </Button>
          <Link to="/people" className="button">
            {text.cancel}
          </Link>
        </div>
      </form>
    </>
  );
}

const withoutNulls = (of: Record<string, unknown>) => Object.fromEntries(Object.entries(of).filter(([, v]) => v !== null));
