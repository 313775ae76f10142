import { useParams, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import * as text from "#text/people";
import type { Page } from "../../api/client";
import { Refusal } from "../../api/session";
import type { IdentityDetail } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Tabs } from "../../kit/elements";
import { Button, Empty, Facts, Failure, Head, LoadingMarker, Note, Skeleton, Text, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
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
const Ownership = lazy(() => import("./ownership").then((m) => ({ default: m.Ownership })));

const tabs = ["access", "accounts", "requests", "history"] as const;

export default function Person() {
  const { id, tab } = useParams({ strict: false }) as { id: string; tab?: string };
  const search = useSearch({ strict: false }) as { as_of?: string; show?: string };
  const navigate = useGo();
  const show = (what?: string) => void navigate({ to: ".", search: { ...search, show: what }, resetScroll: false });
  // The same person stays on the page while they are read as of another day, with the field that the day is typed into.
  const person = useGet<IdentityDetail>(`/identities/${id}`, { expand: "manager", as_of: search.as_of }, { keep: true });
  if (person.isError) return <Unknown error={person.error} retry={() => void person.refetch()} past={search.as_of} />;
  if (!person.data || person.data.id !== id) return <Skeleton rows={5} />;
  const p = person.data;
  const open = tabs.find((t) => t === tab) ?? "access";
  return (
    <div className={`stack${p.is_disabled ? " person-left" : ""}`}>
      <PersonHead of={p} past={search.as_of} show={show} />
      <Remarks of={p} />
      <Tabs
        label={text.sectionsOfThePerson}
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
        <Ownership of={p} open={search.show === "handover"} close={() => show()} />
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
      <Head title={text.person} up={<Link to="/people">{text.people}</Link>} lead={text.recordPast(dayWords(past))} />
      <Empty title={text.notRecordedAtThatTime}>
        <p>{text.historyBeginsWithTheFirstSync}</p>
        <Link to="." search={{ ...search, as_of: undefined }} className="button">
          {text.backToToday}
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
        title={p.display_name || p.email || text.person}
        up={<Link to="/people">{text.people}</Link>}
        lead={
          <span className="row">
            <PersonState of={p.status} />
            {p.urgent && <span className="bad">{text.immediateTerminationLower}</span>}
            {[p.title, p.department].filter(Boolean).map((w) => (
              <Text key={w} of={w} />
            ))}
            {p.manager && (
              <span>
                {text.reportsToManager(
                  <PersonLink id={p.manager.id} className="person-link">
                    <bdi>{p.manager.display}</bdi>
                  </PersonLink>,
                )}
              </span>
            )}
          </span>
        }
      >
        {!past && !may.readOnly && p.status !== "archived" && (
          <Link to="/access/request" search={{ for: p.id }} className="button">
            {text.requestAccess}
          </Link>
        )}
        {!past && may.admin && p.source_connector_id && <SyncPeople of={p.id} />}
        {!past && may.admin && <PersonActions of={p} show={show} />}
      </Head>
      <section className="card padded stack tight" aria-label={text.personalData}>
        <Facts of={facts(p)} />
        <div className="row">
          <Button reads tone="quiet" onClick={() => show("record")}>
            {text.allFieldsAndSources}
          </Button>
          <Button reads tone="quiet" onClick={() => show("handover")}>
            {text.ownership}
          </Button>
        </div>
      </section>
    </>
  );
}

function facts(p: IdentityDetail): [string, ReactNode][] {
  return [
    [text.eMail, p.email && <Text of={p.email} />],
    [text.login, p.username && <Text of={p.username} />],
    [text.employeeNumber, p.employee_number && <Text of={p.employee_number} />],
    [text.employmentType, p.employment_type],
    [text.location, p.location && <Text of={p.location} />],
    [text.firstDay, p.start_date ?? p.hire_date],
    [text.lastDay, p.last_working_at ? <When key="until" at={p.last_working_at} /> : p.termination_date],
    [
      text.onLeave,
      p.leave_from &&
        (p.leave_to ? text.fromLeaveFromToLeaveTo(p.leave_from, p.leave_to) : text.fromLeaveFromUntilTheyReturn(p.leave_from)),
    ],
    [text.sponsor, p.sponsor_id && <PersonById id={p.sponsor_id} />],
    [text.stateSince, <When key="since" at={p.status_changed_at} />],
    [text.reason, p.status_reason && <Text of={p.status_reason} />],
  ];
}

/** What is peculiar about a record. */
function Remarks({ of: p }: { of: IdentityDetail }) {
  return (
    <>
      {p.merged_into_id && <Note>{text.thisRecordWasMergedIntoMerged(<PersonById id={p.merged_into_id} />)}</Note>}
      {p.previous_identity_id && <Note>{text.previousRecordPreviousIdentity(<PersonById id={p.previous_identity_id} />)}</Note>}
      <OpenViolations of={p.id} />
      {p.manager_cycle && <Note tone="warn">{text.theReportingLineIsCircularCorrect}</Note>}
      {p.manager_unresolved && <Note tone="warn">{text.theManagerInThisRecordIs}</Note>}
    </>
  );
}

/** How many separation-of-duties policies a person violates, with a link to the violations. */
function OpenViolations({ of }: { of: string }) {
  const open = useGet<Page<unknown>>("/policies/violations", { identity_id: of, state: "open", limit: 1 });
  if (!open.data?.total) return null;
  return (
    <Note tone="warn">
      {text.openViolationsOf(open.data.total)}{" "}
      <Link to="/violations" search={{ identity_id: of, state: "open" }} className="person-link">
        {text.showViolations}
      </Link>
    </Note>
  );
}
