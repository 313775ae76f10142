import * as text from "#text/approvals";
import "./approvals.css";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Check, useForm } from "../../kit/form";
import { Head } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { RuleEditor } from "./editor";
import { bodyOf, draftOf } from "./model";
import { Replay } from "./replay";
import { TryOut } from "./simulate";

/** Writes an approval rule, and tries it out before it counts. */
export default function NewRule() {
  const navigate = useGo();
  const make = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) => ask<Of<"ApprovalRule">>("POST", "/approval-rules", { body: v.body, key: v.key }),
    changes: ["/approval-rules"],
  });
  const form = useForm({ ...draftOf(), enabled: false }, async (v, key) => {
    const made = await make.mutateAsync({ body: bodyOf(v), key });
    showToast(made.enabled ? text.nameIsActive(made.name) : text.nameSavedEnableItToApply(made.name));
    void navigate({ to: "/settings/approval-rules/$id", params: { id: made.id } });
  });
  const body = () => ({ ...bodyOf(form.value), enabled: true });
  return (
    <div className="stack">
      <Head
        title={text.newApprovalRule}
        up={<Link to="/settings/approval-rules">{text.approvalRules}</Link>}
        lead={text.openRequestsKeepTheVersionOf}
      />
      <Check label={text.enableAfterSaving} {...form.field("enabled")} />
      <RuleEditor of={form} verb={text.save} cancel={() => void navigate({ to: "/settings/approval-rules" })} />
      <TryOut body={body} />
      <Replay body={body} />
    </div>
  );
}
