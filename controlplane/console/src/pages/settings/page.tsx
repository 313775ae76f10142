import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useMay } from "../../api/use";
import { mayOpen, type Place, places } from "../../app/places";
import { Head, Part } from "../../kit/kit";
import "./settings.css";

const leads: Record<string, string> = {
  "/settings/me": "Your account, appearance, password, second factor and sessions",
  "/settings/approval-rules": "Who approves access requests",
  "/settings/approval-rules/worktime": "Working hours for due times, and on-call approvers",
  "/settings/agents": "Programs in your network that run connectors",
  "/settings/webhooks": "Send events to other systems",
  "/settings/tokens": "Access to the API for programs",
  "/settings/users": "Who can sign in, and with which roles",
  "/settings/identity-providers": "Single sign-on with your identity provider",
  "/settings/tenant": "Name, time zone, and settings for joiners, movers and leavers",
  "/settings/attributes": "Custom attributes of people",
  "/settings/audit": "Retention and streams of the audit log",
};

/** What can be set, by what it is about. */
export default function Settings() {
  const may = useMay();
  const open = places.filter((p) => p.section && mayOpen(p, may));
  const sections = [...new Set(open.map((p) => p.section ?? ""))];
  return (
    <>
      <Head title="Settings" lead="Settings of this tenant that you can view." />
      {sections.map((s) => (
        <Part key={s} title={s}>
          <ul className="card settings-list">{open.filter((p) => p.section === s).map(One)}</ul>
        </Part>
      ))}
      <Part title="More">
        <ul className="card settings-list">
          <One path="/help" title="Documentation" help="console" />
        </ul>
      </Part>
    </>
  );
}

function One(of: Place) {
  return (
    <li key={of.path}>
      <Link to={of.path as never}>
        <span className="grow">
          <strong>{of.title}</strong>
          <span className="small muted">{leads[of.path] ?? (of.path === "/help" ? "Guides and reference" : "")}</span>
        </span>
        <ChevronRight aria-hidden size={16} />
      </Link>
    </li>
  );
}
