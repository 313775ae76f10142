import { useState } from "react";
import * as text from "#text/separation";
import { ask, download } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { base64Of, FileField } from "../../kit/filefield";
import { TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { showRefusal } from "../../kit/toast";
import { type Task, words } from "./tasks";

/** Evidence of a mitigation: a file to be provided, or the one that was. */
export default function EvidencePart({ task, open }: { task: Task; open: boolean }) {
  const [providing, setProviding] = useState(false);
  const file = words(task.context, "file", "link");
  const name = words(task.context, "file", "name") ?? "";
  if (task.kind === "mitigation_review" && file)
    return (
      <div>
        <Button onClick={() => void download(file.replace(/^\/api\/v1/, ""), name).catch(showRefusal)}>{text.downloadFile(name)}</Button>
      </div>
    );
  if (task.kind !== "mitigation_evidence" || !open) return null;
  return (
    <div>
      <Button onClick={() => setProviding(true)}>
        {["link", "report"].includes(kindOf(task)) ? text.provideEvidenceEllipsis : text.uploadEvidenceEllipsis}
      </Button>
      {providing && <Upload task={task} close={() => setProviding(false)} />}
    </div>
  );
}

const kindOf = (task: Task) => words(task.context, "evidence_kind") ?? "";

function Upload({ task, close }: { task: Task; close: () => void }) {
  const kind = kindOf(task);
  const [file, setFile] = useState<File>();
  const [shows, setShows] = useState("");
  const [url, setUrl] = useState("");
  const linked = ["link", "report"].includes(kind);
  const provide = useAct<void, Of<"MitigationEvidence">>({
    quiet: true,
    act: async (_, key) => {
      const content = file && (await base64Of(file));
      const sent = file && { name: file.name, media_type: file.type, content };
      return ask("POST", `/policies/mitigations/${task.subject.id}/evidence`, {
        body: { text: shows, file: sent, ...(url ? { url } : {}) },
        key,
      });
    },
    done: text.evidenceProvided,
    changes: ["/decision-tasks", "/policies/mitigations", "/policies/violations"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.uploadEvidence}
      lead={<bdi>{task.title}</bdi>}
      verb={text.provide}
      disabled={!file && !url.trim()}
      act={() => provide.mutateAsync()}
    >
      {kind !== "link" && <FileField label={text.file} hint={text.fileHint} accept="*/*" take={setFile} />}
      {linked && <TextField label={text.address} hint={text.addressHint} value={url} set={setUrl} max={2000} required={kind === "link"} />}
      <TextField label={text.whatItShows} value={shows} set={setShows} rows={3} max={20000} />
    </ConfirmDialog>
  );
}
