import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, EyeOff } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import * as text from "#text/wizard";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { number } from "../../kit/count";
import { Button, Empty, Failure, Note, Problems, Skeleton, Table } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { countOf, type Kind, kindsOf, kindWords, optional } from "../connectors/kinds";
import { CopyFrom } from "./copyfrom";
import { type StepProps, serverStep, WizardFooter } from "./frame";
import { MapRow } from "./maprow";
import { TargetError } from "./probe";
import { counts, duplicates, missing, needsDecision, type Rule, rulesOf } from "./rules";
import { pendingSaves, type Saving, useSaving } from "./saving";
import { type TransformPreview, useMappingPreview, written } from "./transformpreview";

type Mappings = Of<"Mappings">;

/** Step 4: what becomes of each field. */
export default function MappingStep(props: StepProps) {
  const { id } = props;
  const schema = useGet<Of<"SchemaSnapshot">>(`/connectors/${id}/schema`);
  // Never from before: another version of them could not be written over.
  const saved = useQuery({
    queryKey: [`/connectors/${id}/mappings`],
    queryFn: async ({ signal }) => {
      await pendingSaves.get(id);
      return ask<Mappings>("GET", `/connectors/${id}/mappings`, { signal });
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [round, setRound] = useState(0);
  const queries = useQueryClient();
  const fresh = saved.data?.mapping_version === 0;
  // Nothing is written by asking for proposals.
  const proposals = useQuery({
    queryKey: [`/connectors/${id}/mappings/suggest`],
    queryFn: ({ signal }) => ask<Of<"Proposals">>("POST", `/connectors/${id}/mappings/suggest`, { signal }),
    enabled: fresh,
  });
  const broken = [schema, saved, proposals].find((q) => q.isError && !q.data);
  if (broken) return <Failure error={broken.error} retry={() => void broken.refetch()} />;
  if (!schema.data || !saved.data || (fresh && !proposals.data)) return <Skeleton rows={10} />;
  const reload = async () => {
    await queries.refetchQueries({ queryKey: [`/connectors/${id}/mappings`] });
    await queries.invalidateQueries({ queryKey: [`/connectors/${id}/wizard`] });
    setRound((n) => n + 1);
  };
  const first = rulesOf(
    schema.data.objects,
    fresh ? (proposals.data?.mappings ?? []) : saved.data.mappings,
    !fresh,
    kindsOf(props.connector.purpose),
  );
  return <Editor key={round} {...props} first={first} saved={saved.data} reload={reload} />;
}

type EditorProps = StepProps & { first: Rule[]; saved: Mappings; reload: () => Promise<void> };

function Editor({ id, wizard, connector, go, first, saved, reload }: EditorProps) {
  const search = useSearch({ strict: false }) as { object?: string; only?: string; record?: string };
  const navigate = useGo();
  const [rules, setRules] = useState(first);
  const change = useCallback(
    (key: string, more: Partial<Rule>) => setRules((was) => was.map((r) => (r.key === key ? { ...r, ...more } : r))),
    [],
  );
  const kinds = kindsOf(connector.purpose).filter((k) => !optional(k) || rules.some((r) => r.object === k));
  const kind: Kind = kinds.find((k) => k === search.object) ?? kinds[0] ?? "identity";
  const preview = useMappingPreview(id, rules, useSeen(kinds, kind));
  const saving = useSaving(id, rules, fine(preview, rules), saved.mapping_version);
  const only = search.only === "todo";
  const n = counts(rules);
  const twice = duplicates(rules);
  const set = (more: Record<string, string | undefined>) =>
    void navigate({
      to: ".",
      search: (was: Record<string, string>) => ({ ...was, ...more }),
      replace: true,
      resetScroll: false,
    });
  const records = preview.preview?.rows.filter((r) => r.object === kind) ?? [];
  const at = Math.min(Math.max(0, Number(search.record ?? 1) - 1 || 0), Math.max(0, records.length - 1));
  const rows = rules.filter(
    (r) => r.object === kind && !r.hidden && (!only || needsDecision(r) || twice.has(r.key) || preview.wrong.has(r.key)),
  );
  // What is said of this step is about what is on it: its Undo would do nothing on the next.
  const dismissToast = useRef<() => void>(undefined);
  useEffect(() => () => dismissToast.current?.(), []);
  const ignoreRest = () => {
    const before = rules;
    setRules(rules.map((r) => (needsDecision(r) ? { ...r, ignored: true } : r)));
    dismissToast.current = showToast(text.fieldsIgnored(n.todo), {
      remedy: { words: text.undo, act: () => setRules(before) },
    });
  };
  const on = async () => {
    if (await saving.now()) go("sync");
  };
  return (
    <>
      <div className="row between">
        <p role="status">
          {text.mappedMappedTodoOpenIgnoredIgnored(<strong>{n.mapped}</strong>, <strong>{n.todo}</strong>, <strong>{n.ignored}</strong>)}
        </p>
        <div className="row">
          <button type="button" className="chip" data-reads="" aria-pressed={only} onClick={() => set({ only: only ? undefined : "todo" })}>
            {text.onlyOpenFields}
          </button>
          <CopyFrom
            id={id}
            sources={serverStep(wizard, "mapping")?.mapping?.copy_from ?? []}
            first={saving.now}
            copied={reload}
            changed={saving.state !== "saved"}
          />
          <Button disabled={n.todo === 0} onClick={ignoreRest}>
            <EyeOff aria-hidden size={14} /> {text.ignoreOpenFields}
          </Button>
        </div>
      </div>
      {kinds.length > 1 && (
        <nav className="tabs" aria-label={text.kindsOfRecords}>
          {kinds.map((k) => (
            <Link
              key={k}
              to="."
              search={(was: Record<string, string>) => ({ ...was, object: k, record: undefined })}
              replace
              resetScroll={false}
              className={k === kind ? "active" : ""}
              aria-current={k === kind ? "page" : undefined}
            >
              {kindWords[k]}
              <span className="count">{countText(k, counts(rules.filter((r) => r.object === k)))}</span>
            </Link>
          ))}
        </nav>
      )}
      <MappingStatus preview={preview} saving={saving} reload={reload} />
      {rows.length === 0 ? (
        <Empty title={only ? text.noOpenFields : text.noFieldsOfThisKind} />
      ) : (
        <Table label={text.fieldsOfKindWords(kindWords[kind].toLowerCase())}>
          <thead>
            <tr>
              <th scope="col">{text.sourceField}</th>
              <th scope="col">
                <span className="sr">{text.mappedTo}</span>
              </th>
              <th scope="col">{fieldWords[kind]}</th>
              <th scope="col">{text.foundBy}</th>
              <th scope="col">{text.transformPython}</th>
              <th scope="col">
                <RecordPager
                  at={at}
                  of={records.length}
                  busy={preview.busy}
                  turn={(i) => set({ record: i > 0 ? String(i + 1) : undefined })}
                />
              </th>
              <th scope="col">{text.ignore}</th>
            </tr>
          </thead>
          <tbody className="wizard-map">
            {rows.map((r) => (
              <MapRow
                key={r.key}
                of={r}
                record={records[at]}
                tried={preview.tried.get(r.key)}
                wrong={preview.wrong.get(r.key)}
                twice={twice.has(r.key)}
                change={change}
                list={`fields-${kind}`}
              />
            ))}
          </tbody>
        </Table>
      )}
      <datalist id={`fields-${kind}`}>
        {saved.target_fields[kind].map((f) => (
          <option key={f} value={f} />
        ))}
      </datalist>
      <p className="small muted">
        {optional(kind) && <>{text.aFieldWithoutAMappingKeeps} </>}
        {text.customFieldsAreNamedCodeA(
          <code>attributes.name</code>,
          <code>value</code>,
          <code>record</code>,
          <code>value.strip().lower()</code>,
          <Link to="/help/$page" params={{ page: "transforms" }}>
            {text.availableFunctions}
          </Link>,
        )}
      </p>
      <WizardFooter
        id={id}
        back="discovery"
        go={() => void on()}
        busy={saving.state === "saving"}
        missing={saving.state === "overtaken" ? text.changedElsewhere : missing(rules, preview.wrong)}
      >
        <span className="small muted">{savingText(saving)}</span>
      </WizardFooter>
    </>
  );
}

const fieldWords: Record<Kind, string> = {
  identity: text.identityField,
  account: text.accountField,
  entitlement: text.entitlementField,
  grant: text.grantField,
};

const countText = (kind: Kind, n: ReturnType<typeof counts>) => (optional(kind) ? text.mappedMapped(n.mapped) : text.todoOpen(n.todo));

/** The kinds of which records are shown: entitlements and grants are read as soon as somebody looks at them. */
function useSeen(kinds: Kind[], shown: Kind): Kind[] {
  const [looked, setLooked] = useState<Kind[]>([]);
  useEffect(() => setLooked((was) => (was.includes(shown) ? was : [...was, shown])), [shown]);
  return kinds.filter((k) => !optional(k) || k === shown || looked.includes(k));
}

/** Whether the service has looked at all rules as they are written now, and found nothing wrong with them. */
const fine = (t: TransformPreview, rules: Rule[]) =>
  Boolean(t.refused) || (t.wrong.size === 0 && rules.every((r) => t.tried.get(r.key) === written(r)));

const savingText = (s: Saving) =>
  ({
    saved: text.savedYouCanLeaveAndContinue,
    saving: text.savingEllipsis,
    changed: text.notSavedYet,
    refused: text.notSavedSeeAbove,
    overtaken: text.notSavedSomeoneElseHasChanged,
  })[s.state];

/** Which record is shown. */
function RecordPager({ at, of, busy, turn }: { at: number; of: number; busy: boolean; turn: (i: number) => void }) {
  if (of === 0) return <>{busy ? text.resultPending : text.result}</>;
  return (
    <span className="row wizard-pager">
      {text.resultOnRecordAtOfOf(at + 1, of)}
      <Button reads tone="quiet" className="icon" aria-label={text.previousRecord} disabled={at === 0} onClick={() => turn(at - 1)}>
        <ChevronLeft aria-hidden size={14} />
      </Button>
      <Button reads tone="quiet" className="icon" aria-label={text.nextRecord} disabled={at + 1 >= of} onClick={() => turn(at + 1)}>
        <ChevronRight aria-hidden size={14} />
      </Button>
    </span>
  );
}

/** What is remarkable about the records that were tried, and what could not be kept. */
function MappingStatus({ preview, saving, reload }: { preview: TransformPreview; saving: Saving; reload: () => Promise<void> }) {
  const findings = preview.preview?.findings ?? [];
  return (
    <>
      {preview.preview?.error && <TargetError of={preview.preview.error} />}
      {Boolean(preview.refused) && <Problems of={preview.refused} />}
      {saving.state === "refused" && <Problems of={saving.refused} />}
      {saving.state === "overtaken" && (
        <Note tone="warn">
          {text.someoneElseHasChangedTheMappings}{" "}
          <Button reads onClick={() => void reload()}>
            {text.reload}
          </Button>
        </Note>
      )}
      {findings.length > 0 && (
        <Note tone="warn">
          <ul>
            {findings.map((f) => (
              <li key={f.check + f.object + (f.target_field ?? "")}>
                {f.target_field && <code>{f.target_field}</code>}{" "}
                {text.countOfCountOfDetail(number(f.count), countOf(f.of, f.object), f.detail)}
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  );
}
