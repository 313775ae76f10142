import { useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { EyeOff, LoaderCircle, RotateCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import * as text from "#text/wizard";
import { followStream } from "../../api/stream";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Badge, Button, Empty, Failure, Note, Problems, Skeleton, Table, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Group, groups, masked, type SchemaField } from "./fields";
import { type StepProps, serverStep, WizardFooter } from "./frame";
import { TargetError } from "./probe";

type DiscoveryResult = Of<"Discovery">;
type Snapshot = Of<"SchemaSnapshot">;

/** Step 3: the fields of the system, with samples. The first look is taken by itself. */
export function Discovery({ id, wizard, go }: StepProps) {
  const seen = serverStep(wizard, "discovery")?.discovery;
  const schema = useGet<Snapshot>(`/connectors/${id}/schema`, {}, { enabled: Boolean(seen) });
  const look = useDiscovery(id);
  const begun = useRef(false);
  useEffect(() => {
    if (seen || begun.current) return;
    begun.current = true;
    void look.run();
  }, [seen, look.run]);
  const found = schema.data ? groups(schema.data.objects) : [];
  return (
    <>
      <div className="row between">
        <span className="small muted">
          {schema.data ? text.discoveredTakenAtValuesAreSamples(<When at={schema.data.taken_at} />) : text.readsAFewRecordsAndChanges}
        </span>
        {look.busy ? (
          <Button reads onClick={look.stop}>
            {text.stop}
          </Button>
        ) : (
          <Button onClick={() => void look.run()}>
            <RotateCw aria-hidden size={14} /> {text.runAgain}
          </Button>
        )}
      </div>
      {look.busy && (
        <p role="status" className="row">
          <LoaderCircle aria-hidden size={16} className="wizard-spin" /> {look.told || text.contactingTheTarget}
        </p>
      )}
      {look.error && <TargetError of={look.error} />}
      <Problems of={look.refused} />
      {schema.data?.warnings?.map((w) => (
        <Note key={w.code + w.message} tone="warn">
          <span dir="auto">{w.message}</span>
        </Note>
      ))}
      {schema.isError ? (
        <Failure error={schema.error} retry={() => void schema.refetch()} />
      ) : schema.data ? (
        <Found of={found} />
      ) : (
        (look.busy || seen) && <Skeleton rows={6} />
      )}
      <WizardFooter
        id={id}
        back="connection"
        go={() => go("mapping")}
        busy={look.busy}
        missing={seen && found.some((g) => g.fields.length > 0) ? undefined : text.runDiscoveryFirst}
      />
    </>
  );
}

function Found({ of }: { of: Group[] }) {
  const search = useSearch({ strict: false }) as { show?: string };
  const shown = of.find((g) => g.key === search.show) ?? of[0];
  if (!shown) return <Empty title={text.noFieldsWereFound}>{text.checkThePathAndTheFilters}</Empty>;
  return (
    <>
      <nav className="tabs" aria-label={text.objects}>
        {of.map((g) => (
          <Link
            key={g.key}
            to="."
            search={{ show: g.key }}
            replace
            resetScroll={false}
            className={g === shown ? "active" : ""}
            aria-current={g === shown ? "page" : undefined}
          >
            {g.words}
            <span className="count">{text.fields(g.fields.length)}</span>
          </Link>
        ))}
      </nav>
      <p className="small muted">
        {shown.count
          ? text.nativeNameNativeRecords(<code>{shown.native}</code>, shown.count)
          : text.nativeNameNative(<code>{shown.native}</code>)}
      </p>
      <Table label={text.fieldsOfWords(shown.words)}>
        <thead>
          <tr>
            <th scope="col">{text.field}</th>
            <th scope="col">{text.typeLabel}</th>
            <th scope="col">{text.sampleValues}</th>
            <th scope="col" className="num">
              {text.empty}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.fields.map((f) => (
            <tr key={f.path}>
              <td title={f.description}>
                <code>
                  <bdi>{f.name}</bdi>
                </code>
              </td>
              <td>
                <Badge>
                  {f.type}
                  {f.multi ? text.multipleValues : ""}
                </Badge>
              </td>
              <td className="wide">
                <Samples of={f} />
              </td>
              <td className="num small muted">{Math.round(f.null_ratio * 100)} %</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

/** Sample values of a field; those of what looks like a secret never leave the target's side. */
export function Samples({ of }: { of: SchemaField }) {
  if (masked(of))
    return (
      <span className="small muted row">
        <EyeOff aria-hidden size={14} /> {text.possiblySecretValuesAreNotShown}
      </span>
    );
  const values = (of.samples ?? []).slice(0, 3);
  if (values.length === 0) return <span className="faint">–</span>;
  return (
    <span className="wizard-samples">
      {values.map((v, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: samples may be the same twice
        <code key={i} title={v.length > 24 ? v.slice(0, 2000) : undefined}>
          <bdi>{v.slice(0, 200)}</bdi>
        </code>
      ))}
    </span>
  );
}

/** Looks at the target, and hears how far it is. */
function useDiscovery(id: string) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState("");
  const [error, setError] = useState<DiscoveryResult["error"] | null>(null);
  const [refused, setRefused] = useState<unknown>();
  const control = useRef<AbortController>(undefined);
  const run = async () => {
    setBusy(true);
    setError(null);
    setRefused(undefined);
    const stop = new AbortController();
    control.current = stop;
    let cuts = 0;
    try {
      await followStream(`/connectors/${id}/discover?stream=true`, {
        method: "POST",
        signal: stop.signal,
        ends: (t) => t.event === "result",
        event: (t) => {
          if (t.event === "result") setError((t.data as DiscoveryResult).error);
          else setTold(sentence((t.data as { message?: string }).message ?? ""));
        },
        cut: (lost) => {
          if (!lost || ++cuts < 3) return;
          setRefused(new Error("The service could not be reached. Try again."));
          stop.abort();
        },
      });
    } catch (e) {
      setRefused(e);
    } finally {
      setTold("");
      await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith(`/connectors/${id}`) });
      setBusy(false);
    }
  };
  return { busy, told, error, refused, run, stop: () => control.current?.abort() };
}

const sentence = (s: string) => (s ? `${s.charAt(0).toUpperCase()}${s.slice(1)}…` : "");
