import { Link, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import * as text from "#text/signin";
import { askForReset, Refusal } from "../../api/session";
import { TenantBrand } from "../../app/signin";
import { signInError, useSignInOptions } from "../../app/signinoptions";
import { Button } from "../../kit/kit";

/** Where a user asks for a link to choose another password. The answer is the same whether their address is known or not. */
export default function ForgotPassword() {
  const { tenant = "" } = useSearch({ strict: false }) as { tenant?: string };
  const options = useSignInOptions(tenant);
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState("");
  const [refused, setRefused] = useState<Refusal>();
  const submit = async (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const given = new FormData(e.currentTarget);
    const value = (name: string) => String(given.get(name) ?? "").trim();
    setBusy(true);
    setRefused(undefined);
    try {
      await askForReset(value("email"), value("tenant"));
      setSent(value("email"));
    } catch (e) {
      setRefused(e instanceof Refusal ? e : new Refusal(0, "", String(e)));
    } finally {
      setBusy(false);
    }
  };
  if (sent) return <Sent email={sent} />;
  return (
    <main className="signin-page">
      <form className="card stack" aria-labelledby="forgot" onSubmit={(e) => void submit(e)} aria-busy={busy}>
        <TenantBrand />
        <div>
          <h1 id="forgot">{text.resetYourPassword}</h1>
          <p className="muted small">{text.enterYourEMailAddress}</p>
        </div>
        {refused && (
          <p role="alert" className="signin-error small">
            {signInError(refused)}
          </p>
        )}
        <label className="field">
          <span>{text.eMail}</span>
          <input name="email" type="email" autoComplete="username" required maxLength={320} />
        </label>
        {(options.data?.tenant_required || tenant) && (
          <label className="field">
            <span>{text.tenant}</span>
            <input name="tenant" defaultValue={tenant} maxLength={63} autoCapitalize="none" spellCheck={false} />
            <small className="muted">{text.onlyIfYourAddressIsUsed}</small>
          </label>
        )}
        <Button type="submit" tone="primary" disabled={busy}>
          {busy ? text.sending : text.sendTheLink}
        </Button>
        <Link to="/login" search={tenant ? { tenant } : {}} className="small">
          {text.backToSignIn}
        </Link>
      </form>
    </main>
  );
}

function Sent({ email }: { email: string }) {
  return (
    <main className="signin-page">
      <div className="card stack signin-card">
        <TenantBrand />
        <h1>{text.checkYourMail}</h1>
        <p role="status">{text.ifAUserWithThePassword(<bdi>{email}</bdi>)}</p>
        <p className="muted small">{text.noMailArrivesIfYou}</p>
        <Link to="/login" search={{}} className="button">
          {text.backToSignIn}
        </Link>
      </div>
    </main>
  );
}
