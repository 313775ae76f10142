import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Grant, Of } from "../../api/types";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { say } from "../../kit/toast";
import { Tried, useTry } from "../../kit/tryfirst";

type Revoked = Of<"BulkGrantsRevoked">;

/** Takes several away at once. What becomes of each is shown first; what cannot be is refused one by one. */
export function BulkRevoke({ of, clear }: { of: Grant[]; clear: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button tone="danger" onClick={() => setOpen(true)}>
        Take them away
      </Button>
      {open && <Ask of={of} clear={clear} close={() => setOpen(false)} />}
    </>
  );
}

function Ask({ of, clear, close }: { of: Grant[]; clear: () => void; close: () => void }) {
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const [until, setUntil] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  const body = { ids: of.map((g) => g.id), ...(until ? { exclude_until: new Date(`${until}T00:00:00`).toISOString() } : {}) };
  const tried = useTry<Revoked>("/entitlements/grants/bulk-revoke", { ...body, reason: "preview" }, true);
  const names = new Map(of.map((g) => [g.id, g.identity?.display ?? g.account.display]));
  const refused = (tried.data?.results ?? []).filter((r) => r.outcome === "refused");
  return (
    <AskFirst
      open
      close={close}
      title={`Take ${of.length} away`}
      verb="Take them away"
      tone="danger"
      disabled={!reason.trim() || Boolean(tried.error) || tried.data?.revoked === 0}
      act={async () => {
        const r = await ask<Revoked>("POST", "/entitlements/grants/bulk-revoke", { body: { ...body, reason }, key });
        say(`${r.revoked} are being taken away, ${r.refused} were refused.`);
        await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/entitlements") });
        clear();
      }}
    >
      <TextField label="Reason" rows={2} max={1000} value={reason} set={setReason} required />
      {(until || refused.some((r) => r.code === "rule_gives_it_again")) && (
        <TextField
          label="Keep them away until"
          type="date"
          value={until}
          set={setUntil}
          hint="Rules would give some again at their next look. Until this day a denial stands against that."
        />
      )}
      <Tried of={tried}>
        {(t) => (
          <>
            <p className="small">
              {t.revoked} would be taken away, {t.refused} cannot be.
            </p>
            <ul className="small">
              {refused.slice(0, 50).map((r) => (
                <li key={r.id} dir="auto">
                  <bdi>{names.get(r.id)}</bdi>: <span className="bad">{r.detail ?? r.code}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Tried>
    </AskFirst>
  );
}
