import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { count, number } from "../../kit/count";
import { AskFirst } from "../../kit/dialog";
import { SelectField, TextField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { Menu } from "../../kit/menu";
import { say } from "../../kit/toast";
import { Tried } from "../../kit/tryfirst";
import { useSystems } from "../../kit/systems";
import { LinkTry } from "./linktry";
import { Told } from "./told";
import { sureness } from "./words";

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
          { words: "By the rules of a system", act: () => setDoing("run") },
          { words: "By one field, for all without an owner", act: () => setDoing("field") },
        ]}
      />
      {doing === "run" && <ByRules close={close} />}
      {doing === "field" && <ByField close={close} tell={setTold} />}
      {told && <Told of={told} close={() => setTold(undefined)} />}
    </>
  );
}

const counted: [keyof Of<"CorrelationCounts">, string][] = [
  ["gains", "get an owner"],
  ["changed_owners", "get another owner"],
  ["losses", "lose their owner"],
  ["disputed", "have to be decided by people"],
  ["withdrawn", "have nobody left to choose from"],
  ["unchanged", "stay as they are"],
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
      title="Find owners by the rules"
      lead="Rules look by themselves after each reading. This looks now, at accounts whose owner no person has named."
      verb={system ? "Look now in this system" : "Look now in all systems"}
      act={async () => {
        const r = await ask<Of<"CorrelationRun">>("POST", "/accounts/correlation/run", {
          body: system ? { connector_id: system } : {},
          key,
        });
        say(`${count(r.counts.gains, "account has an owner", "accounts have an owner")} now, ${number(r.counts.disputed)} to be decided.`);
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
        <Tried of={tried}>
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
                {t.counts.looked_at === 0 && <li>There is no account to look at.</li>}
              </ul>
              <Samples title="Would get an owner" of={t.gains ?? []} />
              <Samples title="Would get another owner" of={t.changed_owners ?? []} />
              <Samples title="Would lose their owner" of={t.losses ?? []} />
              <Samples title="Would have to be decided" of={t.disputed ?? []} />
            </>
          )}
        </Tried>
      ) : (
        <Note>Choose a system to see first what its rules would do.</Note>
      )}
      {system && (
        <p className="small">
          <Link to="/connectors/$id/$tab" params={{ id: system, tab: "settings" }} className="person-link">
            The rules stand in the settings of the system
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
                to <bdi>{s.to.display}</bdi>, {sureness(s.score)}
              </>
            )}
            {!s.to && (s.candidates ?? []).length > 0 && `: ${count((s.candidates ?? []).length, "possible owner")}`}
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
      title="Name owners by one field"
      lead="For all accounts without an owner or with several possible ones: the owner is whoever has the same value."
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
          ["external_id", "id of the owner, as the system names it"],
        ]}
      />
      <TextField label="Reason" value={reason} set={setReason} max={1000} required />
      <LinkTry body={body} names={new Map()} />
    </AskFirst>
  );
}
