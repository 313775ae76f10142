import { Link } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useState } from "react";
import { useMay } from "../../api/use";
import { Button, Head, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import "./packs.css";
import { UploadPack } from "./upload";
import { holds, type Pack } from "./words";

type Row = Pack & { id: string };

const columns: Column<Row>[] = [
  {
    title: "Name",
    cell: (p) => (
      <Link to={"/sector-packs/$key" as never} params={{ key: p.key } as never}>
        <Text of={p.name} />
      </Link>
    ),
    text: (p) => p.name,
  },
  { title: "Purpose", wide: true, cell: (p) => <span dir="auto">{p.description}</span>, text: (p) => p.description },
  { title: "Contents", wide: true, cell: (p) => <span className="small muted">{holds(p.contents)}</span>, text: (p) => holds(p.contents) },
  { title: "Latest version", cell: (p) => p.version, text: (p) => p.version },
  {
    title: "Source",
    cell: (p) =>
      p.source === "built_in" ? (
        "built in"
      ) : (
        <>
          {p.publisher} {!p.signature.verified && <State of="unverified" words="not verified" />}
        </>
      ),
    text: (p) => p.source,
  },
  {
    title: "Installed",
    cell: (p) => <Installed of={p} />,
    text: (p) => (p.installation?.state === "installed" ? p.installation.version : ""),
  },
];

function Installed({ of: p }: { of: Pack }) {
  if (p.installation?.state !== "installed") return <span className="faint">not installed</span>;
  return p.installation.version === p.version ? (
    <>
      <State of="installed" />{" "}
      <span className="small muted">
        <When at={p.installation.installed_at} />
      </span>
    </>
  ) : (
    <State of="installed" tone="warn" words={`${p.installation.version}; ${p.version} available`} />
  );
}

/** The sector packs that there are. */
export default function Packs() {
  const may = useMay();
  const [uploading, setUploading] = useState(false);
  return (
    <>
      <Head
        title="Sector packs"
        lead="Mappings, roles, birthrights and policies for a sector. A pack is installed and uninstalled as one unit."
      >
        {may.admin && (
          <Button onClick={() => setUploading(true)}>
            <Upload aria-hidden size={15} /> Upload a pack
          </Button>
        )}
      </Head>
      <List<Row>
        path="/sector-packs"
        idOf={(p) => p.key}
        columns={columns}
        open={(p) => ({ to: "/sector-packs/$key", params: { key: p.key } })}
        csv="sector-packs"
        label="Sector packs"
        empty={{ title: "No packs", words: "Built-in packs are missing. Ask the service operator." }}
      />
      {uploading && <UploadPack close={() => setUploading(false)} />}
    </>
  );
}
