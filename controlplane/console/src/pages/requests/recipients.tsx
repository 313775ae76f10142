import { X } from "lucide-react";
import { useState } from "react";
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
  if (!others)
    return (
      <p className="muted">
        For <strong>yourself</strong>. Other people, their managers or administrators request access for them.
      </p>
    );
  const reports = async () => {
    setBusy(true);
    try {
      const page = await ask<Page<{ id: string; display_name?: string | null }>>("GET", `/identities/${self}/reports`, {
        query: { limit: most },
      });
      const names = Object.fromEntries(page.items.map((p) => [p.id, p.display_name ?? ""]));
      d.askFor([...new Set([...d.whom.filter((id) => id !== self), ...page.items.map((p) => p.id)])].slice(0, most), names);
      if (page.total > most)
        showToast(`The first ${most} of ${number(page.total)} are selected. One request can have at most ${most} people.`);
    } catch (e) {
      showRefusal(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="stack tight" aria-labelledby="ask-whom">
      <h2 id="ask-whom">Recipients</h2>
      <ul className="row" aria-label="Recipients">
        {d.whom.map((id) => (
          <li key={id} className="ask-person">
            <PersonName id={id} known={d.draft.people[id]} self={self} />
            {!(only && id === self) && (
              <Button
                reads
                tone="quiet"
                className="icon"
                aria-label="Remove person"
                onClick={() => d.askFor(d.whom.filter((x) => x !== id))}
              >
                <X aria-hidden size={13} />
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className="row ask-add">
        <Pick
          label={d.whom.length ? "Another person" : "Person"}
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
            All of my reports
          </Button>
        )}
        {self && !d.whom.includes(self) && (
          <Button reads onClick={() => d.askFor([...d.whom, self], { [self]: "You" })}>
            Myself
          </Button>
        )}
      </div>
    </section>
  );
}

/** How somebody is called. */
export function PersonName({ id, known, self }: { id: string; known?: string | undefined; self: string }) {
  const asked = useGet<{ display_name?: string | null }>(`/identities/${id}`, {}, { enabled: !known && id !== self });
  if (id === self) return <strong>You</strong>;
  return <Text of={known || asked.data?.display_name} none={asked.isError ? "A person who is not visible to you" : "…"} />;
}
