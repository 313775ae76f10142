import { createRootRoute, createRoute, createRouter, Outlet, redirect, useNavigate } from "@tanstack/react-router";
import { lazy, useEffect } from "react";
import * as texts from "#text/app";
import { basePath } from "../api/base";
import { current, refresh } from "../api/session";
import { useMay, useMe } from "../api/use";
import { Empty, Failure, Skeleton } from "../kit/kit";
import { safeNext } from "./next";
import { loaders } from "./pages";
import { mayOpen, type Place, places } from "./places";
import { Shell, useSession } from "./shell";
import { SignInForm } from "./signin";

const root = createRootRoute({ component: Outlet });

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (s: Record<string, unknown>) => s as { next?: string; tenant?: string },
  component: function Login() {
    const session = useSession();
    const navigate = useNavigate();
    const { next, tenant } = login.useSearch();
    useEffect(() => {
      document.title = texts.signInGrantwright;
    }, []);
    useEffect(() => {
      if (session.state !== "in") return;
      const to = safeNext(next);
      // The documents of the API are pages of their own.
      if (/^\/(docs|redoc)\b/.test(to)) window.location.assign(basePath + to);
      else void navigate({ href: basePath + to, replace: true });
    }, [session.state, navigate, next]);
    return (
      <main className="signin-page">
        <SignInForm next={safeNext(next)} tenant={tenant} />
      </main>
    );
  },
});

const SignInCallback = lazy(() => import("../pages/signin/callback"));
const ForgotPassword = lazy(() => import("../pages/signin/forgot"));
const Invited = lazy(() => import("../pages/signin/invitation"));

/** Where an outside provider sends the browser back to. */
const signedIn = createRoute({ getParentRoute: () => root, path: "/signed-in", component: SignInCallback });

/** Where a one-time link leads to: a password is set. */
const invited = createRoute({ getParentRoute: () => root, path: "/invited", component: Invited });

/** Where the link of a mail about a forgotten password leads to. */
const resetPassword = createRoute({ getParentRoute: () => root, path: "/reset-password", component: () => <Invited reset /> });

/** Where a user asks for that mail. */
const forgotPassword = createRoute({ getParentRoute: () => root, path: "/forgot-password", component: ForgotPassword });

const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  beforeLoad: async ({ location }) => {
    if (current().state === "unknown") await refresh();
    const now = current();
    if (now.state === "out" && !now.lapsed) throw redirect({ to: "/login", search: { next: location.href } });
  },
  component: function Inside() {
    const session = useSession();
    const navigate = useNavigate();
    useEffect(() => {
      if (session.state !== "out" || session.lapsed) return;
      const next = session.left ? undefined : router.state.location.href;
      void navigate({ to: "/login", search: next ? { next } : {}, ignoreBlocker: true });
    }, [session, navigate]);
    return <Shell />;
  },
});

const waiting = () => <Skeleton rows={6} />;

function page(place: Place) {
  const load = loaders[place.path];
  return createRoute({
    getParentRoute: () => inside,
    path: place.path,
    validateSearch: (s: Record<string, unknown>) => s as Record<string, string>,
    errorComponent: ({ error, reset }) => <Failure page error={error} retry={reset} />,
    pendingComponent: waiting,
  }).lazy(() => (load ?? loaders["/"])?.().then((m) => ({ options: { component: guarded(place, m.default) } })) as never);
}

const called: Record<string, string> = {
  admin: texts.administrators,
  auditor: texts.auditors,
  manager: texts.managers,
  resource_owner: texts.resourceOwners,
  operator: texts.serviceOperators,
};

/** A screen that somebody may not open says so, and names who may. */
function guarded(place: Place, Screen: () => React.JSX.Element | null) {
  if (!place.roles) return Screen;
  return function Guarded() {
    const may = useMay();
    const me = useMe();
    if (mayOpen(place, may)) return <Screen />;
    if (!me) return waiting();
    return (
      <Empty page title={texts.notVisibleToYou}>
        {texts.thisPageIsForRolesAsk((place.roles ?? []).map((r) => called[r] ?? r))}
      </Empty>
    );
  };
}

const nowhere = createRoute({
  getParentRoute: () => inside,
  path: "/$",
  component: () => (
    <Empty page title={texts.pageNotFound}>
      {texts.useTheMenuOrPressCtrl}
    </Empty>
  ),
});

const routes = root.addChildren([
  login,
  signedIn,
  invited,
  resetPassword,
  forgotPassword,
  inside.addChildren([...places.map(page), nowhere]),
]);

// Addresses say what is in them as plain text: ?q=42 is a search for 42.
export const router = createRouter({
  routeTree: routes,
  basepath: basePath || "/",
  defaultPreload: "intent",
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(
      Object.entries(search).filter(([, v]) => v !== undefined && v !== "") as [string, string][],
    ).toString();
    return text ? `?${text}` : "";
  },
  defaultErrorComponent: ({ error, reset }) => <Failure page error={error} retry={reset} />,
});
