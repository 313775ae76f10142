import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Refusal } from "./api/session";
import { router } from "./app/router";
import "./tokens.css";
import "./kit/kit.css";
import "./app/shell.css";

// What was refused is not asked again by itself; what could not be reached is, twice.
const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: (n, e) => n < 2 && !(e instanceof Refusal && e.status >= 400 && e.status < 500) },
  },
});

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
