import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ask } from "../../api/client";
import type { Me, Of } from "../../api/types";
import { count } from "../../kit/count";
import { AskFirst } from "../../kit/dialog";
import { SecretField, TextField } from "../../kit/form";
import { Button, Part } from "../../kit/kit";
import { State } from "../../kit/state";
import { showToast } from "../../kit/toast";
import { FactorEnrollment } from "./enrollment";
import { Own, reauthentication } from "./reauthentication";

/** The own second factor: whether there is one, and the way to one, or to none. */
export function Factor({ of }: { of: Me }) {
  const [open, setOpen] = useState<"begin" | "remove">();
  const queries = useQueryClient();
  const close = () => {
    setOpen(undefined);
    void queries.invalidateQueries({ queryKey: ["/auth/me"] });
  };
  const on = of.mfa?.totp ?? false;
  const left = of.mfa?.recovery_codes_left ?? 0;
  return (
    <Part title="Second factor">
      <div className="card padded row between">
        <div className="grow">
          <p>
            <State of={on ? "enabled" : "off"} words={on ? "on" : "off"} tone={on ? "ok" : "warn"} />
          </p>
          <p className="small muted">
            {on
              ? `Signing in requires your password and a code from your authenticator app. ${count(left, "recovery code is", "recovery codes are")} left.`
              : "With a second factor, signing in also requires a code from an app on your phone."}
          </p>
          {on && left < 3 && <p className="small">To get new recovery codes, remove the second factor and set it up again.</p>}
        </div>
        {on ? (
          <Button tone="danger" onClick={() => setOpen("remove")}>
            Remove
          </Button>
        ) : (
          of.password_set !== false && (
            <Button tone="primary" onClick={() => setOpen("begin")}>
              Set up
            </Button>
          )
        )}
      </div>
      {open === "begin" && <Enrol close={close} />}
      {open === "remove" && <Remove close={close} />}
    </Part>
  );
}

/** Sets a second factor up: the password, then the app and a first code of it, then the recovery codes. */
function Enrol({ close }: { close: () => void }) {
  const [password, setPassword] = useState("");
  const [begun, begin] = useState<Of<"FactorSecret">>();
  const goesOn = useRef(false);
  if (begun) return <FactorEnrollment of={begun} close={close} />;
  return (
    <AskFirst
      open
      close={() => goesOn.current || close()}
      title="Set up a second factor"
      lead="First enter your password."
      verb="Continue"
      disabled={!password}
      act={async () => {
        const secret = await reauthentication(ask<Of<"FactorSecret">>("POST", "/auth/mfa/totp", { body: { password } }));
        goesOn.current = true;
        begin(secret);
      }}
    >
      <Own>
        <SecretField own label="Password" kept={false} value={password} set={setPassword} required />
      </Own>
    </AskFirst>
  );
}

function Remove({ close }: { close: () => void }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  return (
    <AskFirst
      open
      close={close}
      title="Remove the second factor"
      lead="After this, your password alone signs you in."
      verb="Remove"
      tone="danger"
      disabled={!password || code.trim().length < 6}
      act={async () => {
        await reauthentication(ask("DELETE", "/auth/mfa/totp", { body: { password, code: code.trim() } }));
        showToast("Second factor removed.");
      }}
    >
      <Own>
        <SecretField own label="Password" kept={false} value={password} set={setPassword} required />
        <TextField label="Authenticator code or recovery code" value={code} set={setCode} max={64} mono required />
      </Own>
    </AskFirst>
  );
}
