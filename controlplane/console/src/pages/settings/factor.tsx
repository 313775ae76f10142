import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ask } from "../../api/client";
import type { Me, Of } from "../../api/types";
import { AskFirst } from "../../kit/dialog";
import { SecretField, TextField } from "../../kit/form";
import { Button, Part } from "../../kit/kit";
import { State } from "../../kit/state";
import { say } from "../../kit/toast";
import { Begun } from "./begun";
import { Own, proving } from "./proving";

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
              ? `Whoever knows your password also needs a code of your authenticator. ${left} recovery ${left === 1 ? "code is" : "codes are"} left.`
              : "With it, whoever learns your password cannot sign in: a code of an app on your phone is asked for too."}
          </p>
          {on && left < 3 && <p className="small">To get new recovery codes, remove the second factor and set it up again.</p>}
        </div>
        {on ? (
          <Button tone="danger" onClick={() => setOpen("remove")}>
            Remove it
          </Button>
        ) : (
          of.password_set !== false && (
            <Button tone="primary" onClick={() => setOpen("begin")}>
              Set it up
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
  if (begun) return <Begun of={begun} close={close} />;
  return (
    <AskFirst
      open
      close={() => goesOn.current || close()}
      title="Set up a second factor"
      lead="First your password, so that nobody does this at a desk you have left."
      verb="Continue"
      disabled={!password}
      act={async () => {
        const secret = await proving(ask<Of<"FactorSecret">>("POST", "/auth/mfa/totp", { body: { password } }));
        goesOn.current = true;
        begin(secret);
      }}
    >
      <Own>
        <SecretField own label="Your password" kept={false} value={password} set={setPassword} required />
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
      lead="From then on your password alone signs you in."
      verb="Remove it"
      tone="danger"
      disabled={!password || code.trim().length < 6}
      act={async () => {
        await proving(ask("DELETE", "/auth/mfa/totp", { body: { password, code: code.trim() } }));
        say("The second factor is removed.");
      }}
    >
      <Own>
        <SecretField own label="Your password" kept={false} value={password} set={setPassword} required />
        <TextField label="A code of your authenticator, or a recovery code" value={code} set={setCode} max={64} mono required />
      </Own>
    </AskFirst>
  );
}
