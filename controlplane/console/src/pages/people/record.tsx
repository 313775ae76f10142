import { Pin } from "lucide-react";
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
function told(p: IdentityDetail, field: string): unknown {
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
    done: "Unpinned.",
    changes: ["/identities"],
  });
  return (
    <Dialog side open={open} close={close} title="All fields and sources" lead="Each field with the source of its value.">
      <Facts
        of={[
          ["ID", <Id key="id" of={p.id} />],
          ["ID in the source", <bdi key="x">{p.external_id}</bdi>],
          ["Last sync", p.last_synced_at && <When at={p.last_synced_at} />],
          ["First synced", <When key="c" at={p.created_at} />],
        ]}
      />
      {pinned.length > 1 && may.admin && (
        <div className="row">
          <Button disabled={unpin.isPending} onClick={() => unpin.mutate(pinned)}>
            Unpin all {pinned.length}
          </Button>
        </div>
      )}
      <Table label="Fields and their sources">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {sources.map(([field, s]) => (
            <tr key={field}>
              <td>{wordsOf(field)}</td>
              <td className="wide">
                <bdi>{(isManager(field) && manager) || (displayValue(told(p, field)) ?? <span className="faint">–</span>)}</bdi>
                <Pinned of={s} />
              </td>
              <td>
                <From of={sourceOf(p, field, s)} />
                {s.pinned && may.admin && (
                  <Button
                    tone="quiet"
                    disabled={unpin.isPending}
                    aria-label={`Unpin ${wordsOf(field)}`}
                    onClick={() => unpin.mutate([field])}
                  >
                    Unpin
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
  if (of.connector_id) return systemOf(of, names) ? <System of={of} names={names} /> : <span>A source system</span>;
  if (of.kind === "import") return <span>Import</span>;
  return <span className="faint">Not recorded</span>;
}

function Pinned({ of }: { of: Source }) {
  if (!of.pinned) return null;
  const says = displayValue(of.source_value);
  return (
    <small className="muted person-pin">
      <Pin aria-hidden size={12} /> pinned
      {of.pinned_until ? ` until ${of.pinned_until.slice(0, 10)}` : of.until_source_changes ? " until the source changes" : ""}
      {says && (
        <>
          ; source value: <bdi>{says}</bdi>
        </>
      )}
    </small>
  );
}
