import { Bookmark, X } from "lucide-react";
import { useState } from "react";
import * as text from "#text/kit";
import { current } from "../api/session";
import { number } from "./count";
import { ConfirmDialog } from "./dialog";
import { TextField } from "./form";
import { Button } from "./kit";
import type { View } from "./listtypes";
import { sameQuery, selectedView } from "./selectedview";

type Props = {
  place: string;
  /** What the list is called, where a page has several. */
  label: string | undefined;
  views: View[];
  filters: Record<string, string>;
  go: (query: Record<string, string | undefined>) => void;
};

/** The views of a list: those that it comes with, and those that somebody has saved in this browser. A view is a link as well: it stands in the address. */
export function SavedViews({ place, label, views, filters, go }: Props) {
  const [own, setOwn] = useOwn(place);
  const [naming, setNaming] = useState<string>();
  const known = [...views, ...own];
  const on = selectedView(known, without(filters, "q", "sort"));
  const bare = known.length === 0;
  const Container = bare ? "div" : "nav";
  const canSave = Object.keys(filters).length > 0 && !known.some((v) => sameQuery(v.query, filters));
  return (
    <Container className="views" {...(bare ? { "data-bare": "" } : { "aria-label": label ? text.viewsLabel(label) : text.views })}>
      {views.map((v) => (
        <Chip key={v.name} of={v} on={on.includes(v)} go={() => go({ ...v.query, ...(v.query.q ? {} : { q: filters.q }) })} />
      ))}
      {own.map((v) => (
        <span key={v.name} className="own">
          <Chip of={v} on={on.includes(v)} go={() => go(v.query)} />
          <button
            type="button"
            className="button quiet icon"
            data-reads=""
            aria-label={text.deleteTheViewName(v.name)}
            onClick={() => setOwn(own.filter((o) => o !== v))}
          >
            <X aria-hidden size={12} />
          </button>
        </span>
      ))}
      <Button
        reads
        tone="quiet"
        className={`icon${canSave ? "" : " unused"}`}
        aria-label={text.saveThisView}
        title={text.saveThisView}
        onClick={() => setNaming("")}
      >
        <Bookmark aria-hidden size={15} />
      </Button>
      <ConfirmDialog
        open={naming !== undefined}
        close={() => setNaming(undefined)}
        title={text.saveThisView}
        lead={text.theViewIsListedAboveThis}
        verb={text.save}
        disabled={!naming?.trim()}
        act={async () => setOwn([...own.filter((o) => o.name !== naming?.trim()), { name: naming?.trim() ?? "", query: filters }])}
      >
        <TextField label={text.name} value={naming ?? ""} set={setNaming} max={40} required autoFocus />
      </ConfirmDialog>
    </Container>
  );
}

function Chip({ of, on, go }: { of: View; on: boolean; go: () => void }) {
  return (
    <button type="button" className="chip" data-reads="" aria-pressed={on} onClick={go}>
      {of.name}
      {of.count !== undefined && <span className="count">{number(of.count)}</span>}
    </button>
  );
}

function useOwn(place: string): [View[], (views: View[]) => void] {
  const session = current();
  const key = `views ${session.state === "in" ? session.user.id : ""} ${place}`;
  const [own, setOwn] = useState<View[]>(() => read(key));
  return [
    own,
    (views) => {
      setOwn(views);
      localStorage.setItem(key, JSON.stringify(views));
    },
  ];
}

function read(key: string): View[] {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "[]") as unknown;
    return Array.isArray(kept) ? (kept as View[]).filter((v) => typeof v?.name === "string" && typeof v.query === "object") : [];
  } catch {
    return [];
  }
}

const without = (of: Record<string, string>, ...names: string[]) =>
  Object.fromEntries(Object.entries(of).filter(([n]) => !names.includes(n)));
