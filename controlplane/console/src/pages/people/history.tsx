import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import * as text from "#text/people";
import type { IdentityDetail } from "../../api/types";
import { TextField } from "../../kit/form";
import { Part } from "../../kit/kit";
import { Link } from "../../kit/link";
import { AccessComparison } from "./comparison";
import { Timeline } from "./timeline";

/** What has happened to somebody, and what they held on two days. */
export function PersonHistory({ of: p }: { of: IdentityDetail }) {
  const search = useSearch({ strict: false }) as { earlier?: string; later?: string };
  const [first, setFirst] = useState(search.earlier ?? "");
  const [second, setSecond] = useState(search.later ?? "");
  return (
    <>
      <Part title={text.compareTwoDays} lead={text.accessThatWasAddedRemovedAnd}>
        <div className="row person-days" data-reads="">
          <TextField label={text.earlierDay} type="date" value={first} set={setFirst} />
          <TextField label={text.laterDayEmptyToday} type="date" value={second} set={setSecond} />
          {first && (
            <Link
              to="/people/$id/$tab"
              params={{ id: p.id, tab: "history" }}
              search={{ ...search, earlier: first, later: second || undefined }}
              className="button"
              resetScroll={false}
            >
              {text.compare}
            </Link>
          )}
        </div>
        {search.earlier && (
          <AccessComparison
            path={`/identities/${p.id}/compare`}
            query={{ from: search.earlier, to: search.later ?? new Date().toISOString() }}
            titles={[text.removed, text.unchanged, text.added]}
          />
        )}
      </Part>
      <Part title={text.history}>
        <Timeline path={`/identities/${p.id}/timeline`} label={text.historyOfThePerson} />
      </Part>
    </>
  );
}
