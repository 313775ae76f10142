import type { ReactNode } from "react";
import { useSeenPerson } from "../api/use";
import { Link } from "./link";

/** A person by name: a link to their record where the user may see it, and the name alone otherwise. */
export function PersonLink({ id, className = "link", children }: { id: string; className?: string; children: ReactNode }) {
  if (!useSeenPerson(id)) return children;
  return (
    <Link className={className} to="/people/$id" params={{ id }}>
      {children}
    </Link>
  );
}
