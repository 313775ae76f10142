import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSeenPerson } from "../api/use";

/** A person by name: a link to their record where the user may see it, and the name alone otherwise. */
export function PersonLink({ id, className = "link", children }: { id: string; className?: string; children: ReactNode }) {
  if (!useSeenPerson(id)) return children;
  return (
    <Link className={className} to={"/people/$id" as never} params={{ id } as never}>
      {children}
    </Link>
  );
}
