import { useSearch } from "@tanstack/react-router";
import * as text from "#text/roles";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Failure, Part, Skeleton, Table, When } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Changes } from "./changes";
import type { Role } from "./model";

type Version = Of<"RoleVersion">;

/** What a role has said and who changed it; any two of its versions beside each other. */
export default function Versions({ role }: { role: Role }) {
  const search = useSearch({ strict: false }) as { from?: string; to?: string };
  const navigate = useGo();
  const list = useGet<Page<Version>>(`/entitlements/roles/${role.id}/versions`, { limit: 500 });
  if (list.error) return <Failure error={list.error} retry={() => void list.refetch()} />;
  if (!list.data) return <Skeleton rows={4} />;
  const all = [...list.data.items].sort((a, b) => b.version - a.version);
  const newest = all[0]?.version ?? 1;
  const to = Number(search.to ?? newest);
  const from = Number(search.from ?? Math.max(1, to - 1));
  const go = (change: { from?: number; to?: number }) =>
    void navigate({ to: ".", search: { from: String(change.from ?? from), to: String(change.to ?? to) }, resetScroll: false });
  return (
    <div className="stack">
      <Table label={text.versionsOfTheRole}>
        <thead>
          <tr>
            <th scope="col">{text.from}</th>
            <th scope="col">{text.to}</th>
            <th scope="col" className="num">
              {text.version}
            </th>
            <th scope="col">{text.date}</th>
            <th scope="col">{text.author}</th>
          </tr>
        </thead>
        <tbody>
          {all.map((v) => (
            <tr key={v.version}>
              <Choice
                name="from"
                words={text.compareFromVersionVersion(v.version)}
                on={from === v.version}
                choose={() => go({ from: v.version })}
              />
              <Choice
                name="to"
                words={text.compareWithVersionVersion(v.version)}
                on={to === v.version}
                choose={() => go({ to: v.version })}
              />
              <td className="num">{v.version}</td>
              <td>
                <When at={v.changed_at} />
              </td>
              <td>
                <bdi>{String((v.changed_by as { display?: unknown }).display ?? text.theService)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {from !== to && <VersionDifferences role={role} from={from} to={to} />}
    </div>
  );
}

/** One end of the comparison, in the row of a version. */
function Choice({ name, words, on, choose }: { name: "from" | "to"; words: string; on: boolean; choose: () => void }) {
  return (
    <td>
      <input type="radio" name={name} data-reads="" aria-label={words} checked={on} onChange={choose} />
    </td>
  );
}

function VersionDifferences({ role, from, to }: { role: Role; from: number; to: number }) {
  const diff = useGet<Of<"RoleDiff">>(`/entitlements/roles/${role.id}/diff`, { from, to });
  return (
    <Part title={text.versionFromComparedWithTo(from, to)}>
      {diff.error ? <Failure error={diff.error} /> : diff.data ? <Changes of={diff.data.changes} /> : <Skeleton rows={2} />}
    </Part>
  );
}
