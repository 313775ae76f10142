import { createRootRoute, createRoute, createRouter, Outlet, redirect, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { basePath } from "../api/base";
import { current, refresh } from "../api/session";
import { Empty, Failure } from "../kit/kit";
import { safeNext } from "./next";
import { Shell, useSession } from "./shell";
import { SignInForm } from "./signin";

const root = createRootRoute({ component: Outlet });

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (s: Record<string, unknown>) => (typeof s.next === "string" ? { next: s.next } : {}) as { next?: string },
  component: function Login() {
    const session = useSession();
    const navigate = useNavigate();
    const { next } = login.useSearch();
    useEffect(() => {
      if (session.state === "in") void navigate({ href: basePath + safeNext(next), replace: true });
    }, [session.state, navigate, next]);
    return (
      <main className="doors">
        <SignInForm />
      </main>
    );
  },
});

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
      if (session.state === "out" && !session.lapsed) void navigate({ to: "/login", search: {} });
    }, [session, navigate]);
    return <Shell />;
  },
});

const page = <P extends string>(path: P, load: () => Promise<{ default: () => React.JSX.Element }>) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    validateSearch: (s: Record<string, unknown>) => s as Record<string, string>,
    errorComponent: ({ error, reset }) => <Failure page error={error} retry={reset} />,
  }).lazy(() => load().then((m) => ({ options: { component: m.default } })) as never);

const routes = root.addChildren([
  login,
  inside.addChildren([
    page("/", () => import("../pages/dashboard")),
    page("/people", () => import("../pages/people")),
    page("/people/$id", () => import("../pages/person")),
    page("/accounts", () => import("../pages/accounts")),
    page("/access", () => import("../pages/access")),
    page("/connectors", () => import("../pages/connectors")),
    page("/$", async () => ({
      default: () => (
        <Empty page title="There is no such page">
          Choose another one beside.
        </Empty>
      ),
    })),
  ]),
]);

// Addresses say what is in them as plain text: ?q=42 is a search for 42.
export const router = createRouter({
  routeTree: routes,
  basepath: basePath || "/",
  defaultPreload: "intent",
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(
      Object.entries(search).filter(([, v]) => v !== undefined && v !== "") as [string, string][],
    ).toString();
    return text ? `?${text}` : "";
  },
  defaultErrorComponent: ({ error, reset }) => <Failure page error={error} retry={reset} />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
