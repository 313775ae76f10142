import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ask, type Page } from "../api/client";
import type { Grant, IdentityDetail } from "../api/types";
import { Badge, Empty, Facts, Failure, Head, Skeleton, Table, When } from "../kit/kit";
import { Status } from "./people";

export default function Person() {
  const { id } = useParams({ strict: false }) as { id: string };
  const person = useQuery({
    queryKey: ["/identities", id],
    queryFn: ({ signal }) => ask<IdentityDetail>("GET", `/identities/${id}`, { signal }),
  });
  if (person.isPending) return <Skeleton rows={3} />;
  if (person.isError) return <Failure page error={person.error} retry={() => void person.refetch()} />;
  const p = person.data;
  return (
    <>
      <Head title={p.display_name || p.email || "Somebody"} lead={[p.title, p.department].filter(Boolean).join(", ")}>
        <Status of={p.status} />
      </Head>
      <section className="card padded" aria-label="Who they are">
        <Facts
          of={[
            ["E-mail", p.email],
            ["Login", p.username],
            ["Number", p.employee_number],
            [
              "Manager",
              p.manager && (
                <Link to="/people/$id" params={{ id: p.manager.id }}>
                  {p.manager.display}
                </Link>
              ),
            ],
            ["Location", p.location],
            ["Since", p.hire_date],
            ["Until", p.termination_date],
          ]}
        />
      </section>
      <h2>What they hold, and why</h2>
      <Holdings of={id} />
    </>
  );
}

function Holdings({ of }: { of: string }) {
  const grants = useQuery({
    queryKey: ["/identities/grants", of],
    queryFn: ({ signal }) => ask<Page<Grant>>("GET", `/identities/${of}/grants`, { query: { limit: 500 }, signal }),
  });
  if (grants.isPending) return <Skeleton rows={4} />;
  if (grants.isError) return <Failure error={grants.error} retry={() => void grants.refetch()} />;
  if (grants.data.total === 0) return <Empty title="They hold nothing">At least nothing that you may see.</Empty>;
  return (
    <>
      <Table label="What they hold">
        <thead>
          <tr>
            <th scope="col">Access</th>
            <th scope="col">By the account</th>
            <th scope="col">Why</th>
            <th scope="col">State</th>
            <th scope="col">Ends</th>
          </tr>
        </thead>
        <tbody>
          {grants.data.items.map((g) => (
            <tr key={g.id}>
              <td>
                <strong>{g.entitlement.display}</strong>
              </td>
              <td>{g.account.display}</td>
              <td>{why(g)}</td>
              <td>
                <Badge
                  tone={
                    g.compliance_status === "approved" || g.compliance_status === "implied"
                      ? "ok"
                      : g.compliance_status
                        ? "warn"
                        : "neutral"
                  }
                >
                  {g.compliance_status ?? g.status}
                </Badge>
              </td>
              <td>
                <When at={g.ends_at} none="" />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {grants.data.total > grants.data.items.length && (
        <p className="small muted">
          The first {grants.data.items.length} of {grants.data.total.toLocaleString("en")}.
        </p>
      )}
    </>
  );
}

/** Why somebody holds something, in a few words. */
function why(g: Grant): string {
  if (g.reasons.length > 0)
    return g.reasons.map((r) => (r.kind === "native" ? "found in the system" : `${r.kind}: ${r.source.display}`)).join("; ");
  return g.directness === "inherited" ? "through another group" : "";
}
