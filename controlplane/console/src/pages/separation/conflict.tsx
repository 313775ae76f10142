import * as text from "#text/separation";
import "./separation.css";
import { useState } from "react";
import type { Of } from "../../api/types";
import { useMay } from "../../api/use";
import { Badge, Button, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { inSystem } from "../../kit/pick";
import { type Conflict, sourceWords } from "./words";

type Side = Of<"ConflictSide">;
type Access = Of<"ConflictAccess">;

const most = 5;

/** The sides of a conflict beside each other, each with the access that performs it and the way by which the person has it. */
export function ConflictSides({ of: c, partial }: { of: Conflict; partial?: boolean }) {
  return (
    <ul className="conflict-sides" aria-label={text.sides}>
      {c.sides.map((s) => (
        <li key={s.label} className="conflict-side">
          <ConflictSide of={s} partial={partial ?? false} />
        </li>
      ))}
    </ul>
  );
}

function ConflictSide({ of: s, partial }: { of: Side; partial: boolean }) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? s.access : s.access.slice(0, most);
  const duties = s.duties.filter((d) => d !== s.label);
  return (
    <>
      <h3>
        <Text of={s.label} /> {s.past && <Badge>{text.sideByPastAccess}</Badge>}
      </h3>
      {duties.length > 0 && (
        <p className="small muted" dir="auto">
          {text.dutiesList(duties)}
        </p>
      )}
      {s.access.length === 0 ? (
        <p className="small muted">{partial ? text.noAccessOfYours : text.noAccessOnThisSide}</p>
      ) : (
        <ul className="stack tight">
          {shown.map((a) => (
            <li key={`${a.entitlement.id} ${a.source?.id ?? ""}`}>
              <AccessLine of={a} />
            </li>
          ))}
        </ul>
      )}
      {s.access.length > shown.length && (
        <Button reads tone="quiet" onClick={() => setWhole(true)}>
          {text.moreAccess(s.access.length - shown.length)}
        </Button>
      )}
    </>
  );
}

/** One entitlement that performs a side, with the path to it and what gives it. */
function AccessLine({ of: a }: { of: Access }) {
  const way = a.path.slice(0, -1);
  return (
    <>
      <EntitlementName of={a.entitlement} /> {a.pending && <Badge tone="info">{text.pendingLower}</Badge>}
      <span className="small muted conflict-way">
        {way.length > 0 && text.through(<bdi>{way.map((e) => e.name).join(" → ")}</bdi>)}{" "}
        {a.source && a.source.kind !== "grant" && text.sourceOf(sourceWords(a.source), <bdi>{a.source.name}</bdi>)}{" "}
        {a.since && text.sinceAt(<When at={a.since} />)}
      </span>
    </>
  );
}

function EntitlementName({ of: e }: { of: Of<"ConflictEntitlement"> }) {
  const may = useMay();
  const name = inSystem(e.name, e.connector_name || undefined);
  if (!may.oversees && !may.owner) return <bdi>{name}</bdi>;
  return (
    <Link className="sep-link" to="/access/$id" params={{ id: e.id }}>
      <bdi>{name}</bdi>
    </Link>
  );
}
