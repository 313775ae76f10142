import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import * as text from "#text/signin";
import { basePath } from "../../api/base";
import { Refusal, signInBy } from "../../api/session";
import { safeNext } from "../../app/next";
import { TenantBrand } from "../../app/signin";
import { signInError } from "../../app/signinoptions";

type Search = { code?: string; error?: string; next?: string };

/** Where a provider sends the browser back to: its one-time code becomes a session, or what went wrong is told. */
export default function SignInCallback() {
  const { code, error, next } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const [wrong, setWrong] = useState(error || !code ? signInError(error ?? "") : "");
  // A code works once: it must not be sent again when the page is drawn again.
  const sent = useRef(false);
  useEffect(() => {
    if (sent.current || !code || error) return;
    sent.current = true;
    signInBy("oidc/token", { code }).then(
      () => void navigate({ href: basePath + safeNext(next), replace: true }),
      (e) =>
        setWrong(
          signInError(e instanceof Refusal && e.code !== "invalid_grant" ? e : e instanceof Refusal ? "" : new Refusal(0, "", String(e))),
        ),
    );
  }, [code, error, next, navigate]);
  return (
    <main className="signin-page">
      <div className="card stack signin-card">
        <TenantBrand />
        <h1>{wrong ? text.signInFailed : text.signingIn}</h1>
        {wrong ? (
          <>
            <p role="alert">{wrong}</p>
            <Link to="/login" search={{ next: safeNext(next) }} className="button primary">
              {text.backToSignIn}
            </Link>
          </>
        ) : (
          <p className="muted" role="status">
            {text.yourProviderConfirmedTheSignIn}
          </p>
        )}
      </div>
    </main>
  );
}
