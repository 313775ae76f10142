import { useRouterState } from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";
import * as text from "#text/app";
import { Link } from "../kit/link";
import { placeAt } from "./places";

/** Leads to the page of the documentation about this screen. */
export function Help() {
  const path = useRouterState({ select: (s) => s.location.pathname });
  const place = placeAt(path);
  if (!place || path.startsWith("/help")) return null;
  return (
    <Link
      to="/help/$page"
      params={{ page: place.help }}
      className="button quiet icon"
      aria-label={text.documentationOfThisPage}
      title={text.documentationOfThisPage}
    >
      <CircleHelp aria-hidden size={17} />
    </Link>
  );
}
