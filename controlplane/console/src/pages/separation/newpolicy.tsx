import * as text from "#text/separation";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { useForm } from "../../kit/form";
import { Head } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { PolicyEditor, policyBody, policyDraft } from "./policyeditor";

const base = "/policies/separation-of-duties";

/** Writes a policy. It is a draft at first: its mode is a step of its own, with the effect in view. */
export default function NewSeparationPolicy() {
  const navigate = useGo();
  const make = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) => ask<Of<"SeparationPolicy">>("POST", base, { body: v.body, key: v.key }),
    changes: ["/policies/"],
  });
  const form = useForm(policyDraft(), async (v, key) => {
    const made = await make.mutateAsync({ body: { ...policyBody(v), mode: "draft" }, key });
    showToast(text.policySavedAsDraft(made.name ?? ""));
    void navigate({ to: "/separation-of-duties/$id", params: { id: made.id } });
  });
  return (
    <div className="stack">
      <Head title={text.newPolicy} up={<Link to="/separation-of-duties">{text.separationOfDuties}</Link>} lead={text.newPolicyLead} />
      <PolicyEditor
        of={form}
        cancel={() => void navigate({ to: "/separation-of-duties" })}
        path={`${base}/simulations`}
        body={{ ...policyBody(form.value), mode: "enforce" }}
      />
    </div>
  );
}
