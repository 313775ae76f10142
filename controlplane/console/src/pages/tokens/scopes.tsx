import * as texts from "#text/tokens";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Failure, Skeleton } from "../../kit/kit";

type Scope = Of<"TokenScope">;

/** What a token may be used for: reading and changing, area by area. What opens nothing yet is left out. */
export function Scopes({ value, set, error }: { value: string[]; set: (v: string[]) => void; error?: string | undefined }) {
  const scopes = useGet<Of<"ListTokenScope">>("/settings/api-tokens/scopes");
  if (scopes.isPending) return <Skeleton rows={8} />;
  if (scopes.isError) return <Failure error={scopes.error} retry={() => void scopes.refetch()} />;
  const open = scopes.data.items.filter((s) => s.operations.length > 0);
  const areas = [...new Set(open.map((s) => area(s)))];
  const toggle = (s: string, on: boolean) => set(on ? [...value, s] : value.filter((v) => v !== s));
  return (
    <fieldset className="checks token-scopes">
      <legend>{texts.scopes}</legend>
      {error && (
        <small className="bad" role="alert">
          {error}
        </small>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.resource}</th>
            <th scope="col">{texts.read}</th>
            <th scope="col">{texts.write}</th>
          </tr>
        </thead>
        <tbody>
          {areas.map((a) => (
            <tr key={a}>
              <th scope="row">{words(open.find((s) => area(s) === a))}</th>
              {["read", "write"].map((way) => {
                const scope = open.find((s) => s.scope === `${a}:${way}`);
                return (
                  <td key={way}>
                    {scope && (
                      <input
                        type="checkbox"
                        aria-label={scope.description}
                        title={`${scope.scope}: ${texts.operations(scope.operations.length)}`}
                        checked={value.includes(scope.scope)}
                        onChange={(e) => toggle(scope.scope, e.target.checked)}
                      />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}

const area = (s: Scope) => s.scope.slice(0, s.scope.lastIndexOf(":"));

function words(s: Scope | undefined): string {
  const text = s?.description.replace(/^(Read|Change) /, "") ?? "";
  return `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
}
