import * as text from "#text/packs";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { durationText } from "../../kit/duration";
import { Facts, Failure, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { kindWords, type Pack, reasonWords, waitsFor } from "./words";

type Row = Of<"InstalledObject"> & { id: string };

const states = [
  ["installed", text.installedLower],
  ["pending_binding", text.waitingForASystemLower],
  ["conflict", text.inConflictLower],
  ["skipped", text.left],
  ["leaving", text.leaving],
] as const;

const stateWords = (of: string) => states.find(([s]) => s === of)?.[1] ?? of;

const columns: Column<Row>[] = [
  { title: text.kind, cell: (o) => kindWords(o.kind), text: (o) => o.kind },
  { title: text.name, cell: (o) => <Name of={o} />, text: (o) => nameOf(o) },
  {
    title: text.state,
    cell: (o) => (
      <State of={o.state} tone={o.state === "installed" ? "ok" : o.state === "skipped" ? "neutral" : "warn"} words={stateWords(o.state)} />
    ),
    text: (o) => o.state,
  },
  {
    title: text.asInThePack,
    wide: true,
    cell: asInThePack,
    text: (o) => o.pristine,
  },
  {
    title: text.waitingFor,
    wide: true,
    cell: (o) => (
      <span className="small muted">
        {o.pending.map(waitsFor).join("; ")} {reasonWords(o.reason)}
      </span>
    ),
    text: (o) => o.pending.map(waitsFor).join("; "),
  },
];

/** Whether an object is as the pack has it; what differs is named, and nothing is said to be changed that was not. */
function asInThePack(o: Row): string {
  if (o.adopted) return text.existedBefore;
  if (o.pristine) return text.yes;
  if (o.reason === "removed_by_tenant" || o.changed.includes("removed")) return text.noDeletedHere;
  return text.noDifferentChanged(o.changed.map((field) => field.replaceAll("_", " ")).join(", "));
}

/** What a pack has brought, and how it stands. */
export function Objects({ of: p }: { of: Pack }) {
  const found = useGet<Of<"PackInstallation">>(`/sector-packs/${p.key}/installation`);
  if (found.isPending) return <Skeleton rows={6} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const i = found.data;
  const by = i.installed_by as { display?: string } | null;
  return (
    <>
      <section className="card padded" aria-label={text.installation}>
        <Facts
          of={[
            [text.version, i.version],
            [text.installed, <When key="i" at={i.installed_at} />],
            [text.by, by?.display],
            [text.previousVersion, i.previous_version],
            ...Object.entries(i.parameters).map(([k, v]): [string, string] => [
              k.replaceAll("_", " "),
              Array.isArray(v) ? v.join(", ") : inWords(p, k, v),
            ]),
          ]}
        />
      </section>
      <List<Row>
        path={`/sector-packs/${p.key}/objects`}
        idOf={(o) => `${o.kind} ${o.object_key}`}
        columns={columns}
        views={[
          { name: text.all, query: {} },
          { name: text.waitingForASystem, query: { state: "pending_binding" } },
          { name: text.inConflict, query: { state: "conflict" } },
        ]}
        filters={[
          { name: "kind", words: text.kind, options: Object.keys(p.contents).map((k) => [k, kindWords(k)] as const) },
          { name: "state", words: text.state, options: states },
        ]}
        csv={`${p.key}-objects`}
        label={text.objectsOfThePack}
        empty={{ title: text.noObjects, words: text.objectsAreListedHereAfterThe }}
      />
    </>
  );
}

const addresses: Record<string, string> = {
  role: "/roles/$id",
  birthright: "/policies/$id",
  access_grant_policy: "/policies/$id",
  approval_rule: "/settings/approval-rules/$id",
  duty_tag: "/separation-of-duties/duties/$id",
  role_duty: "/separation-of-duties/duties/$id",
  sod_policy: "/separation-of-duties/$id",
  mitigation_policy: "/separation-of-duties/controls/$id",
};

/** What has a page of its own leads to it. */
function Name({ of: o }: { of: Row }) {
  const name = <Text of={nameOf(o)} />;
  const to = addresses[o.kind];
  if (!o.object_id || !to) return name;
  return (
    <Link to={to} params={{ id: o.object_id }}>
      {name}
    </Link>
  );
}

function nameOf(o: Row): string {
  const content = o.content as { name?: string } | string | null;
  return (content && typeof content === "object" && content.name) || o.object_key;
}

/** The value of a parameter; lengths of time in words. */
function inWords(p: Pack, key: string, value: unknown): string {
  const duration = p.parameters.find((x) => x.key === key)?.type === "duration";
  if (!duration) return String(value);
  return value === "P0D" ? text.atOnce : durationText(String(value));
}
