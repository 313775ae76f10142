import * as text from "#text/mappings";
import type { Of } from "../../api/types";
import { Note, Part, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { n } from "./words";

type Preview = Of<"CorrelationPreview">;
type Sample = Of<"CorrelationSample">;

const kinds = [
  ["gains", text.gainAnOwner],
  ["losses", text.loseTheirOwner],
  ["changed_owners", text.changeOwner],
  ["disputed", text.becomeDisputed],
] as const;

/** What rules would do, with examples. Nothing is written. */
export function CorrelationResult({ of: p }: { of: Preview }) {
  return (
    <Part title={text.previewOfTheseRules} lead={text.accountsEvaluatedNUnchangedNothingWas(p.counts.looked_at, n(p.counts.unchanged))}>
      {kinds.every(([k]) => p[k].length === 0) && <Note tone="ok">{text.noChangesSentence}</Note>}
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
          <th scope="col">{text.account}</th>
          <th scope="col">{text.currentOwner}</th>
          <th scope="col">{text.newOwner}</th>
          <th scope="col" className="num">
            {text.score}
          </th>
          <th scope="col">{text.reason}</th>
        </tr>
      </thead>
      <tbody>
        {of.slice(0, 20).map((s) => (
          <tr key={s.account.id}>
            <td>
              <Link to="/accounts/$id" params={{ id: s.account.id }}>
                <Text of={s.account.display} />
              </Link>
            </td>
            <td>
              <Text of={s.from?.display} none={text.nobody} />
            </td>
            <td>
              <Text of={s.to?.display} none={s.candidates.length > 1 ? text.oneOfCount(s.candidates.length) : text.nobody} />
            </td>
            <td className="num">{s.score.toFixed(2)}</td>
            <td className="connectors-cell">{s.candidates[0]?.explanation?.join("; ") || s.reason.replaceAll("_", " ")}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
