import { Failure, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { PauseButton, useSending } from "../provisioning/pausebutton";

/** Whether target systems are written to, among what holds for the whole tenant. */
export function Writing() {
  const found = useSending();
  if (found.isPending) return <Skeleton rows={2} />;
  if (found.isError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const s = found.data;
  return (
    <Part title="Writing to target systems">
      <Note tone={s.writes ? "ok" : "warn"}>
        <div className="row between">
          <span className="grow">
            {s.writes ? (
              "On: changes are sent to the connected systems, as each connector allows."
            ) : (
              <>
                Off since <When at={s.changed_at} />: no change is sent to any system. Tasks are planned and wait. Reason:{" "}
                <Text of={s.reason} none="none given" />
              </>
            )}
          </span>
          <PauseButton of={s} />
        </div>
      </Note>
    </Part>
  );
}
