import * as text from "#text/tenant";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Form, TextField, useForm } from "../../kit/form";
import { Failure, Part, Skeleton } from "../../kit/kit";
import { showToast } from "../../kit/toast";

/** When an account without an owner counts as orphaned. */
export function Orphans() {
  const settings = useGet<Of<"OrphanSettings">>("/settings/orphans");
  return (
    <Part title={text.accountsWithoutAnOwner}>
      <div className="card padded">
        {settings.isPending ? (
          <Skeleton rows={2} />
        ) : settings.isError ? (
          <Failure error={settings.error} retry={() => void settings.refetch()} />
        ) : (
          <Days key={settings.data.after_days} of={settings.data.after_days} saved={() => void settings.refetch()} />
        )}
      </div>
    </Part>
  );
}

function Days({ of, saved }: { of: number; saved: () => void }) {
  const may = useMay();
  const form = useForm({ days: String(of) }, async (v, key) => {
    await ask("PUT", "/settings/orphans", { body: { after_days: Number(v.days) }, key });
    showToast(text.saved);
    saved();
  });
  return (
    <Form of={form} verb={text.save} closed={!may.admin}>
      <TextField
        label={text.daysWithoutAnOwnerBeforeAn}
        hint={text.accountsThatCannotBelongToA}
        type="number"
        {...form.field("days", "after_days")}
        required
      />
    </Form>
  );
}
