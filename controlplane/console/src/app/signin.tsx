import { Link } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import * as texts from "#text/app";
import { basePath } from "../api/base";
import { passkeysWork, signWithPasskey } from "../api/passkey";
import { latestUser, Refusal, signIn, signInBy, startPasskey } from "../api/session";
import { useDebounced } from "../kit/debounce";
import { Button } from "../kit/kit";
import { CodeField } from "./codefield";
import { checkProvider, providerAddress, signInError, useSignInOptions } from "./signinoptions";

type Props = {
  /** Where to go afterwards; only for the way by a provider, which leaves the page. */
  next?: string;
  tenant?: string | undefined;
  /** Over a page whose session has ended: it must not be left. */
  lapsed?: boolean;
};

/** The form by which somebody signs in: code and tenant are asked for when the service wants them. */
export function SignInForm({ next = "/", tenant = "", lapsed }: Props) {
  const [problem, setProblem] = useState<Refusal>();
  const [busy, setBusy] = useState(false);
  const [methods, setMethods] = useState<string[]>([]);
  const form = useRef<HTMLFormElement>(null);
  const [named, setNamed] = useState(tenant);
  const asked = useDebounced(named.trim(), 400);
  const options = useSignInOptions(asked);
  const several = options.data?.tenant_required || Boolean(asked);
  const user = lapsed ? latestUser() : undefined;
  const attempt = async (act: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
    } catch (e) {
      const r = e instanceof Refusal ? e : new Refusal(0, "", String(e));
      if (r.code === "otp_required") setMethods((r.problem.methods as string[] | undefined) ?? ["totp"]);
      else setProblem(r);
    } finally {
      setBusy(false);
    }
  };
  const passkeys = passkeysWork(options.data?.passkey_origin);
  const typed = (name: string) => String(new FormData(form.current ?? undefined).get(name) ?? "");
  const enter = (factor: Record<string, unknown>) => signIn(typed("email").trim(), typed("password"), factor, typed("tenant").trim());
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const otp = typed("otp").trim();
    void attempt(() => enter(otp ? { otp } : {}));
  };
  return (
    <form ref={form} className="card stack" onSubmit={submit} aria-labelledby="sign-in" aria-busy={busy}>
      <Brand tenant={options.data && !options.data.tenant_required ? options.data.tenant : ""} />
      {lapsed ? (
        <div>
          <h2 id="sign-in">{texts.signInAgain}</h2>
          <p className="muted small">{texts.yourSessionHasExpiredYourUnsaved}</p>
        </div>
      ) : (
        <h1 id="sign-in">{texts.signIn}</h1>
      )}
      {problem && (
        <p role="alert" className="signin-error small">
          {signInError(problem)}
        </p>
      )}
      <label className="field">
        <span>{texts.eMail}</span>
        <input name="email" type="email" autoComplete="username" required maxLength={320} defaultValue={user?.email} />
      </label>
      <label className="field">
        <span>{texts.password}</span>
        {/* biome-ignore lint/a11y/noAutofocus: it is what is missing */}
        <input name="password" type="password" autoComplete="current-password" required maxLength={1024} autoFocus={Boolean(user)} />
      </label>
      {methods.includes("totp") && <CodeField lead={texts.enterTheCodeOfYourSecond} />}
      {methods.includes("passkey") && passkeys && (
        <div className="field">
          {!methods.includes("totp") && (
            <p className="small" role="status">
              {texts.confirmWithAPasskey}
            </p>
          )}
          <Button
            reads
            disabled={busy}
            onClick={() => void attempt(async () => enter({ passkey: await signWithPasskey(await startPasskey()) }))}
          >
            {texts.useAPasskey}
          </Button>
        </div>
      )}
      {several && (
        <label className="field">
          <span>{texts.tenant}</span>
          <input
            name="tenant"
            value={named}
            maxLength={63}
            autoCapitalize="none"
            spellCheck={false}
            onChange={(e) => setNamed(e.target.value)}
          />
          <small className="muted">{texts.requiredForSingleSignOnAnd}</small>
        </label>
      )}
      <Button type="submit" tone="primary" disabled={busy}>
        {busy ? texts.signingIn : texts.signIn}
      </Button>
      {passkeys && methods.length === 0 && (
        <Button
          reads
          disabled={busy}
          onClick={() => void attempt(async () => signInBy("passkey/login", { credential: await signWithPasskey(await startPasskey()) }))}
        >
          {texts.signInWithAPasskey}
        </Button>
      )}
      {!lapsed && (
        <Link to="/forgot-password" search={asked ? { tenant: asked } : {}} className="small">
          {texts.forgotYourPassword}
        </Link>
      )}
      {options.data?.tenant && options.data.providers.length > 0 && (
        <Providers of={options.data.providers} tenant={options.data.tenant} next={next} aside={Boolean(lapsed)} attempt={attempt} />
      )}
    </form>
  );
}

/** The product, and the tenant whose address this is: for the other pages that come before a session. */
export function TenantBrand() {
  const options = useSignInOptions("");
  return <Brand tenant={options.data && !options.data.tenant_required ? options.data.tenant : ""} />;
}

function Brand({ tenant }: { tenant: string }) {
  return (
    <div className="signin-brand">
      <img src={`${basePath}/mark.svg`} alt="" width={26} height={26} />
      <span>
        <strong>{texts.grantwright}</strong>
        {tenant && (
          <small className="muted clip" dir="auto">
            {tenant}
          </small>
        )}
      </span>
    </div>
  );
}

type ProvidersProps = {
  of: { key: string; display_name: string }[];
  tenant: string;
  next: string;
  /** In a tab of its own: this page hears of it, and goes on. */
  aside: boolean;
  attempt: (act: () => Promise<unknown>) => Promise<void>;
};

function Providers({ of, tenant, next, aside, attempt }: ProvidersProps) {
  return (
    <>
      <p className="signin-divider small muted">
        <span>{texts.or}</span>
      </p>
      {of.map((p) => {
        const address = providerAddress(tenant, p.key, aside ? "/settings/me" : next);
        return (
          <a
            key={p.key}
            className="button"
            href={address}
            {...(aside ? { target: "_blank", rel: "noreferrer" } : {})}
            onClick={(e) => {
              if (aside || e.ctrlKey || e.metaKey || e.shiftKey) return;
              e.preventDefault();
              void attempt(async () => {
                await checkProvider(address);
                window.location.assign(address);
              });
            }}
          >
            {texts.signInWithDisplayName(<bdi>{p.display_name}</bdi>)}
            {aside && <span className="sr"> {texts.inANewTab}</span>}
          </a>
        );
      })}
    </>
  );
}
