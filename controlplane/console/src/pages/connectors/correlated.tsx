import { Link } from "@tanstack/react-router";
import type { Of } from "../../api/types";
import { Note, Part, Table, Text } from "../../kit/kit";
import { many, n } from "./words";

type Preview = Of<"CorrelationPreview">;
type Sample = Of<"CorrelationSample">;

const kinds = [
  ["gains", "Gain an owner"],
  ["losses", "Lose their owner"],
  ["changed_owners", "Change owner"],
  ["disputed", "Become disputed"],
] as const;

/** What rules would do, with examples. Nothing is written. */
export function CorrelationResult({ of: p }: { of: Preview }) {
  return (
    <Part
      title="Preview of these rules"
      lead={`${many(p.counts.looked_at, "account")} evaluated, ${n(p.counts.unchanged)} unchanged. Nothing was saved.`}
    >
      {kinds.every(([k]) => p[k].length === 0) && <Note tone="ok">No changes.</Note>}
      {kinds
        .filter(([k]) => p[k].length > 0)
        .map(([k, words]) => (
          <div key={k} className="stack tight">
            <h3>
              {words}: {n(p.counts[k])}
            </h3>
            <Samples of={p[k]} label={words} />
          </div>
        ))}
    </Part>
  );
}

function Samples({ of, label }: { of: Sample[]; label: string }) {
  return (
    <Table label={label}>
      <thead>
        <tr>
          <th scope="col">Account</th>
          <th scope="col">Current owner</th>
          <th scope="col">New owner</th>
          <th scope="col" className="num">
            Score
          </th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {of.slice(0, 20).map((s) => (
          <tr key={s.account.id}>
            <td>
              <Link to={"/accounts/$id" as never} params={{ id: s.account.id } as never}>
                <Text of={s.account.display} />
              </Link>
            </td>
            <td>
              <Text of={s.from?.display} none="nobody" />
            </td>
            <td>
              <Text of={s.to?.display} none={s.candidates.length > 1 ? `one of ${s.candidates.length}` : "nobody"} />
            </td>
            <td className="num">{s.score.toFixed(2)}</td>
            <td className="connectors-tall">{s.candidates[0]?.explanation?.join("; ") || s.reason.replaceAll("_", " ")}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
