import { useState } from "react";
import { Refusal, signInBy } from "../../api/session";
import { signInError } from "../../app/signinoptions";
import { Form, SecretField, useForm } from "../../kit/form";
import { Part } from "../../kit/kit";
import { showToast } from "../../kit/toast";

const nothing = { current: "", next: "" };

/** Changes the own password: whoever sits here must know the one there is. */
export function Password({ set }: { set: boolean }) {
  // Emptied by being made anew: what was typed must not stay in the page.
  const [times, again] = useState(0);
  return (
    <Part title="Password">
      {set ? (
        <Change key={times} done={() => again(times + 1)} />
      ) : (
        <p className="card padded muted">
          You sign in with your company's identity provider and have no password here. An administrator can send you a link to set one.
        </p>
      )}
    </Part>
  );
}

function Change({ done }: { done: () => void }) {
  const form = useForm(nothing, async (v) => {
    try {
      await signInBy("password", { current_password: v.current, new_password: v.next });
    } catch (e) {
      throw e instanceof Refusal && (e.code === "invalid_credentials" || e.code === "login_throttled") ? plain(e) : e;
    }
    showToast("Password changed. Your other sessions have ended.");
    done();
  });
  return (
    <div className="card padded">
      <Form of={form} verb="Change password">
        <SecretField label="Current password" own kept={false} {...form.field("current")} required error={form.wrong("current_password")} />
        <SecretField
          label="New password"
          kept={false}
          {...form.field("next")}
          required
          hint="12 to 256 characters. Use several words. Common passwords are rejected."
          error={form.wrong("new_password") ?? form.wrong("password")}
        />
      </Form>
    </div>
  );
}

/** A refusal of a proof, in the words of the way in. */
export function plain(e: Refusal): Refusal {
  const words = e.code === "invalid_credentials" ? "The current password is wrong." : signInError(e);
  return new Refusal(e.status, e.code, words, e.requestId, [], e.problem, e.retryAfter);
}
