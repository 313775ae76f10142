import { Upload } from "lucide-react";
import { useState } from "react";
import * as text from "#text/packs";
import { useMay } from "../../api/use";
import { Button, Head, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import "./packs.css";
import { UploadPack } from "./upload";
import { holds, type Pack } from "./words";

type Row = Pack & { id: string };

const columns: Column<Row>[] = [
  {
    title: text.name,
    cell: (p) => (
      <Link to="/sector-packs/$key" params={{ key: p.key }}>
        <Text of={p.name} />
      </Link>
    ),
    text: (p) => p.name,
  },
  { title: text.purpose, wide: true, cell: (p) => <span dir="auto">{p.description}</span>, text: (p) => p.description },
  {
    title: text.contents,
    wide: true,
    cell: (p) => <span className="small muted">{holds(p.contents)}</span>,
    text: (p) => holds(p.contents),
  },
  { title: text.latestVersion, cell: (p) => p.version, text: (p) => p.version },
  {
    title: text.source,
    cell: (p) =>
      p.source === "built_in" ? (
        text.builtIn
      ) : (
        <>
          {p.publisher} {!p.signature.verified && <State of="unverified" words={text.notVerified} />}
        </>
      ),
    text: (p) => p.source,
  },
  {
    title: text.installed,
    cell: (p) => <Installed of={p} />,
    text: (p) => (p.installation?.state === "installed" ? p.installation.version : ""),
  },
];

function Installed({ of: p }: { of: Pack }) {
  if (p.installation?.state !== "installed") return <span className="faint">{text.notInstalled}</span>;
  return p.installation.version === p.version ? (
    <>
      <State of="installed" />{" "}
      <span className="small muted">
        <When at={p.installation.installed_at} />
      </span>
    </>
  ) : (
    <State of="installed" tone="warn" words={text.versionVersion2Available(p.installation.version, p.version)} />
  );
}

/** The sector packs that there are. */
export default function Packs() {
  const may = useMay();
  const [uploading, setUploading] = useState(false);
  return (
    <>
      <Head title={text.sectorPacks} lead={text.mappingsRolesBirthrightsAndPoliciesFor}>
        {may.admin && (
          <Button onClick={() => setUploading(true)}>
            <Upload aria-hidden size={15} /> {text.uploadAPack}
          </Button>
        )}
      </Head>
      <List<Row>
        path="/sector-packs"
        idOf={(p) => p.key}
        columns={columns}
        open={(p) => ({ to: "/sector-packs/$key", params: { key: p.key } })}
        csv="sector-packs"
        label={text.sectorPacks}
        empty={{ title: text.noPacks, words: text.builtInPacksAreMissingAsk }}
      />
      {uploading && <UploadPack close={() => setUploading(false)} />}
    </>
  );
}
