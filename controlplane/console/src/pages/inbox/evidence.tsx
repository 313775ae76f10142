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
      <Button onClick={() => setProviding(true)}>{text.uploadEvidenceEllipsis}</Button>
      {providing && <Upload task={task} close={() => setProviding(false)} />}
    </div>
  );
}

function Upload({ task, close }: { task: Task; close: () => void }) {
  const [file, setFile] = useState<File>();
  const [words, setWords] = useState("");
  const provide = useAct<void, Of<"MitigationEvidence">>({
    quiet: true,
    act: async (_, key) => {
      const content = file && (await base64Of(file));
      const sent = file && { name: file.name, media_type: file.type, content };
      return ask("POST", `/policies/mitigations/${task.subject.id}/evidence`, { body: { text: words, file: sent }, key });
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
      disabled={!file}
      act={() => provide.mutateAsync()}
    >
      <FileField label={text.file} hint={text.fileHint} accept="*/*" take={setFile} />
      <TextField label={text.whatItShows} value={words} set={setWords} rows={3} max={20000} />
    </ConfirmDialog>
  );
}
