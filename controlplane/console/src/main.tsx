import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { basePath } from "./api/base";
import { latestUser, Refusal, subscribe } from "./api/session";
import { loaders } from "./app/pages";
import { placeAt } from "./app/places";
import { router } from "./app/router";
import { Toasts } from "./kit/toast";
import "./tokens.css";
import "./kit/kit.css";
import "./kit/form.css";
import "./kit/overlay.css";
import "./kit/parts.css";
import "./app/shell.css";

// What was refused is not asked again by itself; what could not be reached is, twice.
const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: (n, e) => n < 2 && !(e instanceof Refusal && e.status >= 400 && e.status < 500) },
  },
});

// What one user has seen is not for the next.
let whose: string | undefined;
subscribe(() => {
  const now = latestUser()?.id;
  if (whose && now !== whose) void queries.resetQueries();
  whose = now;
});

// The first screen's own module comes while the session is renewed, and not after it. Where it cannot be had, the router says so.
const first = placeAt(window.location.pathname.slice(basePath.length) || "/");
if (first) loaders[first.path]?.().catch(() => undefined);

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <CSPProvider disableStyleElements>
          <Toasts>
            <RouterProvider router={router} />
          </Toasts>
        </CSPProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
