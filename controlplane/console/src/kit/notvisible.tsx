import { Link } from "@tanstack/react-router";
import * as text from "#text/kit";

/** The words of an empty list for a user who sees a part of the tenant: it is empty for them, and their own record is elsewhere. */
export function NotVisible({ what }: { what: string }) {
  return (
    <>
      {text.whatYourOwnAccessIsOn(
        what,
        <Link className="link" to={"/my-access" as never}>
          {text.myAccess}
        </Link>,
      )}
    </>
  );
}
