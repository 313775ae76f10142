import * as text from "#text/mitigation";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { useForm } from "../../kit/form";
import { Head } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { ControlEditor, controlBody, controlDraft } from "./controleditor";
import type { Control } from "./words";

/** Writes a control. */
export default function NewControl() {
  const navigate = useGo();
  const make = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) => ask<Control>("POST", "/policies/mitigation", { body: v.body, key: v.key }),
    changes: ["/policies/mitigation"],
  });
  const form = useForm(controlDraft(), async (v, key) => {
    const made = await make.mutateAsync({ body: controlBody(v), key });
    showToast(text.controlSaved(made.name ?? ""));
    void navigate({ to: "/separation-of-duties/controls/$id", params: { id: made.id } });
  });
  return (
    <div className="stack">
      <Head title={text.newControl} up={<Link to="/separation-of-duties/controls">{text.controls}</Link>} lead={text.newControlLead} />
      <ControlEditor of={form} cancel={() => void navigate({ to: "/separation-of-duties/controls" })} />
    </div>
  );
}
