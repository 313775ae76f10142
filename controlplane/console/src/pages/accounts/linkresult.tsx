import * as text from "#text/accounts";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { Dialog } from "../../kit/dialog";
import { Button } from "../../kit/kit";
import { Login } from "./linktry";

const most = 50;

/** What came of naming owners by one field: those that could not be linked are told one by one. */
export function LinkResult({ of, close }: { of: Of<"BulkLinked">; close: () => void }) {
  const failed = (of.results ?? []).filter((r) => r.status === "failed");
  return (
    <Dialog open close={close} title={text.result}>
      <p>
        {text.linkedAssignedUnchangedUnchangedFailedFailed(number(of.counts.linked), number(of.counts.unchanged), number(of.counts.failed))}
      </p>
      <ul className="small">
        {failed.slice(0, most).map((r) => (
          <li key={r.index} dir="auto">
            {r.account_id && (
              <>
                <Login id={r.account_id} />:{" "}
              </>
            )}
            {r.detail ?? r.code}
          </li>
        ))}
        {failed.length > most && <li>{text.andCountMore(number(failed.length - most))}</li>}
      </ul>
      <div className="row end">
        <Button reads onClick={close}>
          {text.close}
        </Button>
      </div>
    </Dialog>
  );
}
