import * as text from "#text/wizard";
import type { Connector } from "../../api/types";
import { useGet } from "../../api/use";
import { Part, Table, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";

type Page = { items: Connector[]; total: number };

/** What was begun and has not been read yet. */
export function Drafts() {
  const drafts = useGet<Page>("/connectors", { status: "draft", limit: 20 });
  const ready = useGet<Page>("/connectors", { status: "ready", limit: 20 });
  const begun = [...(drafts.data?.items ?? []), ...(ready.data?.items ?? [])].filter((c) => c.funnel_state === "bootstrapped");
  if (begun.length === 0) return null;
  begun.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  return (
    <Part title={text.continueSetup}>
      <Table label={text.connectorsInSetup}>
        <thead>
          <tr>
            <th scope="col">{text.name}</th>
            <th scope="col">{text.typeLabel}</th>
            <th scope="col">{text.environment}</th>
            <th scope="col">{text.state}</th>
            <th scope="col">{text.lastChanged}</th>
          </tr>
        </thead>
        <tbody>
          {begun.slice(0, 8).map((c) => (
            <tr key={c.id}>
              <td>
                <Link to="/connectors/new/$id/$step" params={{ id: c.id, step: "resume" }}>
                  <Text of={c.name} />
                </Link>
              </td>
              <td>{c.vendor_key ?? c.type}</td>
              <td>{c.environment}</td>
              <td>
                <State of={c.status} />
              </td>
              <td>
                <When at={c.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Part>
  );
}
