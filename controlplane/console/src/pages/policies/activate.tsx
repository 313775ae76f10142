import { useQuery } from "@tanstack/react-query";
import * as text from "#text/policies";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Failure, Note, Skeleton } from "../../kit/kit";
import { Impact } from "../roles/impact";

type Policy = Of<"AccessPolicy">;

const moved = new Set(["confirmation_required", "plan_changed"]);

/** Confirms that a policy takes effect, with the figures of its simulation in view. What it says is confirmed is what is done. */
export function Activate({ of: p, close }: { of: Policy; close: () => void }) {
  const at = `/policies/access-grant/${p.id}`;
  const impact = useQuery({
    queryKey: [`${at}/simulate`, p.version],
    queryFn: ({ signal }) => ask<Of<"PolicyImpact">>("POST", `${at}/simulate`, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const run = useAct<string, Policy>({
    quiet: true,
    act: (confirm, key) =>
      ask("POST", p.enabled ? `${at}/mode` : `${at}/enable`, {
        key,
        query: { confirm },
        ifMatch: p.version,
        ...(p.enabled ? { body: { mode: "enforce" } } : {}),
      }),
    done: text.nameIsActive(p.name),
    changes: ["/policies"],
  });
  const act = async () => {
    try {
      await run.mutateAsync(impact.data?.plan_hash ?? "");
    } catch (e) {
      if (e instanceof Refusal && moved.has(e.code)) void impact.refetch(); // the figures have changed: the new ones are confirmed
      throw e;
    }
  };
  return (
    <ConfirmDialog
      open
      wide
      close={close}
      title={text.activateName(p.name)}
      lead={text.accessIsGrantedAndEndedAs}
      verb={text.activate}
      tone={(impact.data?.grants_ended ?? 0) > 0 ? "danger" : "primary"}
      disabled={!impact.data || impact.isFetching}
      act={act}
    >
      {impact.isError ? (
        <Failure error={impact.error} retry={() => void impact.refetch()} />
      ) : !impact.data ? (
        <Skeleton rows={4} />
      ) : (
        <>
          {impact.data.limits_hit.map((l) => (
            <Note key={l.code} tone="warn">
              {l.detail}
            </Note>
          ))}
          <Impact of={impact.data} />
        </>
      )}
    </ConfirmDialog>
  );
}
