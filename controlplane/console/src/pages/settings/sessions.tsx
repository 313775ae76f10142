import { useState } from "react";
import * as text from "#text/settings";
import { ask } from "../../api/client";
import { signOut } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Badge, Button, Failure, Part, Skeleton, Table, When } from "../../kit/kit";
import { agent } from "./agent";

const methods: Record<string, string> = {
  password: text.passwordLower,
  password_otp: text.passwordAndSecondFactor,
  password_passkey: text.passwordAndPasskey,
  passkey: text.passkeyLower,
  sign_in_link: text.oneTimeLink,
  oidc: text.singleSignOn,
};

/** Where one is signed in. */
export function Sessions() {
  const sessions = useGet<Of<"ListSession">>("/auth/sessions", { limit: 100 });
  const [asking, asks] = useState(false);
  const end = useAct<string>({
    act: (id, key) => ask("DELETE", `/auth/sessions/${id}`, { key }),
    done: text.sessionEnded,
    changes: ["/auth/sessions"],
  });
  return (
    <Part
      title={text.sessions}
      actions={
        <Button tone="danger" onClick={() => asks(true)}>
          {text.signOutEverywhere}
        </Button>
      }
    >
      {sessions.isPending ? (
        <Skeleton rows={2} />
      ) : sessions.isError ? (
        <Failure error={sessions.error} retry={() => void sessions.refetch()} />
      ) : (
        <Table label={text.sessions}>
          <thead>
            <tr>
              <th scope="col">{text.client}</th>
              <th scope="col">{text.signInMethod}</th>
              <th scope="col">{text.address}</th>
              <th scope="col">{text.started}</th>
              <th scope="col">{text.lastUsed}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {sessions.data.items.map((s) => (
              <tr key={s.id}>
                <td title={s.user_agent}>
                  {agent(s.user_agent)} {s.current && <Badge tone="ok">{text.current}</Badge>}
                </td>
                <td>{methods[s.method] ?? s.method}</td>
                <td>
                  <code>{s.ip}</code>
                </td>
                <td>
                  <When at={s.created_at} />
                </td>
                <td>
                  <When at={s.last_used_at} />
                </td>
                <td>
                  {!s.current && (
                    <Button
                      disabled={end.isPending}
                      onClick={() => end.mutate(s.id)}
                      aria-label={text.endSessionAgent(agent(s.user_agent))}
                    >
                      {text.end}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <ConfirmDialog
        open={asking}
        close={() => asks(false)}
        title={text.signOutEverywhere}
        lead={text.endsAllYourSessionsIncludingThis}
        verb={text.signOutEverywhere}
        tone="danger"
        act={() => signOut(true)}
      />
    </Part>
  );
}
