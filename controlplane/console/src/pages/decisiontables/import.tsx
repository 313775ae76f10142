import { useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import * as text from "#text/decisiontables";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { base64Of, FileField } from "../../kit/filefield";
import { SelectField, TextField } from "../../kit/form";
import { Button, Head, Note, Part, Problems, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Impact } from "../roles/impact";
import { type HitPolicy, hitPolicyOptions } from "./draft";
import { Findings, TableLink } from "./findings";

type Plan = Of<"DecisionTableImport">;
type Sending = { turn: number; confirm?: string };

const largest = 4 << 20;

/** Imports a table from a CSV file: first the plan, with everything that is wrong by line, then all of it or nothing. */
export default function ImportDecisionTable() {
  const { table: id = "" } = useSearch({ strict: false }) as { table?: string };
  const kept = useGet<Of<"AccessPolicy">>(`/policies/access-grant/${id}`, {}, { enabled: id !== "" });
  const [file, choose] = useState<File>();
  const [name, call] = useState("");
  const [hit, setHit] = useState<HitPolicy | "">(id ? "" : "all");
  const turn = useRef(0);
  const send = async (confirm: string | undefined, key: string): Promise<Plan> =>
    ask("POST", "/policies/decision-tables/import", {
      query: confirm ? { confirm } : { dry_run: true },
      body: { ...(id ? { policy_id: id } : { name }), ...(hit ? { hit_policy: hit } : {}), file: file ? await base64Of(file) : "" },
      key,
    });
  const plans = useAct<Sending, Plan>({ quiet: true, act: (_, key) => send(undefined, key) });
  const applies = useAct<Sending, Plan>({ quiet: true, act: ({ confirm }, key) => send(confirm, key), changes: ["/policies"] });
  const changed = () => {
    turn.current += 1;
    plans.reset();
    applies.reset();
  };
  const plan = applies.data ?? plans.data;
  const tooLarge = (file?.size ?? 0) > largest;
  const busy = plans.isPending || applies.isPending;
  const same =
    plan && id && plan.added + plan.changed + plan.removed === 0 && !plan.reordered && (!hit || hit === kept.data?.table?.hit_policy);
  return (
    <div className="stack">
      <Head title={text.importTitle} lead={text.importLead} up={<Link to="/decision-tables">{text.decisionTables}</Link>} />
      <section className="card padded stack" aria-label={text.importTitle}>
        <div className="fields">
          {id ? (
            <p>
              {text.into}: <TableLink id={id}>{kept.data?.name ?? "…"}</TableLink>
            </p>
          ) : (
            <TextField
              label={text.name}
              value={name}
              set={(t) => {
                call(t);
                changed();
              }}
              required
              max={200}
            />
          )}
          <SelectField
            label={text.hitPolicy}
            value={hit}
            set={(h) => {
              setHit(h);
              changed();
            }}
            options={[...(id ? ([["", text.sameAsNow]] as ["", string][]) : []), ...hitPolicyOptions]}
          />
          <FileField
            label={text.file}
            hint={file?.name ?? text.fileHint}
            accept=".csv,.txt,.tsv"
            error={tooLarge ? text.fileTooLarge : undefined}
            take={(f) => {
              choose(f);
              changed();
            }}
          />
        </div>
        <Problems of={applies.error ?? plans.error} />
        <div className="row">
          <Button
            tone={plan ? "plain" : "primary"}
            disabled={!file || tooLarge || (!id && !name.trim())}
            aria-disabled={busy || undefined}
            onClick={() => {
              if (busy) return;
              applies.reset();
              plans.mutate({ turn: turn.current });
            }}
          >
            {plans.isPending ? text.readingTheFile : plan ? text.previewAgain : text.preview}
          </Button>
          {plan?.dry_run && plan.plan_hash && !same && (
            <Button
              tone="primary"
              aria-disabled={busy || undefined}
              onClick={() => !busy && applies.mutate({ turn: turn.current, confirm: plan.plan_hash })}
            >
              {applies.isPending ? text.applying : text.apply}
            </Button>
          )}
          {plan?.dry_run && same && <span className="muted">{text.noChanges}</span>}
        </div>
      </section>
      {plan && !plan.dry_run && (
        <Note tone="ok">
          {text.importIsDone} <TableLink id={plan.policy_id ?? ""}>{text.openTheTable}</TableLink>
        </Note>
      )}
      {plan && <PlanOfTable of={plan} hit={hit || kept.data?.table?.hit_policy || "all"} />}
    </div>
  );
}

/** What an import would do, and what is wrong with the file. */
function PlanOfTable({ of: plan, hit }: { of: Plan; hit: HitPolicy }) {
  if (plan.problem_count > 0) return <LineProblems of={plan} />;
  return (
    <>
      <Part title={text.changes} lead={text.counts(plan.added, plan.changed, plan.removed, plan.unchanged)}>
        <div className="stack">
          {plan.reordered && <Note>{text.reordered}</Note>}
          {plan.items.length > 0 && (
            <Table label={text.changes}>
              <thead>
                <tr>
                  <th scope="col">{text.change}</th>
                  <th scope="col">{text.row}</th>
                  <th scope="col">{text.cells}</th>
                </tr>
              </thead>
              <tbody>
                {plan.items.slice(0, 100).map((i) => (
                  <tr key={`${i.action} ${i.row}`}>
                    <td>{text.actionsOfImport[i.action]}</td>
                    <td>{i.row}</td>
                    <td>
                      <Text of={i.cells.join(", ")} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
        </div>
      </Part>
      {plan.impact && (
        <Part title={text.impact} lead={text.impactLead}>
          <div className="card padded stack">
            <Impact of={plan.impact} />
          </div>
        </Part>
      )}
      {plan.check && (
        <Part title={text.findings}>
          <Findings of={plan.check} hit={hit} />
        </Part>
      )}
    </>
  );
}

function LineProblems({ of: plan }: { of: Plan }) {
  return (
    <Part title={text.problems(plan.problem_count)}>
      <Table label={text.problems(plan.problem_count)}>
        <thead>
          <tr>
            <th scope="col">{text.line}</th>
            <th scope="col">{text.column}</th>
            <th scope="col">{text.problem}</th>
          </tr>
        </thead>
        <tbody>
          {plan.problems.slice(0, 200).map((p) => (
            <tr key={`${p.line} ${p.column} ${p.code} ${p.detail}`}>
              <td>{p.line || "–"}</td>
              <td>{p.column}</td>
              <td>
                <Text of={p.detail} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Part>
  );
}
