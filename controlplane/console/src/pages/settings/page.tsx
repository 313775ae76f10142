import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useMay } from "../../api/use";
import { mayOpen, type Place, places } from "../../app/places";
import { Head, Part } from "../../kit/kit";
import "./settings.css";

const leads: Record<string, string> = {
  "/settings/me": "Who you are here, look, password, second factor, sessions",
  "/settings/approval-rules": "Who must agree before somebody gets something",
  "/settings/approval-rules/worktime": "When time for an approval counts, and who stands in",
  "/settings/agents": "Programs beside your systems that carry what is read and written",
  "/settings/webhooks": "Tell other systems what happens here",
  "/settings/tokens": "Let programs use the API, within limits",
  "/settings/users": "Who may sign in, and what they may do",
  "/settings/identity-providers": "Let people sign in with your company's provider",
  "/settings/tenant": "Name, time zone, address, and rules for joiners and leavers",
  "/settings/attributes": "What is known of people beyond the usual",
  "/settings/audit": "How long the log is kept, and where it is sent",
};

/** What can be set, by what it is about. */
export default function Settings() {
  const may = useMay();
  const open = places.filter((p) => p.section && mayOpen(p, may));
  const sections = [...new Set(open.map((p) => p.section ?? ""))];
  return (
    <>
      <Head title="Settings" lead="What you may see of how this tenant works." />
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
          <span className="small muted">{leads[of.path] ?? (of.path === "/help" ? "How everything here works" : "")}</span>
        </span>
        <ChevronRight aria-hidden size={16} />
      </Link>
    </li>
  );
}
