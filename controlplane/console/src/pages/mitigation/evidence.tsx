import * as text from "#text/mitigation";
import "./mitigation.css";
import { download, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Button, Failure, Part, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { showRefusal } from "../../kit/toast";
import { QueryResult } from "./queryresult";
import { outcomeTone, verdictWords } from "./words";

type Evidence = Of<"MitigationEvidence">;

/** What the owner of a mitigation has provided, with the verdict on it. */
export function EvidenceList({ id }: { id: string }) {
  const path = `/policies/mitigations/${id}/evidence`;
  const all = useGet<Page<Evidence>>(path, { limit: 100 }, { every: 10_000 });
  return (
    <Part title={text.evidence} lead={text.evidenceLead}>
      {all.isError ? (
        <Failure error={all.error} retry={() => void all.refetch()} />
      ) : !all.data ? (
        <Skeleton rows={2} />
      ) : all.data.items.length === 0 ? (
        <p className="small muted">{text.noEvidenceYet}</p>
      ) : (
        <ul className="stack tight" aria-label={text.evidence}>
          {all.data.items.map((e) => (
            <li key={e.id} className="card padded stack tight">
              <EvidenceItem of={e} path={path} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function EvidenceItem({ of: e, path }: { of: Evidence; path: string }) {
  const may = useMay();
  const name = e.file_name ?? "";
  return (
    <>
      <div className="row between">
        <span className="small">
          {text.providedBy(<bdi key="b">{e.provided_by.display}</bdi>, <When key="w" at={e.provided_at} />)}{" "}
          <span className="muted">({text.wasDue(<When key="d" at={e.due_at} />)})</span>
        </span>
        <State of={e.verdict} tone={e.verdict === "pending" ? "info" : outcomeTone(e.verdict)} words={verdictWords(e.verdict)} />
      </div>
      {e.result && e.comment && <p className="small">{e.comment}</p>}
      {e.result && <QueryResult of={e.result} hidden={e.hidden_examples} />}
      {e.text && (
        <p className="control-procedure" dir="auto">
          {e.text}
        </p>
      )}
      {e.url && (
        <p className="clip">
          <a className="sep-link" href={e.url} target="_blank" rel="noreferrer">
            <bdi>{e.url}</bdi>
          </a>
        </p>
      )}
      {e.reviewed_by && (
        <p className="small muted">
          {text.reviewedBy(
            verdictWords(e.verdict),
            <bdi key="b">{e.reviewed_by.display}</bdi>,
            <When key="w" at={e.reviewed_at ?? null} />,
          )}
          {e.comment && (
            <>
              : <q dir="auto">{e.comment}</q>
            </>
          )}
        </p>
      )}
      {(name || (may.admin && e.verdict === "pending")) && (
        <div className="row">
          {name && (
            <Button reads onClick={() => void download(`${path}/${e.id}/file`, name).catch(showRefusal)}>
              {text.downloadFile(name)}
            </Button>
          )}
          {may.admin && e.verdict === "pending" && (
            <Link className="sep-link small" to="/inbox" search={{ kind: "mitigation_review", assigned: "all" }}>
              {text.reviewInTheInbox}
            </Link>
          )}
        </div>
      )}
    </>
  );
}
