import { useParams } from "@tanstack/react-router";
import * as text from "#text/users";
import { useGet, useMay, useMe } from "../../api/use";
import { Id } from "../../kit/elements";
import { Facts, Failure, Head, Note, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Acts } from "./actions";
import { Edit } from "./edit";
import { findings, rolesOf, type User, UserState } from "./words";

/** One user: who they are, what they may do, and how they sign in. */
export default function OneUser() {
  const { id } = useParams({ strict: false }) as { id: string };
  const may = useMay();
  const me = useMe();
  const user = useGet<User>(`/settings/users/${id}`);
  if (user.isPending) return <Skeleton rows={6} />;
  if (user.isError && !user.data) return <Failure page error={user.error} retry={() => void user.refetch()} />;
  const u = user.data;
  const self = me?.user?.id === u.id;
  return (
    <>
      <Head
        title={u.display_name || u.email}
        up={<Link to="/settings/users">{text.users}</Link>}
        lead={u.display_name ? <bdi>{u.email}</bdi> : undefined}
      >
        <UserState of={u.status} />
        {may.admin && <Acts of={u} self={self} />}
      </Head>
      {u.findings.map((f) => (
        <Note key={f} tone="warn">
          {findings[f] ?? f}
        </Note>
      ))}
      {self && <Note>{text.thisIsYourOwnUserAnother}</Note>}
      <section className="card padded" aria-label={text.account}>
        <Facts
          of={[
            [text.roles, rolesOf(u) || text.noneSeesTheOwnRecordOnly],
            [text.person, <Person key="p" of={u} />],
            [text.secondFactor, u.mfa.enrolled ? text.on : text.off],
            [text.lastSignIn, <When key="l" at={u.last_login_at} />],
            [text.invited, <When key="i" at={u.invited_at} />],
            [text.created, <When key="m" at={u.created_at} />],
            [text.subjectAtTheProvider, u.sso_subject && <bdi key="s">{u.sso_subject}</bdi>],
            [text.id, <Id key="id" of={u.id} />],
          ]}
        />
      </section>
      {may.admin && <Edit key={u.id} of={u} self={self} again={() => void user.refetch()} />}
    </>
  );
}

function Person({ of }: { of: User }) {
  if (!of.identity_id) return <span className="muted">{text.notLinked}</span>;
  return (
    <Link to="/people/$id" params={{ id: of.identity_id }}>
      <bdi>{of.identity?.display_name || text.somebody}</bdi>
    </Link>
  );
}
