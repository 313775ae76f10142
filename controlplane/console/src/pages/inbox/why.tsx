import { useQuery } from "@tanstack/react-query";
import * as text from "#text/inbox";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay, useMe } from "../../api/use";
import { number } from "../../kit/count";
import { Skeleton, When } from "../../kit/kit";
import { at, personOf, type Task, words } from "./tasks";

/** The person and the access that a task is about, where it is about both. */
function pairOf(task: Task) {
  const person = personOf(task)?.id ?? words(task.context, "beneficiary", "id");
  const subject = task.links.find((l) => l.type === "entitlement" || l.type === "role");
  return person && subject ? { person, thing: subject } : undefined;
}

/** Why the person has it, or not; when it was last used; and who of their colleagues holds it. Only for whoever may see all that. */
export function Why({ task }: { task: Task }) {
  const pair = pairOf(task);
  const may = useMay();
  const me = useMe();
  const mine = me?.user?.identity_id && words(task.context, "beneficiary", "manager_id") === me.user.identity_id;
  if (!pair || (!may.oversees && !mine)) return null;
  const department = words(task.context, "beneficiary", "department") ?? words(task.context, "requested_for", "department");
  return (
    <>
      {pair.thing.type === "entitlement" && <Explained person={pair.person} entitlement={pair.thing.id} />}
      {may.oversees && <Peers person={pair.person} subject={pair.thing} department={department} />}
    </>
  );
}

function Explained({ person, entitlement }: { person: string; entitlement: string }) {
  const why = useGet<Of<"AccessExplanation">>(`/identities/${person}/access-explain`, { entitlement_id: entitlement });
  if (why.isPending) return <Skeleton rows={1} />;
  if (!why.data) return null;
  const used = words(why.data.grant, "last_used_at");
  return (
    <dl className="inbox-facts">
      <div>
        <dt>{why.data.desired || why.data.observed ? text.whyThePersonHasIt : text.currentAccess}</dt>
        <dd>
          {(why.data.story.length > 0 ? why.data.story : [why.data.summary]).slice(0, 5).map((line) => (
            <p key={line} dir="auto">
              {line}
            </p>
          ))}
        </dd>
      </div>
      {why.data.grant && (
        <div>
          <dt>{text.lastUsed}</dt>
          <dd>
            <When at={used ?? null} none={text.notReported} />
          </dd>
        </div>
      )}
    </dl>
  );
}

const most = 500; // people looked through

/** Who of the same department holds it, as a strip. Of more than 500 people or holders the first 500 are counted, and that is said. */
function Peers({ person, subject, department }: { person: string; subject: { type: string; id: string }; department: string | undefined }) {
  const known = useGet<Of<"IdentityDetail">>(`/identities/${person}`, {}, { enabled: !department });
  const where = department ?? known.data?.department ?? undefined;
  const found = useQuery({
    queryKey: ["/identities", "peers", where, subject.id],
    enabled: Boolean(where),
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const holders = subject.type === "role" ? `/entitlements/roles/${subject.id}/members` : `/entitlements/${subject.id}/members`;
      const [colleagues, members] = await Promise.all([
        ask<Page<{ id: string }>>("GET", "/identities", { query: { department: where, status: "active", limit: most }, signal }),
        ask<Page<unknown>>("GET", holders, { query: { limit: most }, signal }),
      ]);
      const has = new Set(members.items.map((m) => words(m, "identity_id") ?? words(m, "identity", "id")));
      return {
        people: colleagues.items.filter((p) => p.id !== person).length,
        holding: colleagues.items.filter((p) => p.id !== person && has.has(p.id)).length,
        part: colleagues.total > most || members.total > most,
      };
    },
  });
  if (!where || !found.data || found.data.people === 0) return null;
  return <Strip where={where} {...found.data} />;
}

const cells = 23;

function Strip({ where, people, holding, part }: { where: string; people: number; holding: number; part: boolean }) {
  const shown = Math.min(people, cells);
  const full = holding === 0 ? 0 : Math.max(1, Math.round((shown * holding) / people));
  const sentence = part
    ? text.holdingOfColleaguesInWhereHave(number(holding), people, where)
    : text.holdingOfColleaguesInWhereHaveLower(number(holding), people, where);
  return (
    <div className="inbox-peers">
      <div className="row between small">
        <span>{text.colleaguesInWhereWithThisAccess(<bdi>{where}</bdi>)}</span>
        <strong>{part ? text.holdingOfPeopleAtLeast(holding, people) : text.holdingOfPeople(holding, people)}</strong>
      </div>
      <div className="inbox-strip" role="img" aria-label={sentence}>
        {Array.from({ length: shown }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: marks that are all alike
          <span key={i} className={i < full ? "on" : ""} title={i < full ? text.hasThisAccess : text.doesNotHaveThisAccess} />
        ))}
      </div>
      {people >= 3 && (
        <p className="small muted">
          {holding / people >= 0.5
            ? text.inLineWithColleagues
            : holding === 0
              ? text.noColleagueHasThisAccess
              : text.fewColleaguesHaveThisAccess}
        </p>
      )}
    </div>
  );
}

/** Conflicts that a task tells of, where it does. */
export const conflictsOf = (task: Task): string[] => {
  const conflicts = at(task.context, "conflicts");
  return Array.isArray(conflicts)
    ? conflicts.map((c) => (typeof c === "string" ? c : (words(c, "detail") ?? words(c, "name") ?? ""))).filter(Boolean)
    : [];
};
