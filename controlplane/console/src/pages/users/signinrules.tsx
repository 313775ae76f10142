import { useState } from "react";
import * as text from "#text/signinrules";
import { ask, type Page } from "../../api/client";
import { useAct, useGet, useMay } from "../../api/use";
import { Add } from "../../kit/addbutton";
import { number } from "../../kit/count";
import { DeleteFirst } from "../../kit/deletefirst";
import { ConfirmDialog, Dialog } from "../../kit/dialog";
import { Button, Empty, Facts, Failure, Head, Note, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { showRefusal } from "../../kit/toast";
import { type SignInRule, SignInRuleForm } from "./signinruleform";

const list = "/settings/sign-in-rules";

const roleNames: Record<string, string> = { manager: text.manager, resource_owner: text.owner, auditor: text.auditor };

/** The rules that give console sign-in to people. */
export default function SignInRules() {
  const found = useGet<Page<SignInRule>>(list, { limit: 100 });
  const [open, setOpen] = useState<SignInRule | "new">();
  return (
    <>
      <Head title={text.signInRules} lead={text.lead} up={<Link to="/settings/users">{text.users}</Link>}>
        <Add words={text.addRule} act={() => setOpen("new")} />
      </Head>
      {found.isPending ? (
        <Skeleton rows={3} />
      ) : found.isError && !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : found.data.items.length === 0 ? (
        <Empty title={text.noRulesYet}>{text.addARuleInsteadOf}</Empty>
      ) : (
        found.data.items.map((r) => <Card key={r.id} of={r} edit={() => setOpen(r)} />)
      )}
      {open !== undefined && (
        <Dialog wide open close={() => setOpen(undefined)} title={open === "new" ? text.addRule : text.editName(open.name)}>
          <SignInRuleForm of={open === "new" ? undefined : open} done={() => setOpen(undefined)} />
        </Dialog>
      )}
    </>
  );
}

function Card({ of, edit }: { of: SignInRule; edit: () => void }) {
  const may = useMay();
  const [asking, setAsking] = useState<"off" | "delete" | "accept">();
  const close = () => setAsking(undefined);
  const path = `${list}/${of.id}`;
  const turn = useAct({
    act: (enabled: boolean, key) => ask("PATCH", path, { body: { enabled }, key, ifMatch: of.version }),
    done: (_, enabled) => (enabled ? text.ruleEnabled : text.ruleDisabled),
    changes: [list, "/settings/users"],
    quiet: true,
  });
  const accept = useAct({
    act: (_: undefined, key) => ask("POST", `${path}/accept`, { key, ifMatch: of.version }),
    done: text.lossesAccepted,
    changes: [list, "/settings/users", "/dashboard"],
    quiet: true,
  });
  return (
    <section className="card padded stack" aria-label={of.name}>
      <div className="row between">
        <h2>
          {of.name} <State of={of.enabled ? "enabled" : "disabled"} />
        </h2>
        {may.admin && (
          <div className="row">
            <Button onClick={edit}>{text.edit}</Button>
            <Button onClick={() => (of.enabled ? setAsking("off") : turn.mutate(true, { onError: showRefusal }))}>
              {of.enabled ? text.disable : text.enable}
            </Button>
            <Button tone="danger" onClick={() => setAsking("delete")}>
              {text.deleteLabel}
            </Button>
          </div>
        )}
      </div>
      {of.held_at && (
        <Note tone="warn">
          {text.held(of.held_people)} {may.admin && <Button onClick={() => setAsking("accept")}>{text.acceptTheLosses}</Button>}
        </Note>
      )}
      <Facts
        of={[
          [text.appliesTo, of.sentence],
          [text.roles, of.roles.map((r) => roleNames[r] ?? r).join(", ") || text.noRoles],
          [text.invitation, of.invitation === "mail" ? text.byMail : text.bySignOn],
          [text.people, number(of.people)],
          [text.limitPerDay, text.percentPerDay(of.max_loss_percent)],
        ]}
      />
      {asking === "off" && (
        <ConfirmDialog
          open
          close={close}
          title={text.disableName(of.name)}
          lead={text.usersOfTheRuleLose}
          verb={text.disable}
          tone="danger"
          act={() => turn.mutateAsync(false)}
        />
      )}
      {asking === "accept" && (
        <ConfirmDialog
          open
          close={close}
          title={text.acceptQuestion}
          lead={text.evaluatesWithoutLimit}
          verb={text.accept}
          tone="danger"
          act={() => accept.mutateAsync(undefined)}
        />
      )}
      {asking === "delete" && (
        <DeleteFirst
          close={close}
          title={text.deleteName(of.name)}
          lead={text.usersOfTheRuleLose}
          path={path}
          list={list}
          version={of.version}
          done={text.ruleDeleted}
        />
      )}
    </section>
  );
}
