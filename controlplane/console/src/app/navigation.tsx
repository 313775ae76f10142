import {
  BadgeCheck,
  Boxes,
  Building2,
  ClipboardList,
  Contact,
  Hammer,
  Inbox,
  KeyRound,
  LayoutDashboard,
  ListChecks,
  LogOut,
  type LucideIcon,
  Menu as MenuIcon,
  Plug,
  ScrollText,
  Search,
  Settings,
  Shapes,
  ShieldAlert,
  ShieldCheck,
  Split,
  SunMoon,
  Users,
} from "lucide-react";
import { Fragment, useState } from "react";
import * as text from "#text/app";
import { basePath } from "../api/base";
import { signOut } from "../api/session";
import type { Of } from "../api/types";
import { useGet, useMay, useMe } from "../api/use";
import { Link } from "../kit/link";
import { showToast } from "../kit/toast";
import { nextTheme } from "./appearance";
import { inNavigation, places } from "./places";

const icons: Record<string, LucideIcon> = {
  dashboard: LayoutDashboard,
  inbox: Inbox,
  mine: BadgeCheck,
  requests: ClipboardList,
  people: Users,
  accounts: Contact,
  access: KeyRound,
  connectors: Plug,
  provisioning: Hammer,
  roles: Shapes,
  policies: ShieldCheck,
  separation: Split,
  violations: ShieldAlert,
  audit: ScrollText,
  packs: Boxes,
  settings: Settings,
  tenants: Building2,
  work: ListChecks,
};

/** The way to every screen that somebody may open. The service decides all the same. */
export function Navigation({ search }: { search: () => void }) {
  const me = useMe();
  const may = useMay();
  const [open, setOpen] = useState(false);
  const mine = places.filter((p) => inNavigation(p, may));
  let group: string | undefined;
  return (
    <nav className={`rail${open ? " open" : ""}`} aria-label={text.main}>
      <div className="brand">
        <img src={`${basePath}/mark.svg`} alt="" width={22} height={22} />
        <span className="grow">
          {text.product}
          <small className="muted clip" dir="auto">
            {me?.tenant?.name ?? "\u00a0"}
          </small>
        </span>
        <button
          type="button"
          className="button quiet icon menu-button"
          aria-expanded={open}
          aria-label={text.menu}
          onClick={() => setOpen(!open)}
        >
          <MenuIcon aria-hidden size={18} />
        </button>
      </div>
      <button type="button" className="button search-button" onClick={search}>
        <Search aria-hidden size={15} />
        <span className="grow">{text.search}</span>
        <kbd>Ctrl</kbd>
        <kbd>K</kbd>
      </button>
      <ul className="ways">
        {mine.map((p) => {
          const Icon = icons[p.icon ?? ""] ?? Settings;
          const title = p.group !== group && p.group ? p.group : "";
          group = p.group;
          return (
            <Fragment key={p.path}>
              {title && <li className="group">{title}</li>}
              <li>
                <Link
                  to={p.path}
                  activeOptions={{ exact: p.path === "/", includeSearch: false }}
                  activeProps={{ className: "active" }}
                  onClick={() => setOpen(false)}
                >
                  <Icon aria-hidden size={16} /> <span className="grow">{p.title}</span>
                  {p.path === "/inbox" && <Waiting />}
                </Link>
              </li>
            </Fragment>
          );
        })}
      </ul>
      <div className="foot">
        <Link to="/settings/me" className="who">
          <span className="clip" dir="auto">
            {me?.user?.display_name || me?.user?.email || me?.display}
          </span>
        </Link>
        <button type="button" className="item" onClick={() => showToast(text.themeNextTheme(nextTheme()))}>
          <SunMoon aria-hidden size={16} /> {text.theme}
        </button>
        <button type="button" className="item" onClick={() => void signOut()}>
          <LogOut aria-hidden size={16} /> {text.signOut}
        </button>
      </div>
    </nav>
  );
}

/** How many decisions wait for whoever is signed in. */
function Waiting() {
  const summary = useGet<Of<"DecisionSummary">>("/decision-tasks/summary", {}, { every: 30_000 });
  const open = summary.data?.open ?? 0;
  return open > 0 ? <span className="count">{open.toLocaleString("en")}</span> : null;
}
