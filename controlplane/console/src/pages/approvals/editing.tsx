import { useState } from "react";
import * as text from "#text/approvals";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { EditConflict } from "../../kit/editconflict";
import { useForm } from "../../kit/form";
import { showToast } from "../../kit/toast";
import { RuleEditor } from "./editor";
import { bodyOf, draftOf } from "./model";
import { Replay } from "./replay";
import { TryOut } from "./simulate";

type Rule = Of<"ApprovalRule">;

/** The form of an approval rule that exists, with a trial and a replay of what it says before it is saved. */
export default function Editing({ of: r, close }: { of: Rule; close: () => void }) {
  const [version, read] = useState(r.version);
  const save = useAct({
    quiet: true,
    act: (v: { body: object; key: string; version: number }) =>
      ask<Rule>("PATCH", `/approval-rules/${r.id}`, { body: v.body, key: v.key, ifMatch: v.version }),
    changes: ["/approval-rules"],
  });
  const form = useForm(draftOf(r), async (v, key) => {
    await save.mutateAsync({ body: bodyOf(v, true), key, version });
    showToast(text.nameSavedOpenRequestsKeepTheir(v.name));
    close();
  });
  const body = () => ({ ...bodyOf(form.value), enabled: true });
  const again = async () => read((await ask<Rule>("GET", `/approval-rules/${r.id}`)).version);
  return (
    <>
      <EditConflict refused={form.refused} again={() => void again()} />
      <RuleEditor of={form} verb={text.save} cancel={close} id={r.id} />
      <TryOut body={body} id={r.id} />
      <Replay body={body} id={r.id} />
    </>
  );
}
