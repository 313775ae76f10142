import { useLocation, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import * as text from "#text/help";
import { Empty, Failure, Head, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import "./help.css";
import { Blocks } from "./blocks";
import { Contents } from "./contents";
import { known, useDoc } from "./read";
import { plain } from "./tree";

/** The documentation: the list of its pages, or one of them. */
export default function Help() {
  const { page } = useParams({ strict: false }) as { page?: string };
  if (!page) return <Contents />;
  if (known(page)) return <Page key={page} of={page} />;
  return (
    <Empty page title={text.pageNotFound}>
      {text.openTheLink(<Link to="/help">{text.tableOfContents}</Link>)}
    </Empty>
  );
}

function Page({ of }: { of: string }) {
  const doc = useDoc(of);
  const at = useLocation({ select: (l) => l.hash });
  const there = Boolean(doc.data);
  useEffect(() => {
    if (doc.data) document.title = text.windowTitle(doc.data.title);
  }, [doc.data]);
  useEffect(() => {
    if (!there || !at) return;
    const head = document.getElementById(decodeURIComponent(at));
    head?.scrollIntoView();
    head?.focus({ preventScroll: true });
  }, [there, at]);
  if (doc.isPending) return <Skeleton rows={12} />;
  if (doc.isError) return <Failure page error={doc.error} retry={() => void doc.refetch()} />;
  const heads = doc.data.blocks.flatMap((b) => (b.t === "head" && b.depth === 2 ? [b] : []));
  return (
    <>
      <Head
        title={doc.data.title}
        up={
          <Link to="/help" data-reads="">
            {text.documentation}
          </Link>
        }
      />
      <div className="help-page">
        <article className="help-text" dir="ltr">
          <Blocks of={doc.data.blocks} page={of} />
        </article>
        {heads.length > 1 && (
          <nav className="help-toc" aria-label={text.onThisPage}>
            <p className="small muted">{text.onThisPage}</p>
            <ul>
              {heads.map((h) => (
                <li key={h.id}>
                  <Link
                    to="/help/$page"
                    params={{ page: of }}
                    hash={h.id}
                    aria-current={at === h.id ? "location" : undefined}
                    activeOptions={{ includeHash: true }}
                  >
                    {plain(h.c)}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </div>
    </>
  );
}
