import { ChevronRight } from "lucide-react";
import * as text from "#text/settings";
import { useMay } from "../../api/use";
import { mayOpen, type Place, places } from "../../app/places";
import { Head, Part } from "../../kit/kit";
import { Link } from "../../kit/link";
import "./settings.css";

const leads: Record<string, string> = {
  "/settings/me": text.yourAccountAppearancePasswordSecondFactor,
  "/settings/approval-rules": text.whoApprovesAccessRequests,
  "/settings/approval-rules/worktime": text.workingHoursForDueTimesAnd,
  "/settings/agents": text.programsInYourNetworkThatRun,
  "/settings/webhooks": text.sendEventsToOtherSystems,
  "/settings/tokens": text.accessToTheApiForPrograms,
  "/settings/users": text.whoCanSignInAndWith,
  "/settings/identity-providers": text.singleSignOnWithYourIdentity,
  "/settings/tenant": text.nameTimeZoneAndSettingsFor,
  "/settings/attributes": text.customAttributesOfPeople,
  "/settings/work-queue": text.backgroundWorkThatWaitsOrFailed,
  "/settings/audit": text.retentionAndStreamsOfTheAudit,
};

/** What can be set, by what it is about. */
export default function Settings() {
  const may = useMay();
  const open = places.filter((p) => p.section && mayOpen(p, may));
  const sections = [...new Set(open.map((p) => p.section ?? ""))];
  return (
    <>
      <Head title={text.settings} lead={text.settingsOfThisTenantThatYou} />
      {sections.map((s) => (
        <Part key={s} title={s}>
          <ul className="card settings-list">{open.filter((p) => p.section === s).map(One)}</ul>
        </Part>
      ))}
      <Part title={text.more}>
        <ul className="card settings-list">
          <One path="/help" title={text.documentation} help={text.console} />
        </ul>
      </Part>
    </>
  );
}

function One(of: Place) {
  return (
    <li key={of.path}>
      <Link to={of.path}>
        <span className="grow">
          <strong>{of.title}</strong>
          <span className="small muted">{leads[of.path] ?? (of.path === "/help" ? text.guidesAndReference : "")}</span>
        </span>
        <ChevronRight aria-hidden size={16} />
      </Link>
    </li>
  );
}
