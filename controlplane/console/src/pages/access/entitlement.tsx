import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import * as text from "#text/access";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay, useMe } from "../../api/use";
import { durationText } from "../../kit/duration";
import { Tabs } from "../../kit/elements";
import { Badge, Button, Facts, Failure, Head, Note, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { Risk, State } from "../../kit/state";
import { System, systemOf, useSystems } from "../../kit/systems";
import { PersonById } from "../people/personbyid";
import { AssignDirectly } from "./assign";
import { Edit } from "./edit";
import { Holders } from "./holders";
import { Nesting } from "./nesting";
import { Owners } from "./owners";
import { Retire } from "./retire";
import { Usage } from "./usage";
import { mayDescribe, nameOf, purposeOf } from "./words";
import "../people/people.css";
import "./access.css";

type Detail = Of<"EntitlementDetail">;
const tabs = ["holders", "nesting", "usage"] as const;
type EntitlementAction = "edit" | "owners" | "give" | "retire";

export default function EntitlementPage() {
  const { id, tab } = useParams({ strict: false }) as { id: string; tab?: string };
  const [doing, setDoing] = useState<EntitlementAction>();
  const what = useGet<Detail>(`/entitlements/${id}`);
  const may = useMay();
  const me = useMe();
  if (what.isPending) return <Skeleton rows={5} />;
  if (what.isError) return <Failure page error={what.error} retry={() => void what.refetch()} />;
  const e = what.data;
  const describes = mayDescribe(e, may.admin, may.owner, me?.user?.identity_id);
  const open = tabs.find((t) => t === tab) ?? "holders";
  const close = () => setDoing(undefined);
  return (
    <>
      <AccessHead of={e} describes={describes} begin={setDoing} />
      <Remarks of={e} />
      <Described of={e} describes={describes} begin={setDoing} />
      <Tabs
        label={text.sectionsOfTheEntitlement}
        of={tabs.map((t) => ({
          words: t.charAt(0).toUpperCase() + t.slice(1),
          to: t === "holders" && !tab ? "/access/$id" : "/access/$id/$tab",
          params: { id, tab: t },
          count: t === "holders" ? e.effective_member_count : undefined,
        }))}
      />
      {open === "holders" && <Holders of={e} />}
      {open === "nesting" && <Nesting of={e} />}
      {open === "usage" && <Usage of={id} />}
      {doing === "edit" && <Edit of={e} close={close} />}
      {doing === "owners" && <Owners of={e} close={close} />}
      {doing === "give" && <AssignDirectly of={e} close={close} />}
      {doing === "retire" && <Retire of={e} close={close} />}
    </>
  );
}

type PartProps = { of: Detail; describes: boolean; begin: (what: EntitlementAction) => void };

function AccessHead({ of: e, describes, begin }: PartProps) {
  const may = useMay();
  const names = useSystems();
  const live = e.lifecycle !== "retired";
  return (
    <Head
      title={nameOf(e)}
      up={<Link to="/access">{text.accessCatalog}</Link>}
      lead={
        <span className="row">
          <Risk of={e.risk_level} />
          {e.privileged && <State of="privileged" tone="warn" />}
          {e.lifecycle !== "active" && (
            <State of={e.lifecycle} tone="warn" words={e.lifecycle === "retired" ? text.retiredLower : text.deprecated} />
          )}
          <span>{e.kind.replaceAll("_", " ")}</span>
          {systemOf(e, names) && <span>{text.inSystem(<System of={e} names={names} />)}</span>}
        </span>
      }
    >
      {e.requestable && live && !may.readOnly && (
        <Link to="/access/request" search={{ item: e.id }} className="button">
          {text.requestAccess}
        </Link>
      )}
      {describes && <Button onClick={() => begin("edit")}>{text.edit}</Button>}
      {may.admin && (
        <Menu
          words={text.actions}
          of={[
            { words: text.setOwners, act: () => begin("owners") },
            live && e.grantable && { words: text.assign, act: () => begin("give") },
            live && { words: text.retire, act: () => begin("retire"), danger: true },
          ]}
        />
      )}
    </Head>
  );
}

function Remarks({ of: e }: { of: Detail }) {
  return (
    <>
      {e.missing_since && <Note tone="warn">{text.notFoundByTheLatestSyncs(<When at={e.missing_since} />)}</Note>}
      {e.replacement_id && (
        <Note>
          {text.replacementReplacement(
            <Link to="/access/$id" params={{ id: e.replacement_id }} className="person-link">
              <Other id={e.replacement_id} />
            </Link>,
          )}
        </Note>
      )}
    </>
  );
}

function Other({ id }: { id: string }) {
  const other = useGet<Detail>(`/entitlements/${id}`);
  return <bdi>{other.data ? nameOf(other.data) : id}</bdi>;
}

/** What it is, who owns it, and how it may be had. */
function Described({ of: e, describes, begin }: PartProps) {
  const may = useMay();
  return (
    <section className="card padded stack" aria-label={text.details}>
      <p dir="auto">{purposeOf(e) ?? <span className="faint">{text.noDescriptionYet}</span>}</p>
      {(e.permission_summary ?? []).length > 0 && (
        <ul className="access-points">
          {(e.permission_summary ?? []).map((p) => (
            <li key={p} dir="auto">
              {p}
            </li>
          ))}
        </ul>
      )}
      <Facts of={facts(e)} />
      <div className="row between">
        <div className="row">
          {(e.owner_ids ?? []).length === 0 ? (
            <>
              <State of="none" tone="warn" words={text.noOwner} />
              {may.admin && <Button onClick={() => begin("owners")}>{text.assignAnOwner}</Button>}
            </>
          ) : (
            <span>
              <span className="muted">{text.ownersColon} </span>
              {(e.owner_ids ?? []).map((o, i) => (
                <span key={o}>
                  {i > 0 && ", "}
                  <PersonById id={o} />
                </span>
              ))}
            </span>
          )}
        </div>
        <RequestableSwitch of={e} may={describes} />
      </div>
    </section>
  );
}

function facts(e: Detail): [string, ReactNode][] {
  const tags = [...(e.compliance_tags ?? []), ...(e.duty_tags ?? []), ...(e.data_classes ?? [])];
  return [
    [text.maximumDuration, e.max_duration ? durationText(e.max_duration) : text.noLimit],
    [text.defaultDuration, e.default_duration && durationText(e.default_duration)],
    [text.maximumExtension, e.extension_max && durationText(e.extension_max)],
    [text.directHolders, e.direct_member_count.toLocaleString("en")],
    [text.totalHolders, e.effective_member_count.toLocaleString("en")],
    [text.unusedFor90Days, e.unused_grant_count > 0 ? e.unused_grant_count.toLocaleString("en") : undefined],
    [text.lastUsed, e.last_used_at && <When at={e.last_used_at} />],
    [text.nameInTheSystem, e.native_identity && <Text of={e.native_identity} />],
    [text.requestableBy, e.visible_to ? text.peopleWhoMatchItsCondition : undefined],
    [
      text.tags,
      tags.length > 0 ? (
        <span key="tags" className="row">
          {tags.map((t) => (
            <Badge key={t}>{t}</Badge>
          ))}
        </span>
      ) : undefined,
    ],
  ];
}

/** Whether it can be asked for, and the switch for those who decide that. */
function RequestableSwitch({ of: e, may }: { of: Detail; may: boolean }) {
  const change = useAct<boolean>({
    act: (requestable, key) => ask("PATCH", `/entitlements/${e.id}`, { body: { requestable }, key, ifMatch: e.version }),
    done: (_, on) => (on ? text.itIsNowRequestable : text.itIsNoLongerRequestable),
    changes: ["/entitlements", "/access-requests"],
  });
  if (!may) return <span className="muted">{e.requestable ? text.requestable : text.notRequestable}</span>;
  return (
    <label className="check">
      <input
        type="checkbox"
        role="switch"
        aria-checked={e.requestable}
        checked={e.requestable ?? false}
        disabled={change.isPending}
        onChange={(x) => change.mutate(x.target.checked)}
      />
      <span>{text.requestable}</span>
    </label>
  );
}
