import "./requests.css";
import { Link } from "@tanstack/react-router";
import { useMay, useMe } from "../../api/use";
import { Button, Empty, Head, Skeleton } from "../../kit/kit";
import { Choose } from "./choose";
import { useDraft } from "./draft";
import { Review } from "./review";

/** Asking for access: what, for whom, and what would become of it before it is sent. */
export default function RequestAccess() {
  const me = useMe();
  const may = useMay();
  const d = useDraft();
  if (!me) return <Skeleton />;
  const self = me.user?.identity_id ?? "";
  const others = may.admin || may.manager;
  const few = d.things.length;
  const head = (
    <Head
      title="Request access"
      up={<Link to="/requests">Requests</Link>}
      lead={
        d.view === "review"
          ? "Check the approval path before you send the request."
          : "Select the access. Nothing is submitted until you send the request."
      }
    >
      {d.view === "review" && !may.readOnly && (
        <Button reads onClick={() => d.show("choose")}>
          Add items
        </Button>
      )}
    </Head>
  );
  if (may.readOnly)
    return (
      <div className="stack">
        {head}
        <Empty title="Auditors are read-only">Auditors cannot request access. All requests are listed under Requests.</Empty>
      </div>
    );
  if (!self && !others)
    return (
      <div className="stack">
        {head}
        <Empty title="Your sign-in is not linked to a person">
          Access is given to people. An administrator can link your sign-in to your record under Settings, Users.
        </Empty>
      </div>
    );
  return (
    <div className="stack">
      {head}
      {d.view === "review" && few > 0 ? <Review d={d} self={self} others={others} /> : <Choose d={d} self={self} others={others} />}
    </div>
  );
}
