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
  { title: "What it is for", wide: true, cell: (p) => <span dir="auto">{p.description}</span>, text: (p) => p.description },
  { title: "Holds", wide: true, cell: (p) => <span className="small muted">{holds(p.contents)}</span>, text: (p) => holds(p.contents) },
  { title: "Newest", cell: (p) => p.version, text: (p) => p.version },
  {
    title: "From",
    cell: (p) =>
      p.source === "built_in" ? (
        "the service"
      ) : (
        <>
          {p.publisher} {!p.signature.verified && <State of="unverified" words="not verified" />}
        </>
      ),
    text: (p) => p.source,
  },
  { title: "Here", cell: (p) => <Installed of={p} />, text: (p) => (p.installation?.state === "installed" ? p.installation.version : "") },
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
    <State of="installed" tone="warn" words={`${p.installation.version}: ${p.version} is there`} />
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
        lead="What suits an organisation of a sector: mappings, roles, birthrights and policies, installed as one and taken back as one."
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
        empty={{ title: "There are no packs", words: "Those of the service are always here; ask your operator." }}
      />
      {uploading && <UploadPack close={() => setUploading(false)} />}
    </>
  );
}
