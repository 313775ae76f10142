import * as text from "#text/separation";
import "./separation.css";
import { FieldError } from "../../kit/form";
import { labelOf, type Shape } from "./arcs";

/** Which pairs of sides conflict, as a grid of boxes: a row for each side but the first, a column for each but the last. */
export function MatrixGrid({ of: s, set, error }: { of: Shape; set: (conflicts: number[][]) => void; error?: string | undefined }) {
  const has = (a: number, b: number) => s.conflicts.some(([x, y]) => x === a && y === b);
  const turn = (a: number, b: number) =>
    set(
      has(a, b)
        ? s.conflicts.filter(([x, y]) => x !== a || y !== b)
        : [...s.conflicts, [a, b]].sort(([a1 = 0, b1 = 0], [a2 = 0, b2 = 0]) => a1 - a2 || b1 - b2),
    );
  return (
    <fieldset className="checks">
      <legend>{text.conflictsOfTheMatrix}</legend>
      <p className="small muted">{text.conflictsOfTheMatrixHint}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached */}
      <section className="matrix-grid" aria-label={text.conflictsOfTheMatrix} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.side}</th>
              {s.sides.slice(0, -1).map((_, c) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: sides are told apart by their positions
                <th key={c} scope="col" title={labelOf(s, c)}>
                  {c + 1}
                  <span className="sr"> {labelOf(s, c)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {s.sides.map((_, r) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: sides are told apart by their positions
              <tr key={r}>
                <th scope="row">
                  {r + 1}. <bdi>{labelOf(s, r)}</bdi>
                </th>
                {s.sides.slice(0, -1).map((__, c) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: sides are told apart by their positions
                  <td key={c}>
                    {c < r && (
                      <input
                        type="checkbox"
                        aria-label={text.aConflictsWithB(labelOf(s, c), labelOf(s, r))}
                        checked={has(c, r)}
                        onChange={() => turn(c, r)}
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <FieldError of={error} />
    </fieldset>
  );
}
