import * as text from "#text/roles";
import "./roles.css";
import { useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useGet, useMay, useMe } from "../../api/use";
import { Tabs } from "../../kit/elements";
import { Button, Failure, Head, LoadingMarker, Note, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Risk, State } from "../../kit/state";
import { Contents } from "./contents";
import { Lifecycle } from "./lifecycle";
import { figuresInterval, type Role } from "./model";

const Members = lazy(() => import("./members"));
const DraftTab = lazy(() => import("./draft"));
const Versions = lazy(() => import("./versions"));
const Describe = lazy(() => import("./describe"));

/** One role: what is in it, who has it, its draft, and what it has said before. */
export default function RolePage() {
  const { id = "", tab } = useParams({ strict: false }) as { id?: string; tab?: string };
  const may = useMay();
  const me = useMe();
  const found = useGet<Role>(`/entitlements/roles/${id}`, {}, { every: () => figuresInterval(id) });
  useMembersOf(id, found.data?.member_count);
  const [describing, setDescribing] = useState(false);
  if (found.error && !found.data) return <Failure page error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Skeleton rows={6} />;
  const role = found.data;
  const own = me?.user?.identity_id;
  const owns = Boolean(own) && [...(role.owner_ids ?? []), ...(role.backup_owner_ids ?? [])].includes(own ?? "");
  const answers = owns && !may.admin && !may.readOnly;
  const tabs = [
    tab
      ? { words: text.contents, to: "/roles/$id/$tab", params: { id, tab: "contents" } }
      : { words: text.contents, to: "/roles/$id", params: { id } },
    { words: text.members, to: "/roles/$id/$tab", params: { id, tab: "members" }, count: role.member_count },
    ...(may.oversees ? [{ words: role.has_draft ? text.draftOpen : text.draft, to: "/roles/$id/$tab", params: { id, tab: "draft" } }] : []),
    { words: text.versions, to: "/roles/$id/$tab", params: { id, tab: "versions" }, count: role.version },
  ];
  return (
    <>
      <Head
        title={role.name}
        up={<Link to="/roles">{text.roles}</Link>}
        lead={
          <span className="row">
            <State of={role.lifecycle} words={role.lifecycle === "active" ? text.publishedLower : undefined} />
            <Risk of={role.effective_risk_level} />
            {role.has_draft && <State of="draft" words={text.hasAnUnpublishedDraft} />}
            <code className="small">{role.key}</code>
          </span>
        }
      >
        {may.admin && <Lifecycle role={role} />}
        {answers && describable(role) && <Button onClick={() => setDescribing(true)}>{text.editDescription}</Button>}
      </Head>
      {role.managed_by === "code" && <Note>{text.thisRoleIsManagedByA}</Note>}
      {role.lifecycle === "proposed" && <Note tone="warn">{text.approvalWasRequestedPublishedUnchanged}</Note>}
      <Tabs of={tabs as never} label={text.sectionsOfTheRole} />
      <Suspense fallback={<Skeleton rows={6} />}>
        {tab === "members" ? (
          <Members role={role} mayGive={may.admin || answers} />
        ) : tab === "draft" ? (
          <DraftTab key={`${role.id} ${role.version}`} role={role} />
        ) : tab === "versions" ? (
          <Versions role={role} />
        ) : (
          <Contents role={role} />
        )}
      </Suspense>
      <Suspense fallback={<LoadingMarker />}>{describing && <Describe role={role} close={() => setDescribing(false)} />}</Suspense>
    </>
  );
}

/** Reads the list of those who have a role again when their number changes, so that the list and the figures agree. */
function useMembersOf(id: string, count: number | undefined) {
  const queries = useQueryClient();
  const before = useRef(count);
  useEffect(() => {
    if (before.current !== undefined && count !== undefined && before.current !== count)
      void queries.invalidateQueries({ predicate: (q) => q.queryKey[0] === `/entitlements/roles/${id}/members` });
    before.current = count;
  }, [queries, id, count]);
}

/** A role of a file is changed there, one that waits for a decision stays as it is until then, and a retired one for good. */
const describable = (r: Role) => r.managed_by !== "code" && r.lifecycle !== "retired" && r.lifecycle !== "proposed";
