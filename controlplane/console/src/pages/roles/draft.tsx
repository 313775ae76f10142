import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/roles";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import { useAct, useGet, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Form, useForm } from "../../kit/form";
import { Button, Failure, Note, Part, Skeleton } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { Changes } from "./changes";
import { Plan, usePlan } from "./confirmplan";
import { Fields } from "./fields";
import { type Content, contentOf, type Draft as DraftOf, patchOf, type Role, rereadRoles } from "./model";

/** The working copy of a role: nobody feels it until it is published. A role that gives nothing yet is its own. */
export default function Draft({ role }: { role: Role }) {
  const own = role.lifecycle === "draft" || role.lifecycle === "proposed";
  const found = useGet<DraftOf>(`/entitlements/roles/${role.id}/draft`, {}, { enabled: role.has_draft });
  const { admin } = useMay();
  if (role.lifecycle === "retired") return <Note>{text.theRoleIsRetiredAndCannot}</Note>;
  if (found.error && role.has_draft) return <Failure error={found.error} retry={() => void found.refetch()} />;
  if (role.has_draft && !found.data) return <Skeleton rows={6} />;
  const draft = role.has_draft ? found.data : undefined;
  return (
    <div className="stack">
      <Different role={role} draft={draft} own={own} />
      {admin ? (
        <Editor key={draft?.version ?? role.version} role={role} draft={draft} own={own} />
      ) : (
        !draft && !own && <Note>{text.noDraft}</Note>
      )}
    </div>
  );
}

function Different({ role, draft, own }: { role: Role; draft: DraftOf | undefined; own: boolean }) {
  const { admin } = useMay();
  const queries = useQueryClient();
  const [looking, setLooking] = useState(false);
  const [dropping, setDropping] = useState(false);
  const plan = usePlan(role, "publish", looking && admin && (own || draft !== undefined), draft?.version);
  const drop = useAct<void>({
    act: (_, key) => ask("DELETE", `/entitlements/roles/${role.id}/draft`, { key }),
    after: () => void rereadRoles(queries, role.id),
    done: text.draftDiscardedThePublishedRoleIs,
    quiet: true,
  });
  if (!draft && !own) return null;
  return (
    <Part
      title={own ? text.notPublishedYet : text.changesInTheDraft}
      lead={draft?.proposed ? text.approvalWasRequestedDraftWithdraws : undefined}
      actions={
        admin && (
          <>
            {!looking && (
              <Button reads onClick={() => setLooking(true)}>
                {text.previewChanges}
              </Button>
            )}
            {draft && (
              <Button tone="danger" onClick={() => setDropping(true)}>
                {text.discardDraftEllipsis}
              </Button>
            )}
          </>
        )
      }
    >
      {draft && <Changes of={draft.changes} none={text.noDifferencesFromThePublishedVersion} />}
      {looking &&
        (plan.error ? (
          <Failure error={plan.error} retry={() => void plan.refetch()} />
        ) : plan.data ? (
          <Plan of={plan.data} />
        ) : (
          <Skeleton rows={3} />
        ))}
      <ConfirmDialog
        open={dropping}
        close={() => setDropping(false)}
        title={text.discardDraft}
        lead={text.theChangesInTheDraftAre}
        verb={text.discard}
        tone="danger"
        act={() => drop.mutateAsync()}
      />
    </Part>
  );
}

function Editor({ role, draft, own }: { role: Role; draft: DraftOf | undefined; own: boolean }) {
  const queries = useQueryClient();
  const [stale, setStale] = useState(false);
  const was: Content = contentOf(draft?.content ?? role);
  const reread = () => queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/entitlements/roles") });
  const form = useForm<Content>(was, async (is, key) => {
    const body = patchOf(was, is);
    const path = `/entitlements/roles/${role.id}${own ? "" : "/draft"}`;
    const match = own ? role.version : draft?.version;
    try {
      await ask("PATCH", path, { body, key, ...(match ? { ifMatch: match } : {}) });
    } catch (e) {
      setStale(e instanceof Refusal && e.status === 412);
      throw e;
    }
    showToast(own ? text.savedTheRoleGrantsAccessAfter : text.savedInTheDraftItTakes);
    await reread();
  });
  return (
    <Part title={own ? text.settings : draft ? text.theDraft : text.edit} lead={own || draft ? undefined : text.changesAreSavedInADraft}>
      {role.managed_by === "code" && <Note tone="warn">{text.thisRoleIsManagedByA}</Note>}
      <Form of={form} verb={own ? text.save : text.saveDraft}>
        <Fields form={form} role={role} />
        {stale && (
          <Note tone="warn">
            <div className="row between">
              <span>{text.someoneElseHasChangedThisDraft}</span>
              <Button reads onClick={() => void reread()}>
                {text.reloadAndDiscardMyChanges}
              </Button>
            </div>
          </Note>
        )}
      </Form>
    </Part>
  );
}
