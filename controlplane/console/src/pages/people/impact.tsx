import type { Of } from "../../api/types";
import { dayOf } from "../../kit/day";
import { Differences } from "../../kit/diff";
import { Note } from "../../kit/kit";
import { wordsOf } from "./fields";
import { stateWords } from "./state";

/** What hangs on somebody: one of it, and several. */
const hanging: Record<string, [string, string]> = {
  accounts: ["account", "accounts"],
  grants: ["right", "rights"],
  reasons: ["reason for access", "reasons for access"],
  owned_entitlements: ["right that they own", "rights that they own"],
  owned_roles: ["role that they own", "roles that they own"],
  reports: ["person who reports to them", "people who report to them"],
  sponsored: ["person or machine whom they sponsor", "people and machines whom they sponsor"],
};

const names: Record<string, string> = { last_working_at: "Last day", status: "State", urgent: "At once" };

/** What would follow from moving somebody from one state to another. */
export function Impact({ of }: { of: Of<"Impact"> | undefined }) {
  if (!of) return null;
  const hangs = Object.entries(of.affects ?? {}).filter(([, n]) => n > 0);
  const changes = (of.changes ?? []).filter((c) => c.field !== "status_reason");
  return (
    <>
      {hangs.length > 0 && <p className="small">On them hang {hangs.map(([kind, n]) => counted(kind, n)).join(", ")}.</p>}
      <Differences
        of={changes.map((c) => ({ ...c, field: names[c.field] ?? wordsOf(c.field), from: said(c.field, c.from), to: said(c.field, c.to) }))}
      />
      {(of.warnings ?? []).map((w) => (
        <Note key={w} tone="warn">
          {w}
        </Note>
      ))}
    </>
  );
}

function counted(kind: string, n: number): string {
  const [one, several] = hanging[kind] ?? [kind, kind.replaceAll("_", " ")];
  return `${n.toLocaleString("en")} ${n === 1 ? one : several}`;
}

/** A value in the words of people: states as lists call them, moments as days. */
function said(field: string, v: unknown): unknown {
  if (field === "status") return stateWords(String(v));
  if (field === "last_working_at" && typeof v === "string") return dayOf(v);
  if (typeof v === "boolean") return v ? "yes" : "no";
  return v;
}
