import { useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import * as text from "#text/tenants";
import { act } from "../../api/acting";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMe } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Facts, Failure, Head, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { State } from "../../kit/state";
import { Limits } from "./limits";

type Tenancy = Of<"Tenancy">;
type TenantAction = "suspend" | "resume" | "close" | "reopen" | "act";

/** One tenant, as an operator sees it: what it holds in numbers, its limits, and what can be done to it as a whole. */
export default function Tenant() {
  const { id } = useParams({ strict: false }) as { id: string };
  const found = useGet<Tenancy>(`/control-plane/tenants/${id}`);
  const [doing, setDoing] = useState<TenantAction>();
  if (found.isPending) return <Skeleton rows={4} />;
  if (found.isError && !found.data) return <Failure page error={found.error} retry={() => void found.refetch()} />;
  const t = found.data;
  return (
    <>
      <Head title={t.name} up={<Link to="/admin/tenants">{text.tenants}</Link>} lead={<State of={t.status} />}>
        <Acts of={t} start={setDoing} />
      </Head>
      {t.status !== "active" && (
        <Note tone="warn">
          {t.status === "closing" ? text.closing : text.suspended}: <Text of={t.status_reason} none={text.noReasonGiven} />.{" "}
          {t.purge_after && <>{text.allDataIsDeletedPurgeAfter(<When at={t.purge_after} />, (t.erased_rows ?? 0).toLocaleString("en"))}</>}
        </Note>
      )}
      <div className="card padded">
        <Facts
          of={[
            [text.address, <code key="a">{t.base_url}</code>],
            [text.shortName, <code key="s">{t.slug}</code>],
            [text.region, t.region],
            [text.stage, <State key="f" of={t.funnel_state} />],
            [text.created, <When key="c" at={t.created_at} />],
            [text.people, t.counts?.identities.toLocaleString("en")],
            [text.users, t.counts?.users.toLocaleString("en")],
            [text.connectors, t.counts?.connectors.toLocaleString("en")],
            [text.agents, t.counts?.agents.toLocaleString("en")],
          ]}
        />
      </div>
      <Part title={text.limits} lead={text.defaultLimitsForApiTokens}>
        <Limits key={t.version} of={t} saved={() => void found.refetch()} />
      </Part>
      {doing && <ConfirmAction of={t} doing={doing} end={() => setDoing(undefined)} />}
    </>
  );
}

function Acts({ of, start }: { of: Tenancy; start: (d: TenantAction) => void }) {
  const me = useMe();
  const own = me?.tenant.id === of.id || me?.home_tenant?.id === of.id;
  return (
    <>
      {of.status === "active" && !own && <Button onClick={() => start("act")}>{text.actInTenant}</Button>}
      {of.status === "active" && !own && <Button onClick={() => start("suspend")}>{text.suspend}</Button>}
      {of.status === "suspended" && (
        <Button tone="primary" onClick={() => start("resume")}>
          {text.resume}
        </Button>
      )}
      {of.status === "closing" && (
        <Button tone="primary" onClick={() => start("reopen")}>
          {text.reopen}
        </Button>
      )}
      {of.status !== "closing" && !own && (
        <Button tone="danger" onClick={() => start("close")}>
          {text.close}
        </Button>
      )}
    </>
  );
}

const words: Record<TenantAction, { verb: string; lead: string; danger?: boolean; reason?: boolean }> = {
  act: {
    verb: text.actInTenant,
    lead: text.youSeeAndDoWhatIts,
    reason: true,
  },
  suspend: {
    verb: text.suspend,
    lead: text.withinFiveSecondsSignInsAnd,
    danger: true,
    reason: true,
  },
  resume: { verb: text.resume, lead: text.allActivityContinuesWhereItStopped },
  close: {
    verb: text.close,
    lead: text.signInsStopAtOnceAfter,
    danger: true,
    reason: true,
  },
  reopen: { verb: text.reopen, lead: text.theTenantIsActiveAgainSyncs },
};

/** Asked anew each time: neither a reason nor a typed name stays from what was asked before. */
function ConfirmAction({ of, doing, end }: { of: Tenancy; doing: TenantAction; end: () => void }) {
  const [reason, setReason] = useState("");
  const [slug, setSlug] = useState("");
  const [grace, setGrace] = useState("P30D");
  const navigate = useGo();
  const queries = useQueryClient();
  const send = useAct({
    act: (v: { what: TenantAction; body?: unknown }, key) =>
      ask("POST", `/control-plane/tenants/${of.id}/${v.what}`, { ...(v.body ? { body: v.body } : {}), key, ifMatch: of.version }),
    changes: ["/control-plane/tenants"],
    quiet: true,
  });
  const w = words[doing];
  const go = async () => {
    if (doing === "act") {
      act({ id: of.id, name: of.name, reason: reason.trim() });
      queries.clear();
      await navigate({ to: "/" });
      return;
    }
    const body = doing === "close" ? { confirm: slug, grace, reason: reason.trim() } : w.reason ? { reason: reason.trim() } : undefined;
    await send.mutateAsync({ what: doing, body });
  };
  const missing = (w.reason && !reason.trim()) || (doing === "close" && slug !== of.slug);
  return (
    <ConfirmDialog
      open
      close={end}
      title={`${w.verb}: ${of.name}`}
      lead={w.lead}
      verb={w.verb}
      tone={w.danger ? "danger" : "primary"}
      disabled={Boolean(missing)}
      act={go}
    >
      {w.reason && <TextField label={text.reason} required value={reason} set={setReason} max={500} />}
      {doing === "close" && (
        <>
          <TextField label={text.enterSlugToConfirm(of.slug)} mono required value={slug} set={setSlug} />
          <TextField label={text.gracePeriod} hint={text.p30dMeans30DaysPt0sDeletes} mono value={grace} set={setGrace} />
        </>
      )}
    </ConfirmDialog>
  );
}
