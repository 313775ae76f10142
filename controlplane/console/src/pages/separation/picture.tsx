import * as text from "#text/separation";
import "./separation.css";
import { Table } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { Named } from "../policies/manypick";
import { Arcs, labelOf, partnersOf, type Shape } from "./arcs";

type Side = { label?: string | undefined; duty_ids: string[] };

/** Which sides of a policy conflict: as a picture, and as a table that says the same. blind: positions of sides that no person can perform. */
export function ConflictPicture({ of, sides, blind }: { of: Omit<Shape, "sides">; sides: Side[]; blind: number[] }) {
  const s: Shape = { ...of, sides };
  const title = partnersOf(s, 0).words;
  return (
    <div className="stack">
      <Arcs of={s} />
      <Table label={text.conflictsBetweenSides}>
        <thead>
          <tr>
            <th scope="col">{text.side}</th>
            <th scope="col">{text.dutiesOfTheSide}</th>
            <th scope="col">{s.kind === "companion" ? text.requires : title}</th>
          </tr>
        </thead>
        <tbody>
          {sides.map((side, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sides are told apart by their positions
            <tr key={i}>
              <td className="wide">
                <bdi>{labelOf(s, i)}</bdi> {blind.includes(i) && <State of="blind" tone="warn" words={text.blindSide} />}
              </td>
              <td className="wide">
                <ul>
                  {side.duty_ids.map((id) => (
                    <li key={id}>
                      <Link className="sep-link" to="/separation-of-duties/duties/$id" params={{ id }}>
                        <Named kind="duties" id={id} />
                      </Link>
                    </li>
                  ))}
                </ul>
              </td>
              <td className="wide">
                {s.kind === "companion" && i > 0 ? "" : <bdi>{partnersOf(s, i).of.join(", ") || text.nothingElse}</bdi>}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}
