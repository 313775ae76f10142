import * as text from "#text/packs";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Copy, Verbatim } from "../../kit/elements";
import { Facts, Failure, Skeleton } from "../../kit/kit";
import { State } from "../../kit/state";
import { kindWords, type Pack } from "./words";

type Item = Of<"PackContentObject">;

/** Everything in a pack, by kind. */
export function Contents({ of: p }: { of: Pack }) {
  const found = useGet<Of<"PackContent">>(`/sector-packs/${p.key}/versions/${p.version}`);
  const byKind = new Map<string, Item[]>();
  for (const o of found.data?.objects ?? []) byKind.set(o.kind, [...(byKind.get(o.kind) ?? []), o]);
  return (
    <>
      <section className="card padded" aria-label={text.detailsOfThePack}>
        <Facts
          of={[
            [text.key, <code key="k">{p.key}</code>],
            [text.sector, p.sector],
            [text.publisher, p.publisher],
            [text.version, p.version],
            [
              text.partOfThisVersion,
              p.source === "built_in" ? text.cameWithTheService : p.signature.verified ? text.verified : text.notVerified,
            ],
            [text.regulations, p.regulation_refs.join(", ")],
            [text.languages, p.languages.join(", ")],
            [text.recommendedWith, p.requires.connector_types.join(", ")],
            [
              text.checksum,
              <span key="c" className="row">
                <code>{p.checksum.slice(0, 16)}…</code>
                <Copy text={p.checksum} label={text.copyTheChecksum} />
              </span>,
            ],
          ]}
        />
      </section>
      {found.isPending ? (
        <Skeleton rows={6} />
      ) : found.isError ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : (
        [...byKind].map(([kind, items]) => (
          <section key={kind} className="stack tight" aria-label={kindWords(kind, 2)}>
            <h2>
              {items.length} {kindWords(kind, items.length)}{" "}
              {items.some((o) => !o.supported) && <State of="waiting" tone="neutral" words={text.keptForLater} />}
            </h2>
            {items.map((o) => (
              <details key={o.object_key} className="card padded">
                <summary data-reads="">
                  <strong dir="auto">{nameOf(o)}</strong> <code className="faint small">{o.object_key}</code>
                </summary>
                <Verbatim label={nameOf(o)} copy>
                  {typeof o.content === "string" ? o.content : JSON.stringify(o.content, null, 2)}
                </Verbatim>
              </details>
            ))}
          </section>
        ))
      )}
    </>
  );
}

/** How an object of a pack is called. */
function nameOf(o: Item): string {
  const content = o.content as { name?: string } | string | null;
  return (content && typeof content === "object" && content.name) || o.object_key;
}
