import { type FormEvent, useState } from "react";
import { Refusal, signIn } from "../api/session";
import { Button } from "../kit/kit";

/** The form by which somebody signs in: code and tenant are asked for when the service wants them. */
export function SignInForm({ lead, done }: { lead?: string; done?: () => void }) {
  const [problem, setProblem] = useState<Refusal>();
  const [busy, setBusy] = useState(false);
  const [wants, setWants] = useState({ otp: false, tenant: false });
  const submit = async (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const given = new FormData(e.currentTarget);
    const text = (name: string) => String(given.get(name) ?? "").trim();
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(text("email"), String(given.get("password") ?? ""), text("otp"), text("tenant"));
      done?.();
    } catch (e) {
      const r = e instanceof Refusal ? e : new Refusal(0, "", String(e));
      setWants((w) => ({ otp: w.otp || r.code === "otp_required", tenant: w.tenant || r.code === "tenant_required" }));
      setProblem(r);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="card stack" onSubmit={(e) => void submit(e)}>
      <h1>Sign in</h1>
      {lead && <p className="muted">{lead}</p>}
      {problem && (
        <p role="alert" className="small">
          {problem.message}
        </p>
      )}
      <label className="field">
        <span>E-mail</span>
        <input name="email" type="email" autoComplete="username" required />
      </label>
      <label className="field">
        <span>Password</span>
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
      {wants.otp && (
        <label className="field">
          <span>Code of your second factor</span>
          <input name="otp" inputMode="numeric" autoComplete="one-time-code" required />
        </label>
      )}
      {wants.tenant && (
        <label className="field">
          <span>Tenant</span>
          <input name="tenant" required />
        </label>
      )}
      <Button type="submit" tone="primary" disabled={busy}>
        {busy ? "Signing in…" : "Sign in"}
      </Button>
    </form>
  );
}
