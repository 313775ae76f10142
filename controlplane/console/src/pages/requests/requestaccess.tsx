import * as text from "#text/requests";
import "./requests.css";
import { useMay, useMe } from "../../api/use";
import { Button, Empty, Head, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
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
      title={text.requestAccess}
      up={<Link to="/requests">{text.requests}</Link>}
      lead={d.view === "review" ? text.checkTheApprovalPathBeforeYou : text.selectTheAccessNothingIsSubmitted}
    >
      {d.view === "review" && !may.readOnly && (
        <Button reads onClick={() => d.show("choose")}>
          {text.addItems}
        </Button>
      )}
    </Head>
  );
  if (may.readOnly)
    return (
      <div className="stack">
        {head}
        <Empty title={text.auditorsAreReadOnly}>{text.auditorsCannotRequestAccessAllRequests}</Empty>
      </div>
    );
  if (!self && !others)
    return (
      <div className="stack">
        {head}
        <Empty title={text.yourSignInIsNotLinked}>{text.accessIsGivenToPeopleAn}</Empty>
      </div>
    );
  return (
    <div className="stack">
      {head}
      {d.view === "review" && few > 0 ? <Review d={d} self={self} others={others} /> : <Choose d={d} self={self} others={others} />}
    </div>
  );
}
