import { useSearch } from "@tanstack/react-router";
import * as text from "#text/help";
import { basePath } from "../../api/base";
import { SearchBox } from "../../kit/filters";
import { Empty, Failure, Head, Part, Skeleton } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { groups } from "./groups";
import { find, type Hit, useListed } from "./read";
import type { Listed } from "./tree";

/** All pages of the documentation, by who needs them, with a search through their titles and headings. */
export function Contents() {
  const { q = "" } = useSearch({ strict: false }) as { q?: string };
  const navigate = useGo();
  const all = useListed();
  const set = (to: string) => void navigate({ to: ".", search: to ? { q: to } : {}, replace: true });
  return (
    <>
      <Head title={text.documentation} lead={text.documentationForThisVersion} />
      <SearchBox what={text.titlesAndHeadings} value={q} onChange={set} />
      {all.isPending && <Skeleton rows={10} />}
      {all.isError && <Failure error={all.error} retry={() => void all.refetch()} />}
      {all.data && (q ? <Found of={find(all.data, q)} /> : <Groups of={all.data} />)}
    </>
  );
}

function Groups({ of }: { of: Listed[] }) {
  const byName = new Map(of.map((l) => [l.page, l]));
  return (
    <>
      {groups.map((g) => (
        <Part key={g.title} title={g.title} lead={g.lead}>
          <ul className="help-cards">
            {g.pages.flatMap((p) => {
              const l = byName.get(p);
              return l ? [<Card key={p} of={l} />] : [];
            })}
          </ul>
        </Part>
      ))}
      <Part title={text.apiReference} lead={text.generatedFromTheOpenapiDescriptionOf}>
        <p className="row">
          <a className="help-external" href={`${basePath}/docs`}>
            {text.tryItInTheBrowser}
          </a>
          <a className="help-external" href={`${basePath}/redoc`}>
            {text.readIt}
          </a>
        </p>
      </Part>
    </>
  );
}

function Card({ of }: { of: Listed }) {
  return (
    <li className="card help-card">
      <Link to="/help/$page" params={{ page: of.page }}>
        <strong>{of.title}</strong>
        <span className="small muted">{of.lead}</span>
      </Link>
    </li>
  );
}

function Found({ of }: { of: Hit[] }) {
  if (of.length === 0) return <Empty title={text.noResults}>{text.theSearchCoversTitlesAndHeadings}</Empty>;
  return (
    <ul className="help-result" aria-label={text.searchResults}>
      {of.map((h) => (
        <li key={`${h.page}#${h.at}`}>
          <Link to="/help/$page" params={{ page: h.page }} {...(h.at ? { hash: h.at } : {})}>
            <strong>{h.title}</strong> <span className="small muted">{h.words}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
