import { Link, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { Connector } from "../../api/types";
import { useMay } from "../../api/use";
import { Skeleton } from "../../kit/kit";

const sections = {
  about: ["Name and use", lazy(() => import("./set-about"))],
  connection: ["Connection", lazy(() => import("./set-connection"))],
  schedule: ["Schedule", lazy(() => import("./set-schedule"))],
  safety: ["Safety limits", lazy(() => import("./set-safety"))],
  correlation: ["Who owns accounts", lazy(() => import("./set-correlation"))],
  writing: ["Writing", lazy(() => import("./set-writing"))],
  more: ["Copy and remove", lazy(() => import("./set-more"))],
} as const;

type Section = keyof typeof sections;

/** How a connector is set, a part at a time; each part has its address. */
export default function Settings({ of: c }: { of: Connector }) {
  const may = useMay();
  const { section } = useSearch({ strict: false }) as { section?: string };
  const open: Section = section && section in sections ? (section as Section) : "about";
  const Open = sections[open][1];
  const shown = (Object.keys(sections) as Section[]).filter((s) => s !== "more" || may.admin);
  return (
    <>
      <nav className="connectors-jump" aria-label="Settings of this connector">
        {shown.map((s) => (
          <Link
            key={s}
            to="."
            search={{ section: s } as never}
            resetScroll={false}
            className="chip connectors-chip"
            aria-current={s === open ? "page" : undefined}
          >
            {sections[s][0]}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<Skeleton rows={6} />}>
        <Open of={c} />
      </Suspense>
    </>
  );
}
