import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { contentOf, FileField } from "../../kit/filefield";
import { Check } from "../../kit/form";
import { Button, Note, Problems } from "../../kit/kit";
import { State } from "../../kit/state";
import { many } from "../connectors/words";
import type { Pack } from "./words";

type Verdict = Of<"PackVerdict">;

/** Checks an archive, tells each mistake with its place, and keeps it when it is sound. */
export function UploadPack({ close }: { close: () => void }) {
  const [file, setFile] = useState<File>();
  const [lenient, setLenient] = useState(false);
  const [verdict, setVerdict] = useState<Verdict>();
  const [kept, setKept] = useState<Pack>();
  const archive = async () => new Blob(file ? [await contentOf(file)] : [], { type: "application/gzip" });
  const check = useAct({
    act: async (_, key) => ask<Verdict>("POST", "/sector-packs/validate", { key, body: await archive(), query: { lenient } }),
    after: setVerdict,
    quiet: true,
  });
  const upload = useAct({
    act: async (_, key) => ask<Pack>("POST", "/sector-packs/upload", { key, body: await archive(), query: { lenient } }),
    changes: ["/sector-packs"],
    after: setKept,
    quiet: true,
  });
  const choose = (f: File) => {
    setFile(f);
    setVerdict(undefined);
    check.reset();
    upload.reset();
  };
  return (
    <Dialog
      open
      wide
      close={close}
      title="Upload a pack"
      lead="Upload a .gwpack archive. It is validated first and not installed. Only administrators of this tenant can see it."
    >
      {kept ? (
        <Note tone="ok">
          <Link to={"/sector-packs/$key" as never} params={{ key: kept.key } as never}>
            {kept.name} {kept.version}
          </Link>{" "}
          is available. Open it to preview its changes.
        </Note>
      ) : (
        <>
          <FileField label="Archive" accept=".gwpack,.tar.gz,.tgz,application/gzip" take={choose} />
          <Check label="Warn about unknown fields instead of rejecting them" value={lenient} set={setLenient} />
          <Problems of={check.error ?? upload.error} />
          {verdict && <Told of={verdict} />}
          <div className="row end">
            <Button disabled={!file || check.isPending} onClick={() => check.mutate()}>
              {check.isPending ? "Validating…" : "Validate"}
            </Button>
            <Button tone="primary" disabled={!verdict?.valid || upload.isPending} onClick={() => upload.mutate()}>
              {upload.isPending ? "Saving…" : "Save"}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function Told({ of: v }: { of: Verdict }) {
  return (
    <div className="stack tight" role="status">
      <Note tone={v.valid ? "ok" : "bad"}>
        {v.pack ? `${v.pack.name} ${v.pack.version}: ` : ""}
        {v.valid ? "valid" : many(v.problems.filter((p) => p.severity === "error").length, "error")}. {many(v.tests, "test")} run.
        {v.pack && !v.pack.signature.verified && " The signature could not be verified with a key that the operator trusts."}
      </Note>
      <ul className="stack tight small">
        {v.problems.slice(0, 100).map((p) => (
          <li key={`${p.file}${p.line}${p.pointer}${p.message}`}>
            <State of={p.severity} tone={p.severity === "error" ? "bad" : "warn"} />{" "}
            <code>
              {p.file}
              {p.line ? `:${p.line}` : ""} {p.pointer}
            </code>{" "}
            {p.message} {p.mend && <span className="muted">{p.mend}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
