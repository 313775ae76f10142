import { useParams, useSearch } from "@tanstack/react-router";
import * as text from "#text/packs";
import { useGet, useMay } from "../../api/use";
import { Failure, Head, Note, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { Conflicts } from "./conflicts";
import { Contents } from "./contents";
import { Install } from "./install";
import { Objects } from "./objects";
import "./packs.css";
import { Uninstall } from "./uninstall";
import type { Pack } from "./words";

/** One sector pack: what is in it, what it would change here, and what it has brought. */
export default function OnePack() {
  const { key } = useParams({ strict: false }) as { key: string };
  const { part } = useSearch({ strict: false }) as { part?: string };
  const may = useMay();
  const found = useGet<Pack>(`/sector-packs/${key}`);
  if (found.isPending) return <Skeleton rows={6} />;
  if (!found.data) return <Failure page error={found.error} retry={() => void found.refetch()} />;
  const p = found.data;
  const here = p.installation?.state === "installed" ? p.installation : null;
  const parts: [string, string][] = [
    ["contents", text.contents],
    ...(may.admin ? ([["install", here ? text.upgradeOrReinstall : text.install]] as [string, string][]) : []),
    ...(here
      ? ([
          ["installed", text.installedObjects],
          ["conflicts", text.conflicts],
        ] as [string, string][])
      : []),
    ...(here && may.admin ? ([["remove", text.uninstall]] as [string, string][]) : []),
  ];
  const open = parts.find(([k]) => k === part)?.[0] ?? (here ? "installed" : "contents");
  return (
    <>
      <Head
        up={<Link to="/sector-packs">{text.sectorPacks}</Link>}
        title={<Text of={p.name} />}
        lead={<span dir="auto">{p.description}</span>}
      >
        {here ? <State of="installed" words={text.versionInstalled(here.version)} /> : <State of="available" words={text.notInstalled} />}
      </Head>
      {here && here.version !== p.version && (
        <Note>
          {text.availableAndInstalledVersion(p.version, here.version, <When at={here.installed_at} />)}{" "}
          {may.admin && (
            <Link to="." search={{ part: "install" }}>
              {text.previewTheUpgrade}
            </Link>
          )}
        </Note>
      )}
      <nav className="tabs" aria-label={text.sectionsOfThePack}>
        {parts.map(([k, words]) => (
          <Link
            key={k}
            to="."
            search={{ part: k }}
            resetScroll={false}
            activeProps={{}}
            className={k === open ? "active" : ""}
            aria-current={k === open ? "page" : undefined}
          >
            {words}
          </Link>
        ))}
      </nav>
      {open === "install" && <Install key={here?.version ?? "new"} of={p} />}
      {open === "installed" && <Objects of={p} />}
      {open === "conflicts" && <Conflicts of={p} />}
      {open === "remove" && <Uninstall of={p} />}
      {open === "contents" && <Contents of={p} />}
    </>
  );
}
