import { useQuery, useQueryClient } from "@tanstack/react-query";
import * as text from "#text/roles";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { ConfirmDialog } from "../../kit/dialog";
import { Failure, Note, Skeleton } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { Changes } from "./changes";
import { Impact } from "./impact";
import { type Role, rereadRoles } from "./model";

type Publication = Of<"RolePublication">;
type Props = { role: Role; what: "publish" | "retire"; close: () => void };

/** Publishes or retires a role: first who would gain and lose what, as the service has worked it out, then exactly that. */
export default function ConfirmPlan({ role, what, close }: Props) {
  const queries = useQueryClient();
  const path = `/entitlements/roles/${role.id}/${what}`;
  const plan = usePlan(role, what);
  const agree = plan.data?.approval_needed && what === "publish";
  const act = async () => {
    try {
      const made = await ask<Publication>("POST", path, { query: { confirm: plan.data?.impact.plan_hash }, key: crypto.randomUUID() });
      showToast(results[made.state] ?? text.done);
      // Somebody who was asked to agree finds the draft as it is; what was published has none any more.
      if (made.state === "proposed")
        void queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/entitlements/roles") });
      else void rereadRoles(queries, role.id);
    } catch (e) {
      if (e instanceof Refusal && e.code === "plan_changed") void plan.refetch();
      throw e;
    }
  };
  return (
    <ConfirmDialog
      open
      wide
      close={close}
      title={what === "publish" ? text.publishName(role.name) : text.retireName(role.name)}
      lead={what === "publish" ? text.reviewTheEffectOnPeoplesAccess : text.theRoleStopsGrantingAccessAnd}
      verb={agree ? text.requestApproval : what === "publish" ? text.publish : text.retire}
      tone={what === "retire" ? "danger" : "primary"}
      disabled={!plan.data}
      act={act}
    >
      {plan.error ? (
        <Failure error={plan.error} retry={() => void plan.refetch()} />
      ) : plan.data ? (
        <Plan of={plan.data} />
      ) : (
        <Skeleton rows={4} />
      )}
      {agree && <Note tone="warn">{text.theRiskIsHighSoAnother}</Note>}
    </ConfirmDialog>
  );
}

const results: Record<string, string> = {
  published: text.publishedProvisioningHasStarted,
  proposed: text.approvalRequested,
  retired: text.retiredItsAccessIsBeingRevoked,
};

/** What publishing or retiring would do, worked out by the service without doing it. draft is the version of the draft that it is about. */
export function usePlan(role: Role, what: "publish" | "retire", on = true, draft = 0) {
  return useQuery({
    queryKey: ["plan", role.id, what, role.version, draft],
    queryFn: ({ signal }) => ask<Publication>("POST", `/entitlements/roles/${role.id}/${what}`, { query: { dry_run: true }, signal }),
    retry: false,
    staleTime: 0,
    gcTime: 0,
    enabled: on,
  });
}

/** What is different, and whom that is felt by. */
export function Plan({ of }: { of: Publication }) {
  return (
    <section className="stack tight" aria-label={text.previewOfTheChanges}>
      <Changes of={of.changes} />
      <Impact of={of.impact} />
    </section>
  );
}
