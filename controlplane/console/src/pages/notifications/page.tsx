import * as text from "#text/notifications";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Failure, Head, Skeleton } from "../../kit/kit";
import { Defaults } from "./defaults";
import { Deliveries } from "./deliveries";
import { Server } from "./server";
import { Templates } from "./templates";

/** The mail server of the tenant, the defaults of its people, and the delivery log. */
export default function Notifications() {
  const settings = useGet<Of<"NotificationSettings">>("/settings/notifications");
  const again = () => void settings.refetch();
  return (
    <>
      <Head title={text.notifications} lead={text.theMailServerTheDefaults} />
      {settings.isPending ? (
        <Skeleton rows={8} />
      ) : settings.isError ? (
        <Failure error={settings.error} retry={again} />
      ) : (
        <>
          <Server key={`server ${settings.data.version}`} of={settings.data} again={again} />
          <Defaults key={`defaults ${settings.data.version}`} of={settings.data} again={again} />
        </>
      )}
      <Templates />
      <Deliveries />
    </>
  );
}
