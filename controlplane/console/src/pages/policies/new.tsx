import * as text from "#text/policies";
import "./policies.css";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { useForm } from "../../kit/form";
import { Head } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { bodyOf, draftOf, PolicyEditor } from "./editor";

/** Writes a policy. It only watches at first: putting it in force is a step of its own, with its effect in view. */
export default function NewPolicy() {
  const navigate = useGo();
  const make = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) => ask<Of<"AccessPolicy">>("POST", "/policies/access-grant", { body: v.body, key: v.key }),
    changes: ["/policies"],
  });
  const form = useForm(draftOf(), async (v, key) => {
    const made = await make.mutateAsync({ body: { ...bodyOf(v), mode: "shadow" }, key });
    showToast(text.nameSavedAsADryRun(made.name));
    void navigate({ to: "/policies/$id", params: { id: made.id } });
  });
  return (
    <div className="stack">
      <Head title={text.newPolicy} up={<Link to="/policies">{text.policies}</Link>} lead={text.aPolicyGrantsOrDeniesAccess} />
      <PolicyEditor of={form} verb={text.save} mode="shadow" cancel={() => void navigate({ to: "/policies" })} />
    </div>
  );
}
