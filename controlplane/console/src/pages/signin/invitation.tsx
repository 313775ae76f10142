import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import * as text from "#text/signin";
import { basePath } from "../../api/base";
import { passkeysWork, signWithPasskey } from "../../api/passkey";
import { Refusal, signInBy, startPasskey } from "../../api/session";
import { CodeField } from "../../app/codefield";
import { TenantBrand } from "../../app/signin";
import { signInError, useSignInOptions } from "../../app/signinoptions";
import { SecretField } from "../../kit/form";
import { Button } from "../../kit/kit";

/** Where a one-time link leads: a password is set by it, and whoever set it is signed in. Opening the page uses nothing up. */
export default function Invited({ reset = false }: { reset?: boolean }) {
  const { token = "" } = useSearch({ strict: false }) as { token?: string };
  const navigate = useNavigate();
  const [password, setPassword] = useState("");
  const [methods, setMethods] = useState<string[]>([]);
  const options = useSignInOptions("");
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refusal>();
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const otp = String(new FormData(e.currentTarget).get("otp") ?? "").trim();
    void enter(async () => (otp ? { otp } : {}));
  };
  const enter = async (factor: () => Promise<Record<string, unknown>>) => {
    setBusy(true);
    setRefused(undefined);
    try {
      await signInBy("sign-in-link", { token, password, ...(await factor()) });
      await navigate({ href: `${basePath}/`, replace: true });
    } catch (e) {
      const r = e instanceof Refusal ? e : new Refusal(0, "", String(e));
      if (r.code === "otp_required") setMethods((r.problem.methods as string[] | undefined) ?? ["totp"]);
      else setRefused(r);
    } finally {
      setBusy(false);
    }
  };
  if (!token || refused?.code === "invalid_grant") return <LinkNotValid reset={reset} />;
  const weak = refused?.errors.find((w) => w.pointer === "#/password")?.detail;
  return (
    <main className="signin-page">
      <form className="card stack" aria-labelledby="invited" onSubmit={submit} aria-busy={busy}>
        <TenantBrand />
        <div>
          <h1 id="invited">{reset ? text.chooseANewPassword : text.chooseAPassword}</h1>
          <p className="muted small">{text.youSignInWithThisPassword}</p>
        </div>
        {refused && !weak && (
          <p role="alert" className="signin-error small">
            {signInError(refused)}
          </p>
        )}
        <SecretField
          label={text.newPassword}
          kept={false}
          value={password}
          set={setPassword}
          required
          error={weak}
          hint={text.n12To256CharactersUseSeveral}
        />
        {methods.includes("totp") && <CodeField lead={text.yourAccountHasASecondFactor} />}
        {methods.includes("passkey") && passkeysWork(options.data?.passkey_origin) && (
          <Button reads disabled={busy} onClick={() => void enter(async () => ({ passkey: await signWithPasskey(await startPasskey()) }))}>
            {text.useAPasskey}
          </Button>
        )}
        <Button type="submit" tone="primary" disabled={busy || !password}>
          {busy ? text.saving : text.setPasswordAndSignIn}
        </Button>
      </form>
    </main>
  );
}

function LinkNotValid({ reset }: { reset: boolean }) {
  return (
    <main className="signin-page">
      <div className="card stack signin-card">
        <TenantBrand />
        <h1>{text.theLinkIsNotValid}</h1>
        <p>{reset ? text.theLinkWasUsedBeforeOr : text.theLinkWasUsedBeforeIs}</p>
        {reset && (
          <Link to="/forgot-password" search={{}} className="button">
            {text.requestAnotherLink}
          </Link>
        )}
        <Link to="/login" search={{}} className="button primary">
          {text.signIn}
        </Link>
      </div>
    </main>
  );
}
