import * as text from "#text/audit";
import { save } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { number } from "../../kit/count";
import { Dialog } from "../../kit/dialog";
import { Id, Verbatim } from "../../kit/elements";
import { Button, Failure, Skeleton, Table, When } from "../../kit/kit";
import { State } from "../../kit/state";

/** The last signed checkpoints of the log, and the keys that they are signed with. */
export function Checkpoints({ open, close }: { open: boolean; close: () => void }) {
  const all = useGet<Of<"CheckpointList">>("/audit-events/checkpoints", { limit: 50 }, { enabled: open });
  return (
    <Dialog side open={open} close={close} title={text.checkpointsAndKeys} lead={text.checkpointsAreSignaturesOverTheLog}>
      {all.isError ? (
        <Failure error={all.error} retry={() => void all.refetch()} />
      ) : all.isPending ? (
        <Skeleton rows={5} />
      ) : (
        <div className="stack">
          <Keys of={all.data.keys ?? []} />
          <section className="stack tight">
            <h3>{text.theLastCountOfCheckpoints(number(all.data.items.length), all.data.total)}</h3>
            {all.data.items.length === 0 && <p className="muted small">{text.noCheckpointsYetTheFirstOne}</p>}
            {all.data.items.length > 0 && (
              <Table label={text.checkpoints}>
                <thead>
                  <tr>
                    <th scope="col" className="num">
                      {text.upToEntry}
                    </th>
                    <th scope="col">{text.signed}</th>
                    <th scope="col">{text.note}</th>
                  </tr>
                </thead>
                <tbody>
                  {all.data.items.map((c) => (
                    <tr key={c.seq}>
                      <td className="num">{c.seq.toLocaleString("en")}</td>
                      <td>
                        <When at={c.at} />
                      </td>
                      <td className="wide">
                        <details>
                          <summary data-reads="">{text.signedText}</summary>
                          <Verbatim label={text.checkpointSeq(c.seq)} copy>
                            {c.note}
                          </Verbatim>
                        </details>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </Table>
            )}
          </section>
        </div>
      )}
    </Dialog>
  );
}

function Keys({ of }: { of: Of<"VerifyingKey">[] }) {
  return (
    <section className="stack tight">
      <h3>{text.keys}</h3>
      <ul className="stack tight">
        {of.map((k) => (
          <li key={k.key_id} className="audit-key">
            <div className="row between">
              <State of={k.active ? "active" : "kept"} words={k.active ? text.signs : text.verificationOnly} />
              <Button reads onClick={() => save(new Blob([k.pem], { type: "application/x-pem-file" }), "audit-key.pem")}>
                {text.downloadAsPem}
              </Button>
            </div>
            <p className="small">{text.fingerprintFingerprint(<Id of={k.fingerprint} />)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
