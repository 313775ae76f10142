import { useState } from "react";
import * as text from "#text/syncruns";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Checks, TextField } from "../../kit/form";
import { Note, Text } from "../../kit/kit";
import type { Change } from "./change";
import { expected, type ReleaseFilter, type Shares, sharesOf, subsetOf } from "./subset";
import { guardWords, n } from "./words";

type Props = { run: Of<"Run">; holding: Of<"Holding">; close: () => void /** These changes alone. */; chosen?: Change[] };

/** Releases what is held, or a part of it: by kind, and within a kind by department or branch. The service counts again before it does anything. */
export function Release({ run, holding, close, chosen: picked }: Props) {
  const open = holding.items.filter((h) => h.held > 0);
  const [narrow, setNarrow] = useState<ReleaseFilter>({ kinds: open.map((h) => h.kind), departments: [], containers: [] });
  const [comment, setComment] = useState("");
  const [counted, setCounted] = useState<{ of: string; count: number }>();
  const at = `/connectors/${run.connector_id}/sync-runs/${run.id}`;
  const diff = useGet<Of<"Diff">>(`${at}/diff`);
  const shares = sharesOf(diff.data?.groups ?? [], narrow.kinds);
  const chosen = JSON.stringify(narrow);
  const count = counted?.of === chosen ? counted.count : (picked?.length ?? expected(open, shares, narrow));
  const subset = picked ? { external_ids: keysOf(picked, "external_id"), objects: keysOf(picked, "object") } : subsetOf(narrow);
  const whole = !picked && count === holding.held && narrow.departments.length === 0 && narrow.containers.length === 0;
  const samples = picked?.map((c) => c.display || c.external_id) ?? shares.samples;
  const release = useAct({
    act: async (_, key) => {
      try {
        return await ask<Of<"Released">>("POST", `${at}/release`, {
          key,
          body: { comment, digest: holding.digest, expected_count: count, ...(whole ? {} : { subset }) },
        });
      } catch (e) {
        if (e instanceof Refusal && e.code === "count_mismatch") setCounted({ of: chosen, count: Number(e.problem.count) });
        throw e;
      }
    },
    changes: ["/connectors", "/decision-tasks"],
    done: (r) => (r.held > 0 ? text.changesReleasedNStillHeld(r.released, n(r.held)) : text.changesReleased(r.released)),
    quiet: true,
  });
  return (
    <ConfirmDialog
      open
      wide
      close={close}
      title={text.releaseHeldChanges}
      lead={text.eachChangeIsCheckedAgainWhen}
      verb={text.applyChanges(count)}
      disabled={!comment.trim() || count < 1}
      act={() => release.mutateAsync()}
    >
      {!picked && (
        <Choice
          of={narrow}
          set={setNarrow}
          kinds={open.map((h) => [h.kind, `${guardWords(h.kind)} (${n(h.held)})`] as const)}
          shares={shares}
        />
      )}
      <Note tone={count === 0 ? "warn" : "info"}>
        {text.changesWouldBeAppliedNStay(count, n(Math.max(0, holding.held - count)))} {samples.length > 0 && <>{text.examples} </>}
        {samples.slice(0, 5).map((s, i) => (
          <span key={s}>
            {i > 0 && ", "}
            <Text of={s} />
          </span>
        ))}
      </Note>
      <TextField label={text.reason} hint={text.recordedInTheAuditLog} value={comment} set={setComment} required rows={2} max={1000} />
    </ConfirmDialog>
  );
}

const keysOf = (of: Change[], name: "external_id" | "object") => [...new Set(of.map((c) => c[name]))];

type ChoiceProps = { of: ReleaseFilter; set: (n: ReleaseFilter) => void; kinds: (readonly [string, string])[]; shares: Shares };

/** Which part is released: kinds, and within them departments and branches. */
function Choice({ of: narrow, set, kinds, shares }: ChoiceProps) {
  const named = (list: Shares["departments"]) => list.map((s) => [s.value, `${s.value} (${n(s.count)})`] as const);
  return (
    <>
      <Checks
        label={text.kindsOfChange}
        value={narrow.kinds}
        set={(chosen) => set({ kinds: chosen, departments: [], containers: [] })}
        options={kinds}
      />
      {shares.departments.length > 1 && (
        <Checks
          label={text.departmentsEmptyAll}
          value={narrow.departments}
          set={(departments) => set({ ...narrow, departments })}
          options={named(shares.departments)}
        />
      )}
      {shares.containers.length > 1 && (
        <Checks
          label={text.branchesIncludingEntriesBelowEmptyAll}
          value={narrow.containers}
          set={(containers) => set({ ...narrow, containers })}
          options={named(shares.containers)}
        />
      )}
    </>
  );
}
