import * as text from "#text/roles";
import "../../kit/diff.css";
import { displayValue } from "../../kit/difftext";
import { type Change, nameOf } from "./model";
import { AccessName, PersonName, RoleName } from "./names";

/** What is different in a role: + what comes, − what goes, each by its name. */
export function Changes({ of, none = text.noDifferences }: { of: Change[]; none?: string }) {
  if (of.length === 0) return <p className="small muted">{none}</p>;
  return (
    <dl className="diff small roles-diff">
      {of.map((c) => (
        <div key={c.field}>
          <dt>{nameOf(c.field)}</dt>
          {c.added || c.removed ? (
            <>
              {(c.removed ?? []).map((v) => (
                <Line key={`-${JSON.stringify(v)}`} sign="−" field={c.field} of={v} />
              ))}
              {(c.added ?? []).map((v) => (
                <Line key={`+${JSON.stringify(v)}`} sign="+" field={c.field} of={v} />
              ))}
            </>
          ) : (
            <>
              {displayValue(c.before) !== undefined && <Line sign="−" field={c.field} of={c.before} />}
              {displayValue(c.after) !== undefined && <Line sign="+" field={c.field} of={c.after} />}
            </>
          )}
        </div>
      ))}
    </dl>
  );
}

function Line({ sign, field, of }: { sign: "+" | "−"; field: string; of: unknown }) {
  return (
    <dd className={sign === "+" ? "came" : "gone"}>
      <span aria-hidden>{sign} </span>
      <span className="sr">{sign === "+" ? text.comes : text.goes} </span>
      <Value field={field} of={of} />
    </dd>
  );
}

function Value({ field, of }: { field: string; of: unknown }) {
  const id = typeof of === "string" ? of : undefined;
  if (id && field === "entitlement_ids") return <AccessName id={id} />;
  if (id && field === "child_role_ids") return <RoleName id={id} />;
  if (id && (field === "owner_ids" || field === "backup_owner_ids")) return <PersonName id={id} />;
  const who = (of as { identity_id?: string; reason?: string } | null)?.identity_id;
  if (who && field === "membership_exclusions")
    return (
      <>
        <PersonName id={who} />: <bdi>{(of as { reason?: string }).reason}</bdi>
      </>
    );
  return <bdi>{displayValue(of)}</bdi>;
}
