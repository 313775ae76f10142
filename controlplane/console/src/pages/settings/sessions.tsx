import { useState } from "react";
import { ask } from "../../api/client";
import { signOut } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Badge, Button, Failure, Part, Skeleton, Table, When } from "../../kit/kit";
import { agent } from "./agent";

const ways: Record<string, string> = {
  password: "password",
  password_otp: "password and second factor",
  sign_in_link: "one-time link",
  oidc: "single sign-on",
};

/** Where one is signed in. */
export function Sessions() {
  const sessions = useGet<Of<"ListSession">>("/auth/sessions", { limit: 100 });
  const [asking, asks] = useState(false);
  const end = useAct<string>({
    act: (id, key) => ask("DELETE", `/auth/sessions/${id}`, { key }),
    done: "Session ended.",
    changes: ["/auth/sessions"],
  });
  return (
    <Part
      title="Sessions"
      actions={
        <Button tone="danger" onClick={() => asks(true)}>
          Sign out everywhere
        </Button>
      }
    >
      {sessions.isPending ? (
        <Skeleton rows={2} />
      ) : sessions.isError ? (
        <Failure error={sessions.error} retry={() => void sessions.refetch()} />
      ) : (
        <Table label="Sessions">
          <thead>
            <tr>
              <th scope="col">Client</th>
              <th scope="col">Sign-in method</th>
              <th scope="col">Address</th>
              <th scope="col">Started</th>
              <th scope="col">Last used</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {sessions.data.items.map((s) => (
              <tr key={s.id}>
                <td title={s.user_agent}>
                  {agent(s.user_agent)} {s.current && <Badge tone="ok">current</Badge>}
                </td>
                <td>{ways[s.method] ?? s.method}</td>
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
                    <Button disabled={end.isPending} onClick={() => end.mutate(s.id)} aria-label={`End session: ${agent(s.user_agent)}`}>
                      End
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <AskFirst
        open={asking}
        close={() => asks(false)}
        title="Sign out everywhere"
        lead="Ends all your sessions, including this one. Unsaved changes in other tabs are lost."
        verb="Sign out everywhere"
        tone="danger"
        act={() => signOut(true)}
      />
    </Part>
  );
}
