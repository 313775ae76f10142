import { useSearch } from "@tanstack/react-router";
import * as text from "#text/people";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { dayOf } from "../../kit/day";
import { DayInput } from "../../kit/dayinput";
import { Button, Empty, Head, Note } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { Pick, people } from "../../kit/pick";
import { AccessComparison } from "./comparison";
import { dayWords } from "./words";
import "./people.css";

/** Two people side by side, today or on a day. */
export default function Compare() {
  const search = useSearch({ strict: false }) as { a?: string; b?: string; as_of?: string };
  const navigate = useGo();
  const go = (change: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: { ...search, ...change }, resetScroll: false });
  return (
    <>
      <Head title={text.compareTwoPeople} lead={text.accessThatBothPeopleHaveAnd} up={<Link to="/people">{text.people}</Link>} />
      <div className="fields" data-reads="">
        <One label={text.first} id={search.a} set={(a) => go({ a })} />
        <One label={text.second} id={search.b} set={(b) => go({ b })} />
        <div className="field">
          <label htmlFor="compare-day">
            <span>{text.asOf}</span>
          </label>
          <DayInput
            id="compare-day"
            max={dayOf(new Date().toISOString())}
            value={search.as_of ?? ""}
            set={(day) => go({ as_of: day || undefined })}
          />
        </div>
      </div>
      {search.as_of && (
        <Note>
          <div className="row between">
            <span>{text.accessAsOf(dayWords(search.as_of))}</span>
            <Button reads onClick={() => go({ as_of: undefined })}>
              {text.backToToday}
            </Button>
          </div>
        </Note>
      )}
      {search.a && search.b ? (
        <AccessComparison path={`/identities/${search.a}/compare`} query={{ with: search.b, to: search.as_of }} />
      ) : (
        <Empty title={text.selectTwoPeople}>{text.comparePeopleWithTheSameJob}</Empty>
      )}
    </>
  );
}

function One({ label, id, set }: { label: string; id: string | undefined; set: (id: string | undefined) => void }) {
  const who = useGet<Of<"Identity">>(`/identities/${id}`, {}, { enabled: Boolean(id) });
  const words = who.data ? who.data.display_name || who.data.email || id : id;
  return <Pick label={label} source={people} value={id ? { id, words: words ?? id } : null} set={(p) => set(p?.id)} />;
}
