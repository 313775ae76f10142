import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import * as text from "#text/accounts";
import type { Grant, Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { displayValue } from "../../kit/difftext";
import { Id } from "../../kit/elements";
import { Badge, Button, Facts, Failure, Head, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
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
        up={<Link to="/accounts">{text.accounts}</Link>}
        lead={
          <span className="row">
            <AccountState of={a} />
            {a.is_locked && a.is_disabled && <Badge tone="warn">{text.locked}</Badge>}
            {a.privileged && <Badge tone="warn">{text.privilegedLower}</Badge>}
            {a.orphaned && <State of="orphaned" tone="bad" words={orphanWords(a.orphan_reason)} />}
            {systemOf(a, names) && <span>{text.inSystem(<System of={a} names={names} />)}</span>}
          </span>
        }
      >
        {may.admin && <AccountActions of={a} />}
      </Head>
      {a.missing_since && <Note tone="warn">{text.notFoundByTheLatestSyncs(<When at={a.missing_since} />)}</Note>}
      <section className="card padded stack tight" aria-label={text.account}>
        <Facts of={facts(a)} />
        <AccountFacts of={a} />
      </section>
      <AccountTasks of={id} />
      <Owner of={a} />
      <Drift of={id} />
      <Holds of={id} />
      <Part title={text.history}>
        <Timeline path={`/accounts/${id}/history`} label={text.historyOfTheAccount} />
      </Part>
    </>
  );
}

const managed: Record<string, string> = {
  unmanaged: text.unmanagedNeverChangedByPolicies,
  read_only: text.readOnlyNeverChangedByPolicies,
  discovered: text.discoveredFoundByASyncPolicies,
  managed: text.managedChangedByPoliciesAndBy,
  protected: text.protectedNeverChanged,
};

function facts(a: Detail): [string, ReactNode][] {
  return [
    [text.name, a.display_name && <Text of={a.display_name} />],
    [text.eMail, a.email && <Text of={a.email} />],
    [text.employeeNumber, a.employee_number && <Text of={a.employee_number} />],
    [text.kind, (a.account_type ?? "unknown").replaceAll("_", " ")],
    [text.purpose, a.purpose && <Text of={a.purpose} />],
    [text.management, managed[a.managed ?? ""] ?? a.managed],
    [text.lastSignIn, a.last_login_at && <When at={a.last_login_at} />],
    [text.passwordChanged, a.password_last_set_at && <When at={a.password_last_set_at} />],
    [text.secondFactor, a.mfa_enrolled === null || a.mfa_enrolled === undefined ? undefined : a.mfa_enrolled ? text.yes : text.no],
    [text.ends, a.expires_at && <When at={a.expires_at} />],
    [text.createdInTheSystem, a.native_created_at && <When at={a.native_created_at} />],
    [text.firstSynced, <When key="seen" at={a.first_seen_at} />],
  ];
}

/** What the system itself says of the account. */
function AccountFacts({ of: a }: { of: Detail }) {
  const own = Object.entries(a.attributes ?? {});
  return (
    <details>
      <summary data-reads="">{text.attributesInTheSystemCount(own.length)}</summary>
      <dl className="account-facts small">
        <div>
          <dt>{text.idInTheSystem}</dt>
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
              <bdi>{displayValue(value) ?? <span className="faint">{text.nothing}</span>}</bdi>
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
  const navigate = useGo();
  const why = (grant?: string) => void navigate({ to: ".", search: { ...search, why: grant }, resetScroll: false });
  const columns: Column<Grant>[] = [
    {
      title: text.access,
      cell: (g) => (
        <Link to="/access/$id" params={{ id: g.entitlement_id }}>
          <Text of={g.entitlement.display} />
        </Link>
      ),
      text: (g) => g.entitlement.display,
    },
    { title: text.path, cell: (g) => <Text of={waysText(g)} />, text: waysText },
    { title: text.basis, cell: (g) => <State of={basisOf(g).words} tone={basisOf(g).tone} />, text: (g) => basisOf(g).words },
    { title: text.since, cell: (g) => <When at={g.held_since ?? g.granted_at ?? g.first_seen_at} />, text: (g) => g.first_seen_at },
    { title: text.ends, cell: (g) => <When at={g.ends_at} none="" />, text: (g) => g.ends_at },
    {
      title: text.reason,
      cell: (g) => (
        <Button reads tone="quiet" aria-label={text.whyEntitlement(g.entitlement.display.slice(0, 80))} onClick={() => why(g.id)}>
          {text.why}
        </Button>
      ),
    },
  ];
  return (
    <Part title={text.access}>
      <List
        path={`/accounts/${of}/grants`}
        prefix={text.g}
        label={text.access}
        columns={columns}
        filters={[
          {
            name: "directness",
            words: text.held,
            options: [
              ["direct", text.directly],
              ["inherited", text.throughAGroup],
            ],
          },
          { name: "as_of", words: text.asOf, type: "date" },
        ]}
        csv="access-of-an-account"
        empty={{ title: text.noAccess, words: text.noAccessIsVisibleToYou }}
      />
      <Why grant={search.why} close={() => why()} />
    </Part>
  );
}

const waysText = (g: Grant) =>
  reasonsOf(g, none)
    .map((w) => w.words)
    .join("; ");
