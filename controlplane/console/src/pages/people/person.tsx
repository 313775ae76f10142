import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { Refusal } from "../../api/session";
import type { IdentityDetail } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Tabs } from "../../kit/elements";
import { Button, Empty, Facts, Failure, Head, LoadingMarker, Note, Skeleton, Text, When } from "../../kit/kit";
import { PersonLink } from "../../kit/personlink";
import { PersonActions } from "./actions";
import { PersonAccess } from "./personaccess";
import { PersonById } from "./personbyid";
import { Record } from "./record";
import { PersonState } from "./state";
import { SyncPeople } from "./sync";
import { dayWords } from "./words";
import "./people.css";

// Each part comes with its tab.
const PersonAccounts = lazy(() => import("./accounts").then((m) => ({ default: m.PersonAccounts })));
const PersonRequests = lazy(() => import("./requests").then((m) => ({ default: m.PersonRequests })));
const PersonHistory = lazy(() => import("./history").then((m) => ({ default: m.PersonHistory })));
const Handover = lazy(() => import("./ownership").then((m) => ({ default: m.Ownership })));

const tabs = ["access", "accounts", "requests", "history"] as const;

export default function Person() {
  const { id, tab } = useParams({ strict: false }) as { id: string; tab?: string };
  const search = useSearch({ strict: false }) as { as_of?: string; show?: string };
  const navigate = useNavigate();
  const show = (what?: string) => void navigate({ to: ".", search: { ...search, show: what } as never, resetScroll: false });
  // The same person stays on the page while they are read as of another day, with the field that the day is typed into.
  const person = useGet<IdentityDetail>(`/identities/${id}`, { expand: "manager", as_of: search.as_of }, { keep: true });
  if (person.isError) return <Unknown error={person.error} retry={() => void person.refetch()} past={search.as_of} />;
  if (!person.data || person.data.id !== id) return <Skeleton rows={5} />;
  const p = person.data;
  const open = tabs.find((t) => t === tab) ?? "access";
  return (
    <div className={`stack${p.is_disabled ? " person-gone" : ""}`}>
      <PersonHead of={p} past={search.as_of} show={show} />
      <Remarks of={p} />
      <Tabs
        label="Sections of the person"
        of={tabs.map((t) => ({
          words: t.charAt(0).toUpperCase() + t.slice(1),
          to: t === "access" && !tab ? "/people/$id" : "/people/$id/$tab",
          params: { id, tab: t },
          count: t === "access" ? p.counts.grants : t === "accounts" ? p.counts.accounts : undefined,
        }))}
      />
      <Suspense fallback={<Skeleton rows={4} />}>
        {open === "access" && <PersonAccess of={p} />}
        {open === "accounts" && <PersonAccounts of={p} />}
        {open === "requests" && <PersonRequests of={p} />}
        {open === "history" && <PersonHistory of={p} />}
      </Suspense>
      <Record of={p} open={search.show === "record"} close={() => show()} />
      <Suspense fallback={<LoadingMarker />}>
        <Handover of={p} open={search.show === "handover"} close={() => show()} />
      </Suspense>
    </div>
  );
}

/** Nobody is told of; on a day of the past perhaps only because they were not known then. */
function Unknown({ error, retry, past }: { error: unknown; retry: () => void; past: string | undefined }) {
  const search = useSearch({ strict: false });
  if (!past || !(error instanceof Refusal) || error.status !== 404) return <Failure page error={error} retry={retry} />;
  return (
    <>
      <Head title="Person" up={<Link to="/people">People</Link>} lead={`Record ${dayWords(past)}`} />
      <Empty title="Not recorded at that time">
        <p>History begins with the first sync of the system. Earlier data is not known.</p>
        <Link to="." search={{ ...search, as_of: undefined } as never} className="button">
          Back to today
        </Link>
      </Empty>
    </>
  );
}

function PersonHead({ of: p, past, show }: { of: IdentityDetail; past: string | undefined; show: (what?: string) => void }) {
  const may = useMay();
  return (
    <>
      <Head
        title={p.display_name || p.email || "Person"}
        up={<Link to="/people">People</Link>}
        lead={
          <span className="row">
            <PersonState of={p.status} />
            {p.urgent && <span className="bad">immediate termination</span>}
            {[p.title, p.department].filter(Boolean).map((w) => (
              <Text key={w} of={w} />
            ))}
            {p.manager && (
              <span>
                reports to{" "}
                <PersonLink id={p.manager.id} className="person-link">
                  <bdi>{p.manager.display}</bdi>
                </PersonLink>
              </span>
            )}
          </span>
        }
      >
        {!past && !may.readOnly && p.status !== "archived" && (
          <Link to="/access/request" search={{ for: p.id } as never} className="button">
            Request access
          </Link>
        )}
        {!past && may.admin && p.source_connector_id && <SyncPeople of={p.id} />}
        {!past && may.admin && <PersonActions of={p} show={show} />}
      </Head>
      <section className="card padded stack tight" aria-label="Personal data">
        <Facts of={facts(p)} />
        <div className="row">
          <Button reads tone="quiet" onClick={() => show("record")}>
            All fields and sources
          </Button>
          <Button reads tone="quiet" onClick={() => show("handover")}>
            Ownership
          </Button>
        </div>
      </section>
    </>
  );
}

function facts(p: IdentityDetail): [string, ReactNode][] {
  return [
    ["E-mail", p.email && <Text of={p.email} />],
    ["Login", p.username && <Text of={p.username} />],
    ["Employee number", p.employee_number && <Text of={p.employee_number} />],
    ["Employment type", p.employment_type],
    ["Location", p.location && <Text of={p.location} />],
    ["First day", p.start_date ?? p.hire_date],
    ["Last day", p.last_working_at ? <When key="until" at={p.last_working_at} /> : p.termination_date],
    ["On leave", p.leave_from && `from ${p.leave_from} ${p.leave_to ? `to ${p.leave_to}` : "until they return"}`],
    ["Sponsor", p.sponsor_id && <PersonById id={p.sponsor_id} />],
    ["State since", <When key="since" at={p.status_changed_at} />],
    ["Reason", p.status_reason && <Text of={p.status_reason} />],
  ];
}

/** What is peculiar about a record. */
function Remarks({ of: p }: { of: IdentityDetail }) {
  return (
    <>
      {p.merged_into_id && (
        <Note>
          This record was merged into <PersonById id={p.merged_into_id} />. Its history is on that page.
        </Note>
      )}
      {p.previous_identity_id && (
        <Note>
          Previous record: <PersonById id={p.previous_identity_id} />.
        </Note>
      )}
      {p.manager_cycle && <Note tone="warn">The reporting line is circular. Correct the managers in the source of people.</Note>}
      {p.manager_unresolved && <Note tone="warn">The manager in this record is not known yet.</Note>}
    </>
  );
}
