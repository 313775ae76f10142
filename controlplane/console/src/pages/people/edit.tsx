import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { IdentityDetail } from "../../api/types";
import { dayBegins } from "../../kit/day";
import { Dialog } from "../../kit/dialog";
import { EditConflict } from "../../kit/editconflict";
import { TextField, useForm } from "../../kit/form";
import { Button, Problems } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { type Filled, filledOf, mergeEdits, patchOf } from "./fields";
import { PersonFields } from "./fieldset";

/** Changes a person's record. What a source writes is pinned by it, so that the next reading keeps it. */
export function Edit({ of, close }: { of: IdentityDetail; close: () => void }) {
  const queries = useQueryClient();
  const [base, setBase] = useState(of);
  const [settled, setSettled] = useState<unknown>(); // the refusal after which it was read again
  const [until, setUntil] = useState("");
  const was = filledOf(base);
  const form = useForm<Filled>(was, async (v, key) => {
    const patch = patchOf(was, v);
    if (Object.keys(patch).length > 0)
      await ask("PATCH", `/identities/${of.id}`, {
        body: patch,
        key,
        ifMatch: base.version,
        query: { pin_until: until ? dayBegins(until) : undefined },
      });
    showToast(text.saved);
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/identities") });
    close();
  });
  const again = async () => {
    const now = await ask<IdentityDetail>("GET", `/identities/${of.id}`);
    form.replace(mergeEdits(was, form.value, filledOf(now)));
    setBase(now);
    setSettled(form.refused);
  };
  const source = (name: string) => of.attribute_sources?.[name];
  const note = (name: string) => {
    const s = source(name);
    if (s?.pinned) return text.pinnedTheValueOfTheSource;
    return s?.kind === "hr" ? text.syncedFromTheSourceYourValue : undefined;
  };
  const refused = form.refused === settled ? undefined : form.refused;
  return (
    <Dialog wide open close={close} title={text.editPerson}>
      <form className="stack" onSubmit={form.submit}>
        <PersonFields of={form} note={note} />
        {of.source_connector_id && (
          <TextField label={text.pinnedUntil} type="date" value={until} set={setUntil} hint={text.afterThisDayTheValueOf} />
        )}
        <Problems of={refused} />
        <EditConflict refused={refused} again={() => void again()} />
        <div className="row end">
          <Button onClick={close}>{text.cancel}</Button>
          <Button type="submit" tone="primary" disabled={form.busy}>
            {form.busy ? text.saving : text.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
