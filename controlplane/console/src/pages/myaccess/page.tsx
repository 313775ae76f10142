import { useState } from "react";
import * as text from "#text/myaccess";
import type { Account, Grant } from "../../api/types";
import { useMay, useMe } from "../../api/use";
import { Button, Empty, Head, Part, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { systemColumn, useSystems } from "../../kit/systems";
import { accountColumns } from "../accounts/columns";
import { basisOf, reasonsOf } from "../people/words";
import { GiveBack } from "./return";

const none = new Map<string, string>();
const through = (g: Grant) =>
  reasonsOf(g, none)
    .map((w) => w.words)
    .join("; ");

/** The access and the accounts of the user's own record: every person has one, whatever their roles let them see of others. */
export default function MyAccess() {
  const me = useMe();
  const may = useMay();
  if (!me) return <Skeleton />;
  const person = me.user?.identity_id;
  return (
    <>
      <Head title={text.myAccess} lead={text.yourAccountsAndEntitlementsTheirReasons}>
        {person && !may.readOnly && (
          <Link to="/access/request" className="button primary">
            {text.requestAccess}
          </Link>
        )}
      </Head>
      {person ? (
        <AccessOfPerson person={person} />
      ) : (
        <Empty title={text.yourSignInIsNotLinked}>{text.accessBelongsToPeopleAnAdministrator}</Empty>
      )}
    </>
  );
}

function AccessOfPerson({ person }: { person: string }) {
  const may = useMay();
  const names = useSystems();
  const [giving, give] = useState<Grant>();
  const columns: Column<Grant>[] = [
    { title: text.access, wide: true, cell: (g) => <Text of={g.entitlement.display} />, text: (g) => g.entitlement.display },
    systemColumn<Grant>(names),
    { title: text.account, cell: (g) => <Text of={g.account.display} />, text: (g) => g.account.display },
    { title: text.reason, cell: (g) => <Text of={through(g)} />, text: through },
    { title: text.basis, cell: (g) => <State of={basisOf(g).words} tone={basisOf(g).tone} />, text: (g) => basisOf(g).words },
    { title: text.since, cell: (g) => <When at={g.granted_at ?? g.first_seen_at} />, text: (g) => g.granted_at ?? g.first_seen_at },
    { title: text.ends, cell: (g) => <When at={g.ends_at} none="–" />, text: (g) => g.ends_at },
    {
      title: "",
      shown: () => !may.readOnly,
      cell: (g) =>
        returnable(g) && (
          <Button tone="quiet" aria-label={text.returnEntitlement(g.entitlement.display.slice(0, 80))} onClick={() => give(g)}>
            {text.returnLabel}
          </Button>
        ),
    },
  ];
  const accounts = accountColumns(names).filter((c) => ![text.person, text.owner].includes(c.title));
  return (
    <>
      <Part title={text.access}>
        <List<Grant>
          path={`/identities/${person}/grants`}
          label={text.myAccess}
          wait={!names.read}
          fixed={{ expand: "paths" }}
          columns={columns}
          csv="my-access"
          empty={{ title: text.youHaveNoAccessYet, words: text.accessThatYouRequestOrThat }}
        />
      </Part>
      <Part title={text.accounts}>
        <List<Account>
          path={`/identities/${person}/accounts`}
          label={text.myAccounts}
          prefix="a-"
          wait={!names.read}
          columns={accounts}
          csv="my-accounts"
          empty={{ title: text.youHaveNoAccountsYet, words: text.yourAccountsInTheConnectedSystems }}
        />
      </Part>
      {giving && <GiveBack of={giving} person={person} close={() => give(undefined)} />}
    </>
  );
}

/** What is inherited ends with the group that brings it, and what is on its way out is not given back again. */
const returnable = (g: Grant) => g.directness === "direct" && g.observed && !["revoking", "revoked"].includes(g.status);
