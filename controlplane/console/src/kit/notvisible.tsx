import * as text from "#text/kit";
import { Link } from "./link";

/** The words of an empty list for a user who sees a part of the tenant: it is empty for them, and their own record is elsewhere. */
export function NotVisible({ what }: { what: string }) {
  return (
    <>
      {text.whatYourOwnAccessIsOn(
        what,
        <Link className="link" to="/my-access">
          {text.myAccess}
        </Link>,
      )}
    </>
  );
}
