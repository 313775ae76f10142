import * as text from "#text/separation";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import type { Column } from "../../kit/list";
import { State } from "../../kit/state";
import { Mode, Severity } from "./badges";
import { kindWords, modeWords, severityWords } from "./words";

type Policy = Of<"SeparationPolicy"> & { stats?: { open: number } };

const sidesOf = (p: Policy) => (p.sides ?? []).map((s) => s.label).join(", ");

/** The columns of a list of separation-of-duties policies. */
export const policyColumns: Column<Policy>[] = [
  {
    title: text.policy,
    sort: "name",
    text: (p) => p.name,
    cell: (p) => (
      <Link to="/separation-of-duties/$id" params={{ id: p.id }}>
        <Text of={p.name ?? ""} />
      </Link>
    ),
  },
  { title: text.kind, text: (p) => kindWords(p.kind ?? ""), cell: (p) => kindWords(p.kind ?? "") },
  { title: text.sides, wide: true, text: sidesOf, cell: (p) => <Text of={sidesOf(p)} /> },
  {
    title: text.severity,
    sort: "severity",
    text: (p) => severityWords(p.severity ?? ""),
    cell: (p) => <Severity of={p.severity ?? ""} />,
  },
  {
    title: text.mode,
    text: (p) => (p.enabled ? modeWords(p.mode ?? "") : text.offLower),
    cell: (p) => (
      <>
        {p.enabled ? <Mode of={p.mode ?? ""} /> : <State of="disabled" words={text.offLower} />}{" "}
        {p.blind && <State of="blind" tone="warn" words={text.blindLower} />}
      </>
    ),
  },
  {
    title: text.openViolations,
    number: true,
    shown: (rows) => rows.some((p) => p.stats),
    text: (p) => p.stats?.open,
    cell: (p) => number(p.stats?.open),
  },
];
