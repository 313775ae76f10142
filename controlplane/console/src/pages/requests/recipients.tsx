import { X } from "lucide-react";
import { useState } from "react";
import * as text from "#text/requests";
import { ask, type Page } from "../../api/client";
import { useGet, useMay } from "../../api/use";
import { number } from "../../kit/count";
import { Button, Text } from "../../kit/kit";
import { Pick, people } from "../../kit/pick";
import { showRefusal, showToast } from "../../kit/toast";
import type { Drafting } from "./draft";

const most = 200;

/** For whom it is: oneself, or others whom one may ask for. */
export function Recipients({ d, self, others }: { d: Drafting; self: string; others: boolean }) {
  const may = useMay();
  const [busy, setBusy] = useState(false);
  const only = d.whom.length === 1;
  if (!others) return <p className="muted">{text.forStrongOtherPeopleTheirManagers(<strong>{text.yourself}</strong>)}</p>;
  const reports = async () => {
    setBusy(true);
    try {
      const page = await ask<Page<{ id: string; display_name?: string | null }>>("GET", `/identities/${self}/reports`, {
        query: { limit: most },
      });
      const names = Object.fromEntries(page.items.map((p) => [p.id, p.display_name ?? ""]));
      d.askFor([...new Set([...d.whom.filter((id) => id !== self), ...page.items.map((p) => p.id)])].slice(0, most), names);
      if (page.total > most) showToast(text.theFirstMostOfTotalAre(most, number(page.total)));
    } catch (e) {
      showRefusal(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="stack tight" aria-labelledby="ask-whom">
      <h2 id="ask-whom">{text.recipients}</h2>
      <ul className="row" aria-label={text.recipients}>
        {d.whom.map((id) => (
          <li key={id} className="request-person">
            <PersonName id={id} known={d.draft.people[id]} self={self} />
            {!(only && id === self) && (
              <Button
                reads
                tone="quiet"
                className="icon"
                aria-label={text.removePerson}
                onClick={() => d.askFor(d.whom.filter((x) => x !== id))}
              >
                <X aria-hidden size={13} />
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className="row request-add">
        <Pick
          label={d.whom.length ? text.anotherPerson : text.person}
          source={may.admin ? people : { ...people, path: `/identities/${self}/reports`, query: { indirect: true } }}
          value={null}
          set={(p) => {
            if (!p || d.whom.includes(p.id)) return;
            const rest = only && d.whom[0] === self && !d.draft.people[self] ? [] : d.whom;
            d.askFor([...rest, p.id].slice(0, most), { [p.id]: p.words });
          }}
        />
        {may.manager && self && (
          <Button reads disabled={busy} onClick={() => void reports()}>
            {text.allOfMyReports}
          </Button>
        )}
        {self && !d.whom.includes(self) && (
          <Button reads onClick={() => d.askFor([...d.whom, self], { [self]: text.you })}>
            {text.myself}
          </Button>
        )}
      </div>
    </section>
  );
}

/** How somebody is called. */
export function PersonName({ id, known, self }: { id: string; known?: string | undefined; self: string }) {
  const asked = useGet<{ display_name?: string | null }>(`/identities/${id}`, {}, { enabled: !known && id !== self });
  if (id === self) return <strong>{text.you}</strong>;
  return <Text of={known || asked.data?.display_name} none={asked.isError ? text.aPersonWhoIsNotVisible : "…"} />;
}
