import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { IdentityDetail } from "../../api/types";
import { TextField } from "../../kit/form";
import { Part } from "../../kit/kit";
import { Timeline } from "./timeline";
import { Two } from "./two";

/** What has happened to somebody, and what they held on two days. */
export function PersonHistory({ of: p }: { of: IdentityDetail }) {
  const search = useSearch({ strict: false }) as { earlier?: string; later?: string };
  const [first, setFirst] = useState(search.earlier ?? "");
  const [second, setSecond] = useState(search.later ?? "");
  return (
    <>
      <Part title="Two days side by side" lead="What came, what went and what stayed between the end of one day and the end of another.">
        <div className="row person-days" data-reads="">
          <TextField label="Earlier" type="date" value={first} set={setFirst} />
          <TextField label="Later (today if empty)" type="date" value={second} set={setSecond}  />
          {first && (
            <Link
              to="/people/$id/$tab"
              params={{ id: p.id, tab: "history" }}
              search={{ ...search, earlier: first, later: second || undefined } as never}
              className="button"
              resetScroll={false}
            >
              Compare the two days
            </Link>
          )}
        </div>
        {search.earlier && (
          <Two
            path={`/identities/${p.id}/compare`}
            query={{ from: search.earlier, to: search.later ?? new Date().toISOString() }}
            titles={["Went", "Stayed", "Came"]}
          />
        )}
      </Part>
      <Part title="What has happened">
        <Timeline path={`/identities/${p.id}/timeline`} label="What has happened to them" />
      </Part>
    </>
  );
}
