import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { Activity, Contact, KeyRound, LogOut, type LucideIcon, Plug, SunMoon, Users } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { basePath } from "../api/base";
import { current, signOut, subscribe } from "../api/session";
import { nextTheme } from "./look";
import { SignInForm } from "./signin";

type Item = { to: string; words: string; icon: LucideIcon; roles?: string[]; key?: string };

// Whoever cannot use something does not see it. The service decides all the same.
const items: (Item | string)[] = [
  { to: "/", words: "Dashboard", icon: Activity, key: "d" },
  "Access",
  { to: "/people", words: "People", icon: Users, key: "p" },
  { to: "/accounts", words: "Accounts", icon: Contact },
  { to: "/access", words: "Access", icon: KeyRound, key: "a" },
  { to: "/connectors", words: "Connectors", icon: Plug, roles: ["admin", "auditor"], key: "c" },
];

/** Who is signed in, for as long as somebody is. */
export const useSession = () => useSyncExternalStore(subscribe, current);

/** What stands around every page. */
export function Shell() {
  const session = useSession();
  const navigate = useNavigate();
  const path = useRouterState({ select: (s) => s.location.pathname });
  const roles = session.state === "in" ? session.user.roles : [];
  const mine = items.filter((i) => typeof i === "string" || !i.roles || i.roles.some((r) => roles.includes(r)));
  useEffect(() => {
    let led = 0;
    const key = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || (e.target as HTMLElement).closest("input,textarea,select,[role=dialog]")) return;
      if (e.key === "g") led = Date.now();
      else if (Date.now() - led < 1000) {
        const to = mine.find((i) => typeof i !== "string" && i.key === e.key) as Item | undefined;
        if (to) void navigate({ to: to.to });
        led = 0;
      }
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page is told by its title
  useEffect(() => document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true }), [path]);
  return (
    <div className="shell">
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <nav className="rail" aria-label="Main">
        <div className="brand">
          <img src={`${basePath}/mark.svg`} alt="" width={22} height={22} /> Grantwright
        </div>
        {mine.map((i) =>
          typeof i === "string" ? (
            <div key={i} className="group">
              {i}
            </div>
          ) : (
            <Link key={i.to} to={i.to} activeOptions={{ exact: i.to === "/", includeSearch: false }} activeProps={{ className: "active" }}>
              <i.icon aria-hidden size={16} /> {i.words}
            </Link>
          ),
        )}
        <div className="foot">
          {session.state === "in" && <div className="group who">{session.user.display_name || session.user.email}</div>}
          <button type="button" className="item" onClick={nextTheme}>
            <SunMoon aria-hidden size={16} /> Light or dark
          </button>
          <button type="button" className="item" onClick={() => void signOut()}>
            <LogOut aria-hidden size={16} /> Sign out
          </button>
        </div>
      </nav>
      <main id="page" className="page stack">
        {roles.includes("auditor") && roles.length === 1 && (
          <p className="small muted">Read only: an auditor sees everything and changes nothing.</p>
        )}
        <Outlet />
      </main>
      {session.state === "out" && session.lapsed && (
        <div className="lapsed" role="dialog" aria-modal="true" aria-label="Sign in again">
          <SignInForm lead="Your session has ended. Sign in again: what you have typed is still here." />
        </div>
      )}
    </div>
  );
}
