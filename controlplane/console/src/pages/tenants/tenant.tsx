import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
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
              Everything that belongs to it is erased <When at={t.purge_after} />. {(t.erased_rows ?? 0).toLocaleString("en")} rows are
              already.
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
      <Part title="Limits" lead="Of each token that has no rate of its own.">
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
      {of.status === "active" && !own && <Button onClick={() => start("act")}>Act in it</Button>}
      {of.status === "active" && !own && <Button onClick={() => start("suspend")}>Suspend</Button>}
      {of.status === "suspended" && (
        <Button tone="primary" onClick={() => start("resume")}>
          Resume
        </Button>
      )}
      {of.status === "closing" && (
        <Button tone="primary" onClick={() => start("reopen")}>
          Open it again
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
    verb: "Act in it",
    lead: "You see and do what its administrators do, in this tab. Every request, reading too, is written to its audit log and to yours with your reason.",
    reason: true,
  },
  suspend: {
    verb: "Suspend",
    lead: "Within five seconds nobody signs in, no token works, agents are turned away and syncs stop where they are. Nothing is lost.",
    danger: true,
    reason: true,
  },
  resume: { verb: "Resume", lead: "Everything goes on from where it stopped." },
  close: {
    verb: "Close",
    lead: "From this moment nobody signs in. When the grace has ended its keys are destroyed and every row that belongs to it is deleted, its audit log too. Until then it can be opened again.",
    danger: true,
    reason: true,
  },
  reopen: { verb: "Open it again", lead: "The tenant is what it was before. Syncs that closing has cancelled stay cancelled." },
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
          <TextField label={`Type ${of.slug} to say that you mean this one`} mono required value={slug} set={setSlug} />
          <TextField label="Grace" hint="P30D is thirty days; PT0S erases at once and for ever." mono value={grace} set={setGrace} />
        </>
      )}
    </AskFirst>
  );
}
