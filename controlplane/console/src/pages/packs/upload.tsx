import { useState } from "react";
import * as text from "#text/packs";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { contentOf, FileField } from "../../kit/filefield";
import { Check } from "../../kit/form";
import { Button, Note, Problems } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
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
    <Dialog open wide close={close} title={text.uploadAPack} lead={text.uploadAGwpackArchiveItIs}>
      {kept ? (
        <Note tone="ok">
          {text.nameIsAvailableOpenItTo(
            <Link to="/sector-packs/$key" params={{ key: kept.key }}>
              {kept.name} {kept.version}
            </Link>,
          )}
        </Note>
      ) : (
        <>
          <FileField label={text.archive} accept=".gwpack,.tar.gz,.tgz,application/gzip" take={choose} />
          <Check label={text.warnAboutUnknownFieldsInsteadOf} value={lenient} set={setLenient} />
          <Problems of={check.error ?? upload.error} />
          {verdict && <ValidationResult of={verdict} />}
          <div className="row end">
            <Button disabled={!file || check.isPending} onClick={() => check.mutate()}>
              {check.isPending ? text.validating : text.validate}
            </Button>
            <Button tone="primary" disabled={!verdict?.valid || upload.isPending} onClick={() => upload.mutate()}>
              {upload.isPending ? text.saving : text.save}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function ValidationResult({ of: v }: { of: Verdict }) {
  return (
    <div className="stack tight" role="status">
      <Note tone={v.valid ? "ok" : "bad"}>
        {v.pack
          ? text.nameVersionValueTestsRun(
              v.pack.name,
              v.pack.version,
              v.valid ? text.valid : text.errors(v.problems.filter((p) => p.severity === "error").length),
              v.tests,
            )
          : text.valueTestsRun(v.valid ? text.valid : text.errors(v.problems.filter((p) => p.severity === "error").length), v.tests)}
        {v.pack && !v.pack.signature.verified && <> {text.theSignatureCouldNotBeVerified}</>}
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
