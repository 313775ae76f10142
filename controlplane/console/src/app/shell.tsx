import { Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import * as text from "#text/app";
import { act, actingAs, subscribeActing } from "../api/acting";
import { basePath } from "../api/base";
import { current, subscribe } from "../api/session";
import { useMay, useMe } from "../api/use";
import { Button, LoadingMarker } from "../kit/kit";
import { useGo } from "../kit/link";
import { dialogIsOpen, isTextInput, useKeys } from "./keys";
import { Navigation } from "./navigation";
import { mayOpen, placeAt, places } from "./places";
import { SessionExpired } from "./sessionexpired";
import { UnsavedChangesGuard } from "./unsavedguard";

const Palette = lazy(() => import("./palette"));
const KeySheet = lazy(() => import("./keysheet"));

/** Who is signed in, for as long as somebody is. */
export const useSession = () => useSyncExternalStore(subscribe, current);

/** What stands around every page. */
export function Shell() {
  const session = useSession();
  const [open, show] = useOver();
  const led = useGlobalKeys(show);
  useTitle();
  const may = useMay();
  return (
    <div className="shell">
      <a className="skip" href="#page">
        {text.skipToContent}
      </a>
      <Navigation search={() => show("palette")} />
      <main id="page" className="page stack" tabIndex={-1}>
        <ActingBanner />
        <Offline />
        {may.readOnly && <p className="small muted">{text.readOnlyYouCanSeeEverything}</p>}
        <Outlet />
      </main>
      <Suspense fallback={<LoadingMarker />}>
        {open === "palette" && <Palette close={(goes) => show(undefined, goes)} keys={() => show("keys")} />}
        {open === "keys" && <KeySheet close={() => show()} />}
      </Suspense>
      {led && <GoHint />}
      <UnsavedChangesGuard />
      {session.state === "out" && session.lapsed && <SessionExpired />}
    </div>
  );
}

type Overlay = "palette" | "keys" | undefined;

/** What lies over the page. When it goes, the focus goes back to where it was, unless another page is opened by it. */
function useOver(): [Overlay, (what?: Overlay, goes?: boolean) => void] {
  const [open, setOpen] = useState<Overlay>();
  const back = useRef<Element>(null);
  const show = useCallback((what?: Overlay, goes = false) => {
    const now = document.activeElement;
    if (what && !now?.closest("[role=dialog]")) back.current = now;
    setOpen(what);
    if (what || goes) return;
    setTimeout(() => {
      if (document.activeElement === document.body && back.current instanceof HTMLElement) back.current.focus({ preventScroll: true });
    }, 30);
  }, []);
  return [open, show];
}

const pause = 2500; // milliseconds between G and the letter of a screen

/** Ctrl K, ?, and G followed by the letter of a screen. Tells whether a letter is waited for. */
function useGlobalKeys(open: (what: "palette" | "keys") => void): boolean {
  const navigate = useGo();
  const may = useMay();
  const [led, lead] = useState(false);
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
        e.preventDefault();
        if (!document.querySelector("dialog:modal")) open("palette"); // it would lie behind it
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [open]);
  // The letter after G is the shell's, whatever it does on the page: pages see it only when no G came before.
  useEffect(() => {
    if (!led) return;
    const second = (e: KeyboardEvent) => {
      if (e.key === "Shift") return;
      lead(false);
      if (isTextInput(e)) return;
      const place = places.find((p) => p.key === e.key.toLowerCase() && mayOpen(p, may));
      if (!place && e.key !== "Escape") return;
      if (place) void navigate({ to: place.path });
      e.preventDefault();
      e.stopImmediatePropagation();
    };
    const timer = setTimeout(() => lead(false), pause);
    document.addEventListener("keydown", second, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", second, true);
    };
  }, [led, may, navigate]);
  useKeys({ g: () => lead(true), "?": () => open("keys") });
  return led;
}

/** What may follow a G. */
function GoHint() {
  const may = useMay();
  return (
    <div className="shortcut-hint small" role="status">
      <strong>{text.goTo}</strong>
      {places
        .filter((p) => p.key && mayOpen(p, may))
        .map((p) => (
          <span key={p.path}>
            <kbd>{p.key?.toUpperCase()}</kbd> {p.title}
          </span>
        ))}
    </div>
  );
}

/** A new page is told by its title: the window's, and the focus on its h1, unless somebody has gone elsewhere on it meanwhile. */
function useTitle() {
  const path = useRouterState({ select: (s) => s.resolvedLocation?.pathname ?? s.location.pathname });
  useEffect(() => {
    const place = placeAt(path);
    document.title = place ? text.windowTitle(place.title) : text.grantwright;
    const from = document.activeElement;
    let tries = 0;
    const timer = setInterval(() => {
      const now = document.activeElement;
      if (dialogIsOpen()) {
        // A dialog that the address opens has the focus, or will have it once it is there.
        if (now?.closest("dialog,[role=dialog]") || ++tries > 100) clearInterval(timer);
        return;
      }
      const moved = tries > 0 && now !== from && now !== document.body;
      const title = moved ? null : document.querySelector<HTMLElement>("main h1");
      if (title) title.focus({ preventScroll: true });
      if (title || moved || ++tries > 100) clearInterval(timer);
    }, 50);
    return () => clearInterval(timer);
  }, [path]);
}

function ActingBanner() {
  const acting = useSyncExternalStore(subscribeActing, actingAs);
  const me = useMe();
  if (!acting) return null;
  return (
    <div className="note warn row between" role="status">
      <span>{text.youAreWorkingInNameAs(<strong>{me?.tenant?.name ?? acting.name}</strong>)}</span>
      <Button
        reads
        onClick={() => {
          act();
          window.location.assign(`${basePath}/admin/tenants`);
        }}
      >
        {text.leaveThisTenant}
      </Button>
    </div>
  );
}

function Offline() {
  const online = useSyncExternalStore(
    (told) => {
      window.addEventListener("online", told);
      window.addEventListener("offline", told);
      return () => {
        window.removeEventListener("online", told);
        window.removeEventListener("offline", told);
      };
    },
    () => navigator.onLine,
  );
  return online ? null : (
    <div className="note warn" role="status">
      {text.youAreOfflineDataMayBe}
    </div>
  );
}
