import { Pin } from "lucide-react";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { IdentityDetail, Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { displayValue } from "../../kit/difftext";
import { Id } from "../../kit/elements";
import { Button, Facts, Table, When } from "../../kit/kit";
import { System, systemOf, useSystems } from "../../kit/systems";
import { isManager, sourceOf, wordsOf } from "./fields";

type Source = Of<"AttributeSource">;

/** The value of a field by the name that attribute_sources gives it. */
function fieldValue(p: IdentityDetail, field: string): unknown {
  const own = field.startsWith("attributes.") ? (p.attributes as Record<string, unknown> | undefined)?.[field.slice(11)] : undefined;
  return own ?? (p as unknown as Record<string, unknown>)[field];
}

/** The manager with the id that the source gives them. Without a name they are nobody whom the viewer sees. */
function managerOf(p: IdentityDetail): string | undefined {
  const name = p.manager?.display;
  return name ? [name, p.manager_external_id && `(${p.manager_external_id})`].filter(Boolean).join(" ") : undefined;
}

/** Every field of a record, and which source says it. What is pinned can be given back. */
export function Record({ of: p, open, close }: { of: IdentityDetail; open: boolean; close: () => void }) {
  const may = useMay();
  const manager = managerOf(p);
  const sources = Object.entries(p.attribute_sources ?? {}).sort(([a], [b]) => a.localeCompare(b));
  const pinned = sources.filter(([, s]) => s.pinned).map(([f]) => f);
  const unpin = useAct<string[]>({
    act: (fields, key) => ask("POST", `/identities/${p.id}/unpin`, { body: { fields }, key, ifMatch: p.version }),
    done: text.unpinned,
    changes: ["/identities"],
  });
  return (
    <Dialog side open={open} close={close} title={text.allFieldsAndSources} lead={text.eachFieldWithTheSourceOf}>
      <Facts
        of={[
          [text.id, <Id key="id" of={p.id} />],
          [text.idInTheSource, <bdi key="x">{p.external_id}</bdi>],
          [text.lastSync, p.last_synced_at && <When at={p.last_synced_at} />],
          [text.firstSynced, <When key="c" at={p.created_at} />],
        ]}
      />
      {pinned.length > 1 && may.admin && (
        <div className="row">
          <Button disabled={unpin.isPending} onClick={() => unpin.mutate(pinned)}>
            {text.unpinAllCount(pinned.length)}
          </Button>
        </div>
      )}
      <Table label={text.fieldsAndTheirSources}>
        <thead>
          <tr>
            <th scope="col">{text.field}</th>
            <th scope="col">{text.value}</th>
            <th scope="col">{text.source}</th>
          </tr>
        </thead>
        <tbody>
          {sources.map(([field, s]) => (
            <tr key={field}>
              <td>{wordsOf(field)}</td>
              <td className="wide">
                <bdi>{(isManager(field) && manager) || (displayValue(fieldValue(p, field)) ?? <span className="faint">–</span>)}</bdi>
                <Pinned of={s} />
              </td>
              <td>
                <From of={sourceOf(p, field, s)} />
                {s.pinned && may.admin && (
                  <Button
                    tone="quiet"
                    disabled={unpin.isPending}
                    aria-label={text.unpinWordsOf(wordsOf(field))}
                    onClick={() => unpin.mutate([field])}
                  >
                    {text.unpin}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Dialog>
  );
}

/** Names the user or the system that a value comes from. Without either its source is not recorded: nobody is made its author. */
function From({ of }: { of: Source }) {
  const names = useSystems();
  if (of.pinned_by) return <bdi>{of.pinned_by.display}</bdi>;
  if (of.connector_id) return systemOf(of, names) ? <System of={of} names={names} /> : <span>{text.aSourceSystem}</span>;
  if (of.kind === "import") return <span>{text.importLabel}</span>;
  return <span className="faint">{text.notRecorded}</span>;
}

function Pinned({ of }: { of: Source }) {
  if (!of.pinned) return null;
  const says = displayValue(of.source_value);
  return (
    <small className="muted person-pin">
      <Pin aria-hidden size={12} />{" "}
      {of.pinned_until
        ? text.pinnedUntilPinnedUntil(of.pinned_until.slice(0, 10))
        : of.until_source_changes
          ? text.pinnedUntilTheSourceChanges
          : text.pinned}
      {says && <>{text.sourceValueSays(<bdi>{says}</bdi>)}</>}
    </small>
  );
}
