import "./policies.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { useForm } from "../../kit/form";
import { Head } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { bodyOf, draftOf, PolicyEditor } from "./editor";

/** Writes a policy. It only watches at first: putting it in force is a step of its own, with its effect in view. */
export default function NewPolicy() {
  const navigate = useNavigate();
  const make = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) => ask<Of<"AccessPolicy">>("POST", "/policies/access-grant", { body: v.body, key: v.key }),
    changes: ["/policies"],
  });
  const form = useForm(draftOf(), async (v, key) => {
    const made = await make.mutateAsync({ body: { ...bodyOf(v), mode: "shadow" }, key });
    showToast(`${made.name} saved as a dry run. Activate it after you have simulated it.`);
    void navigate({ to: "/policies/$id" as never, params: { id: made.id } as never });
  });
  return (
    <div className="stack">
      <Head
        title="New policy"
        up={<Link to={"/policies" as never}>Policies</Link>}
        lead="A policy grants or denies access to people. A new policy is a dry run until you activate it."
      />
      <PolicyEditor of={form} verb="Save" mode="shadow" cancel={() => void navigate({ to: "/policies" as never })} />
    </div>
  );
}
