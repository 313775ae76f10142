import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { count, number } from "../../kit/count";
import { AskFirst } from "../../kit/dialog";
import { DryRun } from "../../kit/dryrun";
import { SelectField, TextField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { Menu } from "../../kit/menu";
import { useSystems } from "../../kit/systems";
import { showToast } from "../../kit/toast";
import { LinkResult } from "./linkresult";
import { LinkTry } from "./linktry";
import { confidenceText } from "./words";

type Doing = "run" | "field";

/** Looks for the owners of accounts: by the rules, with a look at what they would do, or by one field. */
export function FindOwners() {
  const [doing, setDoing] = useState<Doing>();
  const [told, setTold] = useState<Of<"BulkLinked">>(); // it outlives the dialog that asked for it
  const close = () => setDoing(undefined);
  return (
    <>
      <Menu
        words="Find owners"
        of={[
          { words: "Run correlation rules", act: () => setDoing("run") },
          { words: "Match by one field", act: () => setDoing("field") },
        ]}
      />
      {doing === "run" && <ByRules close={close} />}
      {doing === "field" && <ByField close={close} tell={setTold} />}
      {told && <LinkResult of={told} close={() => setTold(undefined)} />}
    </>
  );
}

const counted: [keyof Of<"CorrelationCounts">, string][] = [
  ["gains", "gain an owner"],
  ["changed_owners", "change owner"],
  ["losses", "lose their owner"],
  ["disputed", "become disputed"],
  ["withdrawn", "have no candidates left"],
  ["unchanged", "stay unchanged"],
];

function ByRules({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const names = useSystems();
  const [system, setSystem] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  const tried = useQuery({
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
    <AskFirst
      open
      wide
      close={close}
      title="Run correlation rules"
      lead="Correlation runs after each sync. This runs it now for accounts without an owner assigned by a person."
      verb={system ? "Run in this system" : "Run in all systems"}
      act={async () => {
        const r = await ask<Of<"CorrelationRun">>("POST", "/accounts/correlation/run", {
          body: system ? { connector_id: system } : {},
          key,
        });
        showToast(`${count(r.counts.gains, "account has an owner", "accounts have an owner")} now, ${number(r.counts.disputed)} disputed.`);
        await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/accounts") });
      }}
    >
      <SelectField
        label="System"
        value={system}
        set={setSystem}
        none="all systems"
        options={[...names].map(([id, n]) => [id, n] as const)}
      />
      {system ? (
        <DryRun of={tried}>
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
                {t.counts.looked_at === 0 && <li>No accounts to correlate.</li>}
              </ul>
              <Samples title="Gain an owner" of={t.gains ?? []} />
              <Samples title="Change owner" of={t.changed_owners ?? []} />
              <Samples title="Lose their owner" of={t.losses ?? []} />
              <Samples title="Become disputed" of={t.disputed ?? []} />
            </>
          )}
        </DryRun>
      ) : (
        <Note>Select a system to preview its correlation rules.</Note>
      )}
      {system && (
        <p className="small">
          <Link to="/connectors/$id/$tab" params={{ id: system, tab: "settings" }} className="person-link">
            Correlation rules are in the settings of the connector
          </Link>
        </p>
      )}
    </AskFirst>
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
            {s.from && (
              <>
                {" "}
                from <bdi>{s.from.display}</bdi>
              </>
            )}
            {s.to && (
              <>
                {" "}
                to <bdi>{s.to.display}</bdi>, {confidenceText(s.score)}
              </>
            )}
            {!s.to && (s.candidates ?? []).length > 0 && `: ${count((s.candidates ?? []).length, "candidate")}`}
          </li>
        ))}
      </ul>
      {of.length > 10 && !all && (
        <Button reads tone="quiet" onClick={() => setAll(true)}>
          Show all {of.length}
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
    <AskFirst
      open
      close={close}
      title="Match by one field"
      lead="For uncorrelated and disputed accounts: the person with the same value becomes the owner."
      verb="Assign owners"
      disabled={!reason.trim()}
      act={async () => {
        const r = await ask<Of<"BulkLinked">>("POST", "/accounts/bulk-link", { body: { ...body, reason }, key });
        await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/accounts") });
        tell(r);
      }}
    >
      <SelectField
        label="System"
        value={system}
        set={setSystem}
        none="all systems"
        options={[...names].map(([id, n]) => [id, n] as const)}
      />
      <SelectField
        label="Field"
        value={field}
        set={setField}
        options={[
          ["employee_number", "employee number"],
          ["email", "e-mail address"],
          ["username", "login"],
          ["external_id", "owner ID in the system"],
        ]}
      />
      <TextField label="Reason" value={reason} set={setReason} max={1000} required />
      <LinkTry body={body} names={new Map()} />
    </AskFirst>
  );
}
