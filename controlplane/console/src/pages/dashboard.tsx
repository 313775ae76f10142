import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ask, type Page } from "../api/client";
import { useSession } from "../app/shell";
import { Failure, Head } from "../kit/kit";

type Figure = { words: string; path: string; to: string; search?: Record<string, string>; roles?: string[] };

const figures: Figure[] = [
  { words: "people", path: "/identities", to: "/people" },
  { words: "accounts", path: "/accounts", to: "/accounts" },
  {
    words: "accounts without an owner",
    path: "/accounts?correlation=uncorrelated",
    to: "/accounts",
    search: { correlation: "uncorrelated" },
  },
  { words: "accounts whose owner has left", path: "/accounts?orphaned=true", to: "/accounts", search: { orphaned: "true" } },
  { words: "things to hold", path: "/entitlements", to: "/access" },
  { words: "connected systems", path: "/connectors", to: "/connectors", roles: ["admin", "auditor"] },
];

export default function Dashboard() {
  const session = useSession();
  const roles = session.state === "in" ? session.user.roles : [];
  return (
    <>
      <Head title="Dashboard" lead="What is known, as far as you may see it." />
      <div className="numbers">
        {figures
          .filter((f) => !f.roles || f.roles.some((r) => roles.includes(r)))
          .map((f) => (
            <Count key={f.words} of={f} />
          ))}
      </div>
    </>
  );
}

function Count({ of }: { of: Figure }) {
  const [path = "", search] = of.path.split("?");
  const count = useQuery({
    queryKey: ["count", of.path],
    queryFn: ({ signal }) =>
      ask<Page<unknown>>("GET", path, { query: { ...Object.fromEntries(new URLSearchParams(search)), limit: 1 }, signal }),
  });
  if (count.isError) return <Failure error={count.error} />;
  return (
    <Link to={of.to} search={of.search as never} className="card padded">
      <div className="figure">{count.data?.total.toLocaleString("en") ?? "…"}</div>
      <div className="muted">{of.words}</div>
    </Link>
  );
}
