import { Link } from "@tanstack/react-router";

/** The words of an empty list for a user who sees a part of the tenant: it is empty for them, and their own record is elsewhere. */
export function NotVisible({ what }: { what: string }) {
  return (
    <>
      {what} Your own access is on the page{" "}
      <Link className="link" to={"/my-access" as never}>
        My access
      </Link>
      .
    </>
  );
}
