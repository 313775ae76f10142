import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Grant, Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { displayValue } from "../../kit/difftext";
import { Id } from "../../kit/elements";
import { Badge, Button, Facts, Failure, Head, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { System, systemOf, useSystems } from "../../kit/systems";
import { Timeline } from "../people/timeline";
import { Why } from "../people/why";
import { basisOf, reasonsOf } from "../people/words";
import { AccountActions } from "./actions";
import { AccountState, loginOf } from "./columns";
import { Drift } from "./drift";
import { Owner } from "./owner";
import { AccountTasks } from "./tasks";
import { orphanWords } from "./words";
import "../people/people.css";
import "./accounts.css";

type Detail = Of<"AccountDetail">;

export default function AccountPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const may = useMay();
  const names = useSystems();
  const account = useGet<Detail>(`/accounts/${id}`);
  if (account.isPending) return <Skeleton rows={5} />;
  if (account.isError) return <Failure page error={account.error} retry={() => void account.refetch()} />;
  const a = account.data;
  return (
    <>
      <Head
        title={loginOf(a)}
        up={<Link to="/accounts">Accounts</Link>}
        lead={
          <span className="row">
            <AccountState of={a} />
            {a.is_locked && a.is_disabled && <Badge tone="warn">locked</Badge>}
            {a.privileged && <Badge tone="warn">privileged</Badge>}
            {a.orphaned && <State of="orphaned" tone="bad" words={orphanWords(a.orphan_reason)} />}
            {systemOf(a, names) && (
              <span>
                in <System of={a} names={names} />
              </span>
            )}
          </span>
        }
      >
        {may.admin && <AccountActions of={a} />}
      </Head>
      {a.missing_since && (
        <Note tone="warn">
          Not found by the latest syncs, since <When at={a.missing_since} />.
        </Note>
      )}
      <section className="card padded stack tight" aria-label="Account">
        <Facts of={facts(a)} />
        <Told of={a} />
      </section>
      <AccountTasks of={id} />
      <Owner of={a} />
      <Drift of={id} />
      <Holds of={id} />
      <Part title="History">
        <Timeline path={`/accounts/${id}/history`} label="History of the account" />
      </Part>
    </>
  );
}

const managed: Record<string, string> = {
  unmanaged: "unmanaged: never changed by policies",
  read_only: "read-only: never changed by policies",
  discovered: "discovered: found by a sync; policies change its access, not its attributes",
  managed: "managed: changed by policies and by people",
  protected: "protected: never changed",
};

function facts(a: Detail): [string, ReactNode][] {
  return [
    ["Name", a.display_name && <Text of={a.display_name} />],
    ["E-mail", a.email && <Text of={a.email} />],
    ["Employee number", a.employee_number && <Text of={a.employee_number} />],
    ["Kind", (a.account_type ?? "unknown").replaceAll("_", " ")],
    ["Purpose", a.purpose && <Text of={a.purpose} />],
    ["Management", managed[a.managed ?? ""] ?? a.managed],
    ["Last sign-in", a.last_login_at && <When at={a.last_login_at} />],
    ["Password changed", a.password_last_set_at && <When at={a.password_last_set_at} />],
    ["Second factor", a.mfa_enrolled === null || a.mfa_enrolled === undefined ? undefined : a.mfa_enrolled ? "yes" : "no"],
    ["Ends", a.expires_at && <When at={a.expires_at} />],
    ["Created in the system", a.native_created_at && <When at={a.native_created_at} />],
    ["First synced", <When key="seen" at={a.first_seen_at} />],
  ];
}

/** What the system itself says of the account. */
function Told({ of: a }: { of: Detail }) {
  const own = Object.entries(a.attributes ?? {});
  return (
    <details>
      <summary data-reads="">Attributes in the system ({own.length})</summary>
      <dl className="account-told small">
        <div>
          <dt>ID in the system</dt>
          <dd>
            <Id of={a.native_identity ?? a.external_id} />
          </dd>
        </div>
        {own.map(([name, value]) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <bdi>{displayValue(value) ?? <span className="faint">nothing</span>}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const none = new Map<string, string>();

/** What the account holds. */
function Holds({ of }: { of: string }) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const why = (grant?: string) => void navigate({ to: ".", search: { ...search, why: grant } as never, resetScroll: false });
  const columns: Column<Grant>[] = [
    {
      title: "Access",
      cell: (g) => (
        <Link to="/access/$id" params={{ id: g.entitlement_id }}>
          <Text of={g.entitlement.display} />
        </Link>
      ),
      text: (g) => g.entitlement.display,
    },
    { title: "Path", cell: (g) => <Text of={waysText(g)} />, text: waysText },
    { title: "Basis", cell: (g) => <State of={basisOf(g).words} tone={basisOf(g).tone} />, text: (g) => basisOf(g).words },
    { title: "Since", cell: (g) => <When at={g.held_since ?? g.granted_at ?? g.first_seen_at} />, text: (g) => g.first_seen_at },
    { title: "Ends", cell: (g) => <When at={g.ends_at} none="" />, text: (g) => g.ends_at },
    {
      title: "Reason",
      cell: (g) => (
        <Button reads tone="quiet" aria-label={`Why ${g.entitlement.display.slice(0, 80)}`} onClick={() => why(g.id)}>
          Why
        </Button>
      ),
    },
  ];
  return (
    <Part title="Access">
      <List
        path={`/accounts/${of}/grants`}
        prefix="g."
        label="Access"
        columns={columns}
        filters={[
          {
            name: "directness",
            words: "Held",
            options: [
              ["direct", "directly"],
              ["inherited", "through a group"],
            ],
          },
          { name: "as_of", words: "As of", type: "date" },
        ]}
        csv="access-of-an-account"
        empty={{ title: "No access", words: "No access is visible to you." }}
      />
      <Why grant={search.why} close={() => why()} />
    </Part>
  );
}

const waysText = (g: Grant) =>
  reasonsOf(g, none)
    .map((w) => w.words)
    .join("; ");
