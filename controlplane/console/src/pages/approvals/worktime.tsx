import * as text from "#text/approvals";
import "./approvals.css";
import { useState } from "react";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Button, Empty, Failure, Head, Part, Skeleton, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { State } from "../../kit/state";
import { CalendarDialog, days } from "./calendar";
import { OnCall, ScheduleDialog } from "./oncall";

type Calendar = Of<"ApprovalCalendar">;
type Schedule = Of<"OnCallSchedule">;

/** When people work, and who is on call. */
export default function Worktime() {
  const may = useMay();
  const [calendar, editCalendar] = useState<Calendar | "new">();
  const [schedule, editSchedule] = useState<Schedule | "new">();
  const calendars = useGet<Page<Calendar>>("/approval-rules/calendars", { limit: 200 });
  const schedules = useGet<Page<Schedule>>("/approval-rules/on-call", { limit: 200 }, { every: 60_000 });
  return (
    <div className="stack">
      <Head
        title={text.workingTimeAndOnCall}
        up={<Link to="/settings/approval-rules">{text.approvalRules}</Link>}
        lead={text.dueTimesRemindersAndEscalationsCount}
      />
      <Part
        title={text.calendars}
        lead={text.stepsWithoutACalendarUseThe}
        actions={may.admin && <Button onClick={() => editCalendar("new")}>{text.addACalendar}</Button>}
      >
        {calendars.isError ? (
          <Failure error={calendars.error} retry={() => void calendars.refetch()} />
        ) : !calendars.data ? (
          <Skeleton rows={3} />
        ) : calendars.data.items.length === 0 ? (
          <Empty title={text.noCalendarsYet}>{text.mondayToFridayApplies}</Empty>
        ) : (
          <ul className="work-cards">
            {calendars.data.items.map((c) => (
              <li key={c.id} className="card padded stack tight">
                <div className="row between">
                  <h3 className="row">
                    <Text of={c.name} /> {c.usual && <State of="usual" tone="ok" words={text.defaultLabelLower} />}
                  </h3>
                  {may.admin && (
                    <Manage
                      what="calendar"
                      path={`/approval-rules/calendars/${c.id}`}
                      name={c.name ?? ""}
                      version={c.version}
                      edit={() => editCalendar(c)}
                    />
                  )}
                </div>
                <Week of={c} />
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Part
        title={text.onCall}
        lead={text.peopleWhoRotateAsApproversIf}
        actions={may.admin && <Button onClick={() => editSchedule("new")}>{text.addASchedule}</Button>}
      >
        {schedules.isError ? (
          <Failure error={schedules.error} retry={() => void schedules.refetch()} />
        ) : !schedules.data ? (
          <Skeleton rows={3} />
        ) : schedules.data.items.length === 0 ? (
          <Empty title={text.noOnCallSchedulesYet}>{text.addPeopleWhoRotateApprovalRules}</Empty>
        ) : (
          <ul className="work-cards">
            {schedules.data.items.map((s) => (
              <li key={s.id} className="card padded stack tight">
                <div className="row between">
                  <h3>
                    <Text of={s.name} />
                  </h3>
                  {may.admin && (
                    <Manage
                      what="schedule"
                      path={`/approval-rules/on-call/${s.id}`}
                      name={s.name ?? ""}
                      version={s.version}
                      edit={() => editSchedule(s)}
                    />
                  )}
                </div>
                <OnCall of={s} />
              </li>
            ))}
          </ul>
        )}
      </Part>
      {calendar && <CalendarDialog of={calendar === "new" ? undefined : calendar} close={() => editCalendar(undefined)} />}
      {schedule && <ScheduleDialog of={schedule === "new" ? undefined : schedule} close={() => editSchedule(undefined)} />}
    </div>
  );
}

function Week({ of: c }: { of: Calendar }) {
  return (
    <>
      <p className="small muted">
        {c.timezone}
        {c.description ? `: ${c.description}` : ""}
      </p>
      <table className="work-week">
        <caption className="sr">{text.hoursOfName(c.name)}</caption>
        <tbody>
          {days.map((d) => {
            const hours = c.week?.[d] ?? [];
            return (
              <tr key={d}>
                <th scope="row">{d}</th>
                <td>
                  {hours.length ? hours.map((h) => text.fromToTo(h.from, h.to)).join(", ") : <span className="faint">{text.closed}</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {(c.holidays?.length ?? 0) > 0 && (
        <p className="small muted">
          {text.holidaysLower(c.holidays?.length ?? 0)}:{" "}
          {(c.holidays ?? [])
            .slice(0, 4)
            .map((h) => `${h.date} ${h.name ?? ""}`.trim())
            .join(", ")}
          {(c.holidays?.length ?? 0) > 4 && "…"}
        </p>
      )}
    </>
  );
}

type ManageProps = { what: string; path: string; name: string; version: number; edit: () => void };

function Manage({ what, path, name, version, edit }: ManageProps) {
  const [going, setGoing] = useState(false);
  const drop = useAct({
    quiet: true,
    act: (p: string, key) => ask("DELETE", p, { key, ifMatch: version }),
    done: text.nameWasDeleted(name),
    changes: ["/approval-rules"],
  });
  return (
    <>
      <Menu
        words={text.actions}
        label={text.actionsForName(name)}
        of={[
          { words: text.edit, act: edit },
          { words: text.deleteLabel, act: () => setGoing(true), danger: true },
        ]}
      />
      <ConfirmDialog
        open={going}
        close={() => setGoing(false)}
        title={text.deleteTheWhatName(what, name)}
        lead={what === "calendar" ? text.stepsWithThisCalendarUseThe : text.aScheduleThatAnApprovalRule}
        verb={text.deleteLabel}
        tone="danger"
        act={() => drop.mutateAsync(path)}
      />
    </>
  );
}
