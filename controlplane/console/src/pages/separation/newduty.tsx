import * as text from "#text/duties";
import * as separationText from "#text/separation";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { useForm } from "../../kit/form";
import { Head } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { DutyEditor, dutyBody, dutyDraft } from "./dutyeditor";

/** Writes a duty. */
export default function NewDuty() {
  const navigate = useGo();
  const make = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) => ask<Of<"Duty">>("POST", "/policies/duties", { body: v.body, key: v.key }),
    changes: ["/policies/duties"],
  });
  const form = useForm(dutyDraft(), async (v, key) => {
    const made = await make.mutateAsync({ body: dutyBody(v), key });
    showToast(text.dutySaved(made.name ?? ""));
    void navigate({ to: "/separation-of-duties/duties/$id", params: { id: made.id } });
  });
  return (
    <div className="stack">
      <Head title={text.newDuty} up={<Link to="/separation-of-duties/duties">{separationText.duties}</Link>} lead={text.newDutyLead} />
      <DutyEditor of={form} cancel={() => void navigate({ to: "/separation-of-duties/duties" })} />
    </div>
  );
}
