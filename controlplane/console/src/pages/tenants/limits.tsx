import * as text from "#text/tenants";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { Form, TextField, useForm } from "../../kit/form";
import { showToast } from "../../kit/toast";

/** How fast a tenant's tokens may ask. */
export function Limits({ of, saved }: { of: Of<"Tenancy">; saved: () => void }) {
  const first = { rps: of.limits.rps?.toString() ?? "", burst: of.limits.burst?.toString() ?? "" };
  const form = useForm(first, async (v, key) => {
    const body = { rps: v.rps ? Number(v.rps) : null, burst: v.burst ? Number(v.burst) : null };
    await ask("POST", `/control-plane/tenants/${of.id}/limits`, { body, key, ifMatch: of.version });
    showToast(text.saved);
    saved();
  });
  return (
    <Form of={form} verb={text.save}>
      <div className="fields">
        <TextField label={text.requestsPerSecond} hint={text.defaultRateLimit} type="number" {...form.field("rps")} />
        <TextField label={text.burst} hint={text.defaultTwiceTheRate} type="number" {...form.field("burst")} />
      </div>
    </Form>
  );
}
