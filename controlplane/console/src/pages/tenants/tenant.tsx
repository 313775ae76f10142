import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { act } from "../../api/acting";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMe } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Facts, Failure, Head, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { Limits } from "./limits";

type Tenancy = Of<"Tenancy">;
type Doing = "suspend" | "resume" | "close" | "reopen" | "act";

/** One tenant, as an operator sees it: what it holds in numbers, its limits, and what can be done to it as a whole. */
export default function Tenant() {
  const { id } = useParams({ strict: false }) as { id: string };
  const found = useGet<Tenancy>(`/control-plane/tenants/${id}`);
  const [doing, setDoing] = useState<Doing>();
  if (found.isPending) return <Skeleton rows={4} />;
  if (found.isError && !found.data) return <Failure page error={found.error} retry={() => void found.refetch()} />;
  const t = found.data;
  return (
    <>
      <Head title={t.name} up={<Link to="/admin/tenants">Tenants</Link>} lead={<State of={t.status} />}>
        <Acts of={t} start={setDoing} />
      </Head>
      {t.status !== "active" && (
        <Note tone="warn">
          {t.status === "closing" ? "Closing" : "Suspended"}: <Text of={t.status_reason} none="no reason given" />.{" "}
          {t.purge_after && (
            <>
              All data is deleted <When at={t.purge_after} />. {(t.erased_rows ?? 0).toLocaleString("en")} rows are already deleted.
            </>
          )}
        </Note>
      )}
      <div className="card padded">
        <Facts
          of={[
            ["Address", <code key="a">{t.base_url}</code>],
            ["Short name", <code key="s">{t.slug}</code>],
            ["Region", t.region],
            ["Stage", <State key="f" of={t.funnel_state} />],
            ["Created", <When key="c" at={t.created_at} />],
            ["People", t.counts?.identities.toLocaleString("en")],
            ["Users", t.counts?.users.toLocaleString("en")],
            ["Connectors", t.counts?.connectors.toLocaleString("en")],
            ["Agents", t.counts?.agents.toLocaleString("en")],
          ]}
        />
      </div>
      <Part title="Limits" lead="Default limits for API tokens.">
        <Limits key={t.version} of={t} saved={() => void found.refetch()} />
      </Part>
      {doing && <Asked of={t} doing={doing} end={() => setDoing(undefined)} />}
    </>
  );
}

function Acts({ of, start }: { of: Tenancy; start: (d: Doing) => void }) {
  const me = useMe();
  const own = me?.tenant.id === of.id || me?.home_tenant?.id === of.id;
  return (
    <>
      {of.status === "active" && !own && <Button onClick={() => start("act")}>Act in tenant</Button>}
      {of.status === "active" && !own && <Button onClick={() => start("suspend")}>Suspend</Button>}
      {of.status === "suspended" && (
        <Button tone="primary" onClick={() => start("resume")}>
          Resume
        </Button>
      )}
      {of.status === "closing" && (
        <Button tone="primary" onClick={() => start("reopen")}>
          Reopen
        </Button>
      )}
      {of.status !== "closing" && !own && (
        <Button tone="danger" onClick={() => start("close")}>
          Close
        </Button>
      )}
    </>
  );
}

const words: Record<Doing, { verb: string; lead: string; danger?: boolean; reason?: boolean }> = {
  act: {
    verb: "Act in tenant",
    lead: "You see and do what its administrators can, in this tab. Each request is recorded in its audit log and in yours, with your reason.",
    reason: true,
  },
  suspend: {
    verb: "Suspend",
    lead: "Within five seconds, sign-ins and tokens stop working, agents are disconnected and syncs stop. No data is lost.",
    danger: true,
    reason: true,
  },
  resume: { verb: "Resume", lead: "All activity continues where it stopped." },
  close: {
    verb: "Close",
    lead: "Sign-ins stop at once. After the grace period, keys and all data of the tenant are deleted, including its audit log. Until then you can reopen it.",
    danger: true,
    reason: true,
  },
  reopen: { verb: "Reopen", lead: "The tenant is active again. Syncs that were canceled stay canceled." },
};

/** Asked anew each time: neither a reason nor a typed name stays from what was asked before. */
function Asked({ of, doing, end }: { of: Tenancy; doing: Doing; end: () => void }) {
  const [reason, setReason] = useState("");
  const [slug, setSlug] = useState("");
  const [grace, setGrace] = useState("P30D");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const send = useAct({
    act: (v: { what: Doing; body?: unknown }, key) =>
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
    <AskFirst
      open
      close={end}
      title={`${w.verb}: ${of.name}`}
      lead={w.lead}
      verb={w.verb}
      tone={w.danger ? "danger" : "primary"}
      disabled={Boolean(missing)}
      act={go}
    >
      {w.reason && <TextField label="Reason" required value={reason} set={setReason} max={500} />}
      {doing === "close" && (
        <>
          <TextField label={`Enter ${of.slug} to confirm`} mono required value={slug} set={setSlug} />
          <TextField
            label="Grace period"
            hint="P30D means 30 days. PT0S deletes the data at once and permanently."
            mono
            value={grace}
            set={setGrace}
          />
        </>
      )}
    </AskFirst>
  );
}
