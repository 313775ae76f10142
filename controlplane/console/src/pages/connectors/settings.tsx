import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import * as text from "#text/connectors";
import type { Connector } from "../../api/types";
import { useMay } from "../../api/use";
import { Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";

const sections = {
  about: [text.general, lazy(() => import("./set-about"))],
  connection: [text.connection, lazy(() => import("./set-connection"))],
  schedule: [text.schedule, lazy(() => import("./set-schedule"))],
  safety: [text.safetyLimits, lazy(() => import("./set-safety"))],
  correlation: [text.correlation, lazy(() => import("./set-correlation"))],
  writing: [text.writing, lazy(() => import("./set-writing"))],
  more: [text.copyAndDelete, lazy(() => import("./set-more"))],
} as const;

type Section = keyof typeof sections;

/** How a connector is set, a part at a time; each part has its address. */
export default function Settings({ of: c }: { of: Connector }) {
  const may = useMay();
  const { section } = useSearch({ strict: false }) as { section?: string };
  const open: Section = section && section in sections ? (section as Section) : "about";
  const [seen, see] = useState<Section[]>([open]);
  if (!seen.includes(open)) see([...seen, open]);
  const shown = (Object.keys(sections) as Section[]).filter((s) => s !== "more" || may.admin);
  return (
    <>
      <nav className="connectors-row-link" aria-label={text.sectionsOfTheSettings}>
        {shown.map((s) => (
          <Link
            key={s}
            to="."
            search={{ section: s }}
            resetScroll={false}
            className="chip connectors-chip"
            aria-current={s === open ? "page" : undefined}
          >
            {sections[s][0]}
          </Link>
        ))}
      </nav>
      {/* What was opened stays, so that what was typed in one part is there after a look at another. */}
      {seen.map((s) => {
        const Part = sections[s][1];
        return (
          <div key={s} hidden={s !== open} className={s === open ? "stack" : ""}>
            <Suspense fallback={<Skeleton rows={6} />}>
              <Part of={c} />
            </Suspense>
          </div>
        );
      })}
    </>
  );
}
