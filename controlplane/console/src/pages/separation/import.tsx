import { useRef, useState } from "react";
import * as text from "#text/separationimport";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import { useAct } from "../../api/use";
import { base64Of, FileField } from "../../kit/filefield";
import { SelectField } from "../../kit/form";
import { Button, Head, Note, Problems } from "../../kit/kit";
import { Link } from "../../kit/link";
import { changesOf, type Format, formatOf, formatWords, isSap, largest, type Options, optionsBody, type Plan, usual } from "./importing";
import { SapOptions } from "./importoptions";
import { PlanOfImport } from "./importplan";
import "./separation.css";

/** What is sent, and which choice it was: other files are another intention, even when they are sent in the same way. */
type Sending = { turn: number; confirm?: string };

/** Imports duties and policies from files: first the plan, with everything that is wrong, then all of it or nothing. */
export default function ImportSeparation() {
  const [files, setFiles] = useState<File[]>([]);
  const [options, setOptions] = useState(usual);
  const [read, setRead] = useState<string>(); // the format that a plan told, where names do not
  const turn = useRef(0);
  const plans = useAct<Sending, Plan>({
    quiet: true,
    act: (_, key) => sendImport(files, options, undefined, key),
    after: (p) => setRead(p.format),
  });
  const applies = useAct<Sending, Plan>({
    quiet: true,
    act: ({ confirm }, key) => sendImport(files, options, confirm, key),
    changes: ["/policies/"],
    done: (p) => text.changesApplied(changesOf(p)),
  });
  const changed = () => {
    turn.current += 1;
    plans.reset();
    applies.reset();
  };
  const choose = (...chosen: File[]) => {
    setFiles(chosen);
    setRead(undefined);
    changed();
  };
  const set = (o: Partial<Options>) => {
    setOptions({ ...options, ...o });
    changed();
  };
  const preview = () => {
    applies.reset();
    plans.mutate({ turn: turn.current });
  };
  const stale = applies.error instanceof Refusal && applies.error.code === "plan_changed";
  const plan = stale ? undefined : (applies.data ?? plans.data);
  const done = plan && !plan.dry_run;
  const told = formatOf(files.map((f) => f.name));
  const tooLarge = files.reduce((sum, f) => sum + f.size, 0) > largest;
  const busy = plans.isPending || applies.isPending;
  const changes = plan ? changesOf(plan) : 0;
  return (
    <div className="stack">
      <Head title={text.importTitle} lead={text.importLead} up={<Link to="/separation-of-duties">{text.separationOfDuties}</Link>} />
      <section className="card padded stack" aria-label={text.filesAndOptions}>
        <div className="fields">
          <FileField
            label={text.files}
            hint={files.length === 0 ? text.filesHint : namesOf(files)}
            accept=".yaml,.yml,.csv,.txt,.xml,.zip"
            error={tooLarge ? text.filesTooLarge : undefined}
            multiple
            take={choose}
          />
          <SelectField
            label={text.format}
            hint={options.format === "auto" && told ? text.formatIs(formatWords(told)) : undefined}
            value={options.format}
            set={(format) => set({ format })}
            options={Object.entries(text.formats) as [Format | "auto", string][]}
          />
        </div>
        {isSap(options.format === "auto" ? (told ?? read) : options.format) && <SapOptions of={options} set={set} />}
        {stale ? (
          <div role="alert">
            <Note tone="warn">{applies.error?.message}</Note>
          </div>
        ) : (
          <Problems of={applies.error ?? plans.error} />
        )}
        <div className="row">
          <Button
            tone={plan ? "plain" : "primary"}
            disabled={files.length === 0 || tooLarge}
            aria-disabled={busy || undefined}
            onClick={() => !busy && preview()}
          >
            {plans.isPending ? text.readingTheFiles : plan || stale ? text.previewAgain : text.previewChanges}
          </Button>
          {plan?.dry_run && plan.plan_hash && changes > 0 && (
            <Button
              tone="primary"
              aria-disabled={busy || undefined}
              onClick={() => !busy && applies.mutate({ turn: turn.current, confirm: plan.plan_hash })}
            >
              {applies.isPending ? text.applying : text.applyChanges(changes)}
            </Button>
          )}
          {plan?.dry_run && plan.plan_hash && changes === 0 && <span className="muted">{text.noChanges}</span>}
        </div>
      </section>
      {done && (
        <Note tone="ok">
          {text.importIsDone(
            changes,
            <Link className="sep-link" to="/separation-of-duties" search={{ mode: "draft" }}>
              {text.draftsLower}
            </Link>,
          )}
        </Note>
      )}
      {plan && <PlanOfImport of={plan} />}
    </div>
  );
}

/** Sends an import: to be planned, or with the hash of the plan that is applied. */
async function sendImport(files: File[], o: Options, confirm: string | undefined, key: string): Promise<Plan> {
  const read = await Promise.all(files.map(async (f) => ({ name: f.name, content: await base64Of(f) })));
  return ask("POST", "/policies/separation-of-duties/import", {
    query: confirm ? { confirm } : { dry_run: true },
    body: { files: read, ...optionsBody(o) },
    key,
  });
}

const namesShown = 5;

const namesOf = (files: File[]) => {
  const names = files.slice(0, namesShown).map((f) => f.name);
  return files.length > namesShown ? text.filesChosenAndMore(names, files.length - namesShown) : text.filesChosen(names);
};
