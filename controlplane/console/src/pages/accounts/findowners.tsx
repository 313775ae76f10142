import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/accounts";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { ConfirmDialog } from "../../kit/dialog";
import { DryRun } from "../../kit/dryrun";
import { SelectField, TextField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { useSystems } from "../../kit/systems";
import { showToast } from "../../kit/toast";
import { LinkResult } from "./linkresult";
import { LinkTry } from "./linktry";
import { confidenceText } from "./words";

type Method = "run" | "field";

/** Looks for the owners of accounts: by the rules, with a look at what they would do, or by one field. */
export function FindOwners() {
  const [doing, setDoing] = useState<Method>();
  const [told, setTold] = useState<Of<"BulkLinked">>(); // it outlives the dialog that asked for it
  const close = () => setDoing(undefined);
  return (
    <>
      <Menu
        words={text.findOwners}
        of={[
          { words: text.runCorrelationRules, act: () => setDoing("run") },
          { words: text.matchByOneField, act: () => setDoing("field") },
        ]}
      />
      {doing === "run" && <ByRules close={close} />}
      {doing === "field" && <ByField close={close} tell={setTold} />}
      {told && <LinkResult of={told} close={() => setTold(undefined)} />}
    </>
  );
}

const counted: [keyof Of<"CorrelationCounts">, string][] = [
  ["gains", text.gainAnOwnerLower],
  ["changed_owners", text.changeOwnerLower],
  ["losses", text.loseTheirOwnerLower],
  ["disputed", text.becomeDisputedLower],
  ["withdrawn", text.haveNoCandidatesLeft],
  ["unchanged", text.stayUnchanged],
];

function ByRules({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const names = useSystems();
  const [system, setSystem] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  const preview = useQuery({
    queryKey: ["try", "/accounts/correlation/preview", system],
    queryFn: async ({ signal }) => {
      // The service foresees by the rules that it is given, and otherwise by the default ones, while a run goes by those of the system.
      const { rules, auto_link, propose } = await ask<Of<"Correlation">>("GET", `/connectors/${system}/correlation`, { signal });
      const body = { connector_id: system, rules, auto_link, propose };
      return ask<Of<"CorrelationPreview">>("POST", "/accounts/correlation/preview", { body, signal });
    },
    enabled: system !== "",
    retry: false,
    gcTime: 0,
  });
  return (
    <ConfirmDialog
      open
      wide
      close={close}
      title={text.runCorrelationRules}
      lead={text.correlationRunsAfterEachSyncThis}
      verb={system ? text.runInThisSystem : text.runInAllSystems}
      act={async () => {
        const r = await ask<Of<"CorrelationRun">>("POST", "/accounts/correlation/run", {
          body: system ? { connector_id: system } : {},
          key,
        });
        showToast(text.accountsHaveAnOwnerNowDisputed(r.counts.gains, number(r.counts.disputed)));
        await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/accounts") });
      }}
    >
      <SelectField
        label={text.system}
        value={system}
        set={setSystem}
        none={text.allSystems}
        options={[...names].map(([id, n]) => [id, n] as const)}
      />
      {system ? (
        <DryRun of={preview}>
          {(t) => (
            <>
              <ul className="small">
                {counted
                  .filter(([k]) => t.counts[k] > 0)
                  .map(([k, w]) => (
                    <li key={k}>
                      {t.counts[k].toLocaleString("en")} {w}
                    </li>
                  ))}
                {t.counts.looked_at === 0 && <li>{text.noAccountsToCorrelate}</li>}
              </ul>
              <Samples title={text.gainAnOwner} of={t.gains ?? []} />
              <Samples title={text.changeOwner} of={t.changed_owners ?? []} />
              <Samples title={text.loseTheirOwner} of={t.losses ?? []} />
              <Samples title={text.becomeDisputed} of={t.disputed ?? []} />
            </>
          )}
        </DryRun>
      ) : (
        <Note>{text.selectASystemToPreviewIts}</Note>
      )}
      {system && (
        <p className="small">
          <Link to="/connectors/$id/$tab" params={{ id: system, tab: "settings" }} className="person-link">
            {text.correlationRulesAreInTheSettings}
          </Link>
        </p>
      )}
    </ConfirmDialog>
  );
}

function Samples({ title, of }: { title: string; of: Of<"CorrelationSample">[] }) {
  const [all, setAll] = useState(false);
  if (of.length === 0) return null;
  return (
    <section className="stack tight small">
      <h4>{title}</h4>
      <ul>
        {of.slice(0, all ? 100 : 10).map((s) => (
          <li key={s.account.id}>
            <bdi>{s.account.display}</bdi>
            {s.from && <> {text.fromFrom(<bdi>{s.from.display}</bdi>)}</>}
            {s.to && <> {text.toToConfidenceText(<bdi>{s.to.display}</bdi>, confidenceText(s.score))}</>}
            {!s.to && (s.candidates ?? []).length > 0 && text.candidateCount((s.candidates ?? []).length)}
          </li>
        ))}
      </ul>
      {of.length > 10 && !all && (
        <Button reads tone="quiet" onClick={() => setAll(true)}>
          {text.showAllCount(of.length)}
        </Button>
      )}
    </section>
  );
}

type Field = "employee_number" | "email" | "username" | "external_id";

function ByField({ close, tell }: { close: () => void; tell: (r: Of<"BulkLinked">) => void }) {
  const queries = useQueryClient();
  const names = useSystems();
  const [system, setSystem] = useState("");
  const [field, setField] = useState<Field>("employee_number");
  const [reason, setReason] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  const body = { filter: system ? { connector_id: system } : {}, identity_field: field };
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.matchByOneField}
      lead={text.forUncorrelatedAndDisputedAccountsThe}
      verb={text.assignOwners}
      disabled={!reason.trim()}
      act={async () => {
        const r = await ask<Of<"BulkLinked">>("POST", "/accounts/bulk-link", { body: { ...body, reason }, key });
        await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/accounts") });
        tell(r);
      }}
    >
      <SelectField
        label={text.system}
        value={system}
        set={setSystem}
        none={text.allSystems}
        options={[...names].map(([id, n]) => [id, n] as const)}
      />
      <SelectField
        label={text.field}
        value={field}
        set={setField}
        options={[
          ["employee_number", text.employeeNumberLower],
          ["email", text.eMailAddress],
          ["username", text.loginLower],
          ["external_id", text.ownerIdInTheSystem],
        ]}
      />
      <TextField label={text.reason} value={reason} set={setReason} max={1000} required />
      <LinkTry body={body} names={new Map()} />
    </ConfirmDialog>
  );
}
