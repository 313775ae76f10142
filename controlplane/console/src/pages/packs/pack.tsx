import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useGet, useMay } from "../../api/use";
import { Failure, Head, Note, Skeleton, Text, When } from "../../kit/kit";
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
    ["contents", "Contents"],
    ...(may.admin ? ([["install", here ? "Upgrade or reinstall" : "Install"]] as [string, string][]) : []),
    ...(here
      ? ([
          ["installed", "Installed objects"],
          ["conflicts", "Conflicts"],
        ] as [string, string][])
      : []),
    ...(here && may.admin ? ([["remove", "Uninstall"]] as [string, string][]) : []),
  ];
  const open = parts.find(([k]) => k === part)?.[0] ?? (here ? "installed" : "contents");
  return (
    <>
      <Head up={<Link to="/sector-packs">Sector packs</Link>} title={<Text of={p.name} />} lead={<span dir="auto">{p.description}</span>}>
        {here ? <State of="installed" words={`${here.version} installed`} /> : <State of="available" words="not installed" />}
      </Head>
      {here && here.version !== p.version && (
        <Note>
          Version {p.version} is available. Version {here.version} was installed <When at={here.installed_at} />.{" "}
          {may.admin && (
            <Link to="." search={{ part: "install" } as never}>
              Preview the upgrade
            </Link>
          )}
        </Note>
      )}
      <nav className="tabs" aria-label="Sections of the pack">
        {parts.map(([k, words]) => (
          <Link
            key={k}
            to="."
            search={{ part: k } as never}
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
