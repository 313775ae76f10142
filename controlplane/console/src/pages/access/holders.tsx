import { useSearch } from "@tanstack/react-router";
import * as text from "#text/access";
import type { Grant, Of } from "../../api/types";
import { useMay } from "../../api/use";
import { Button, Note, Text, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { PersonLink } from "../../kit/personlink";
import { State } from "../../kit/state";
import { Why } from "../people/why";
import { basisOf, dayWords, reasonsOf } from "../people/words";
import { BulkRevoke } from "./bulkrevoke";

const none = new Map<string, string>();
const bases = (g: Grant) => (g.directness === "direct" ? [text.directly] : [text.throughAGroup]).concat(reasons(g)).join("; ");
const reasons = (g: Grant) =>
  (g.reasons ?? []).length > 0
    ? reasonsOf(g, none)
        .filter((w) => !w.key.startsWith("in "))
        .map((w) => w.words)
    : [];

function columns(why: (grant: string) => void, past: boolean): Column<Grant>[] {
  return [
    {
      title: text.person,
      cell: (g) =>
        g.identity ? (
          <PersonLink id={g.identity.id}>
            <Text of={g.identity.display} />
          </PersonLink>
        ) : (
          <span className="faint">{text.noOwner}</span>
        ),
      text: (g) => g.identity?.display,
    },
    {
      title: text.account,
      cell: (g) => (
        <Link to="/accounts/$id" params={{ id: g.account_id }}>
          <Text of={g.account.display} />
        </Link>
      ),
      text: (g) => g.account.display,
    },
    { title: text.path, cell: (g) => <Text of={bases(g)} />, text: bases },
    { title: text.basis, cell: (g) => <State of={basisOf(g).words} tone={basisOf(g).tone} />, text: (g) => basisOf(g).words },
    { title: text.since, cell: (g) => <When at={g.held_since ?? g.granted_at ?? g.first_seen_at} />, text: (g) => g.first_seen_at },
    { title: text.lastUsed, cell: (g) => <When at={g.last_used_at} none="–" />, text: (g) => g.last_used_at },
    { title: text.ends, cell: (g) => <When at={past ? g.held_until : g.ends_at} none="" />, text: (g) => g.ends_at },
    ...(past
      ? []
      : [
          {
            title: text.why,
            cell: (g: Grant) => (
              <Button
                reads
                tone="quiet"
                aria-label={text.whyIdentity((g.identity?.display ?? g.account.display).slice(0, 80))}
                onClick={() => why(g.id)}
              >
                {text.why}
              </Button>
            ),
          },
        ]),
  ];
}

/** Who holds it, how, and why. */
export function Holders({ of: e }: { of: Of<"EntitlementDetail"> }) {
  const may = useMay();
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useGo();
  const why = (grant?: string) => void navigate({ to: ".", search: { ...search, why: grant }, resetScroll: false });
  const past = Boolean(search.as_of);
  return (
    <>
      {past && <Note>{text.holdersAsOf(dayWords(search.as_of ?? ""))}</Note>}
      <List<Grant>
        path={`/entitlements/${e.id}/grants`}
        label={text.holders}
        columns={columns(why, past)}
        views={[
          { name: text.all, query: {} },
          { name: text.direct, query: { directness: "direct" } },
          { name: text.notGrantedThroughGrantwright, query: { compliance_status: "native" } },
          { name: text.accountWithoutAnOwner, query: { compliance_status: "orphaned" } },
          { name: text.ending, query: { compliance_status: "ending" } },
        ]}
        filters={[{ name: "as_of", words: text.asOf, type: "date" }]}
        csv="holders"
        {...(may.admin && !past ? { bulk: (rows, clear) => <BulkRevoke of={rows} clear={clear} /> } : {})}
        empty={{ title: text.noHolders, words: text.noHoldersAreVisibleToYou }}
        emptyThen={{
          title: text.noHoldersRecordedAtThatTime,
          words: text.historyBeginsWithTheFirstSync,
        }}
      />
      <Why grant={search.why} close={() => why()} />
    </>
  );
}
