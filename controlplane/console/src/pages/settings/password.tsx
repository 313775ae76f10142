import { useState } from "react";
import * as text from "#text/settings";
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
    <Part title={text.password}>
      {set ? <Change key={times} done={() => again(times + 1)} /> : <p className="card padded muted">{text.youSignInWithYourCompanys}</p>}
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
    showToast(text.passwordChangedYourOtherSessionsHave);
    done();
  });
  return (
    <div className="card padded">
      <Form of={form} verb={text.changePassword}>
        <SecretField
          label={text.currentPassword}
          own
          kept={false}
          {...form.field("current")}
          required
          error={form.wrong("current_password")}
        />
        <SecretField
          label={text.newPassword}
          kept={false}
          {...form.field("next")}
          required
          hint={text.n12To256CharactersUseSeveral}
          error={form.wrong("new_password") ?? form.wrong("password")}
        />
      </Form>
    </div>
  );
}

/** A refusal of a proof, in the words of the way in. */
export function plain(e: Refusal): Refusal {
  const words = e.code === "invalid_credentials" ? text.theCurrentPasswordIsWrong : signInError(e);
  return new Refusal(e.status, e.code, words, e.requestId, [], e.problem, e.retryAfter);
}
