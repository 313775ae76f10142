import * as text from "#text/people";
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
  reasons: [text.reasonForAccess, text.reasonsForAccess],
  owned_entitlements: [text.ownedEntitlement, text.ownedEntitlementsLower],
  owned_roles: [text.ownedRole, text.ownedRoles],
  reports: [text.directReport, text.directReportsLower],
  sponsored: [text.sponsoredPersonOrMachine, text.sponsoredPeopleAndMachinesLower],
};

const names: Record<string, string> = { last_working_at: text.lastDay, status: text.state, urgent: text.immediate };

/** What would follow from moving somebody from one state to another. */
export function Impact({ of }: { of: Of<"Impact"> | undefined }) {
  if (!of) return null;
  const hangs = Object.entries(of.affects ?? {}).filter(([, n]) => n > 0);
  const changes = (of.changes ?? []).filter((c) => c.field !== "status_reason");
  return (
    <>
      {hangs.length > 0 && <p className="small">{text.dependsOnThisPersonHangs(hangs.map(([kind, n]) => counted(kind, n)).join(", "))}</p>}
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
