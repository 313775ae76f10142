import * as text from "#text/tenant";
import { Failure, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { PauseButton, useSending } from "../provisioning/pausebutton";

/** Whether target systems are written to, among what holds for the whole tenant. */
export function Writing() {
  const found = useSending();
  if (found.isPending) return <Skeleton rows={2} />;
  if (found.isError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const s = found.data;
  return (
    <Part title={text.writingToTargetSystems}>
      <Note tone={s.writes ? "ok" : "warn"}>
        <div className="row between">
          <span className="grow">
            {s.writes
              ? text.onChangesAreSentToThe
              : text.offSinceChangedAtNoChange(<When at={s.changed_at} />, <Text of={s.reason} none={text.noneGiven} />)}
          </span>
          <PauseButton of={s} />
        </div>
      </Note>
    </Part>
  );
}
