import { useMemo } from "react";
import * as text from "#text/requests";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { inLargestUnit } from "../../kit/duration";
import { Facts } from "../../kit/kit";

/** How requests of the last 30 days went, in one line. */
export function RequestStatistics() {
  const since = useMemo(() => new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 30 * 86_400_000).toISOString(), []);
  const { data } = useGet<Of<"AccessRequestMetrics">>("/access-requests/metrics", { since });
  const all = data?.all;
  return (
    <section className="card padded requests-figures" aria-label={text.theLast30Days} aria-busy={!data || undefined}>
      <Facts
        of={[
          [text.requestsIn30Days, data ? String(data.requests) : "…"],
          [text.waitingForApproval, data ? String(data.open) : "…"],
          [text.medianApprovalTime, data ? durationSummary(all?.median_seconds_to_approve) : "…"],
          ["90th percentile", data ? durationSummary(all?.p90_seconds_to_approve) : "…"],
          [text.rejectedOrExpired, data ? `${Math.round((all?.rejection_rate ?? 0) * 100)} %` : "…"],
          [text.emergencyRequests, data ? String(all?.emergencies ?? 0) : "…"],
        ]}
      />
    </section>
  );
}

/** Seconds in the largest unit that says something. */
export function durationSummary(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return text.noneYet;
  return inLargestUnit(seconds, (n) => Math.round(10 * n) / 10) ?? text.roundSeconds(Math.round(seconds));
}
