import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/packs";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { SelectField } from "../../kit/form";
import { Button, Failure, Note, Part, Problems, Skeleton } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Parameters } from "./parameters";
import { Plan } from "./plan";
import { fitting, initialValues, type Values } from "./values";
import { type Pack, reachable } from "./words";

type Planned = Of<"PlannedChange">;

/** Chooses the parameters, shows what would change, and does exactly that. */
export function Install({ of: p }: { of: Pack }) {
  const here = p.installation?.state === "installed";
  const installation = useGet<Of<"PackInstallation">>(`/sector-packs/${p.key}/installation`, {}, { enabled: here });
  if (here && installation.isPending) return <Skeleton rows={4} />;
  if (here && !installation.data) return <Failure error={installation.error} retry={() => void installation.refetch()} />;
  return <Choosing of={p} installed={installation.data} />;
}

function Choosing({ of: p, installed }: { of: Pack; installed: Of<"PackInstallation"> | undefined }) {
  const navigate = useGo();
  const queries = useQueryClient();
  const [version, setVersion] = useState(p.version);
  const [values, setValues] = useState<Values>(() => initialValues(p.parameters, installed?.parameters as Values | undefined));
  const [plan, setPlan] = useState<{ for: string; of: Planned }>();
  const other = useGet<Of<"PackContent">>(`/sector-packs/${p.key}/versions/${version}`, {}, { enabled: version !== p.version });
  // Each version asks for its own; what was typed for another is kept for it, and not sent.
  const parameters = version === p.version ? p.parameters : other.data?.parameters;
  const asked = JSON.stringify({ version, parameters: fitting(parameters ?? [], values) });
  const shown = plan?.for === asked ? plan.of : undefined;
  const look = useAct({
    act: (_, key) => ask<Planned>("POST", `/sector-packs/${p.key}/plan`, { key, body: JSON.parse(asked) }),
    after: (of) => setPlan({ for: asked, of }),
    quiet: true,
  });
  const verb = installed ? (version === installed.version ? text.reinstall : text.upgradeToVersion(version)) : text.install;
  const versions = reachable(p.versions, installed?.version);
  const carryOut = useAct({
    act: (v: { confirm: string }, key) =>
      ask<Of<"PackInstallation">>("POST", `/sector-packs/${p.key}/${installed ? "upgrade" : "install"}`, {
        key,
        body: { ...JSON.parse(asked), confirm: v.confirm },
      }),
    changes: ["/sector-packs", "/entitlements", "/policies"],
    done: (r) => text.nameVersionIsInstalledWaiting(p.name, r.version, waiting(r.open_conflicts)),
    quiet: true,
    after: (r) => {
      // Who comes back here begins with what is installed now, not with what was kept of it before.
      queries.setQueryData([`/sector-packs/${p.key}/installation`, {}], r);
      void navigate({ to: ".", search: { part: r.open_conflicts > 0 ? "conflicts" : "installed" } });
    },
  });
  const refused = look.error ?? carryOut.error;
  const wrong = (pointer: string) =>
    refused instanceof Refusal
      ? refused.errors.find((w) => w.pointer === `#/${pointer}` || w.pointer?.startsWith(`#/${pointer}/`))?.detail
      : undefined;
  const moved = carryOut.error instanceof Refusal && carryOut.error.code === "plan_changed";
  return (
    <>
      <form
        className="stack form"
        onSubmit={(e) => {
          e.preventDefault();
          carryOut.reset();
          look.mutate();
        }}
      >
        {versions.length > 1 && (
          <SelectField
            label={text.version}
            value={version}
            set={(v: string) => setVersion(v)}
            options={versions.map((v) => [v, v === installed?.version ? text.vInstalled(v) : v] as const)}
          />
        )}
        {parameters ? (
          <Parameters of={parameters} value={fitting(parameters, values)} set={(v) => setValues({ ...values, ...v })} wrong={wrong} />
        ) : other.isError ? (
          <Failure error={other.error} retry={() => void other.refetch()} />
        ) : (
          <Skeleton rows={2} />
        )}
        <Problems of={look.error} />
        <div className="row">
          <Button type="submit" tone={shown ? "plain" : "primary"} disabled={look.isPending || !parameters}>
            {look.isPending ? text.calculating : text.previewChanges}
          </Button>
        </div>
      </form>
      {shown ? (
        <Part
          title={text.previewOfTheChanges}
          lead={text.theInstallationWasSimulatedNothingIs}
          actions={
            <Button
              tone="primary"
              disabled={carryOut.isPending || moved || shown.separation.role_conflicts.length > 0}
              onClick={() => carryOut.mutate({ confirm: shown.plan_hash })}
            >
              {carryOut.isPending ? text.saving : verb}
            </Button>
          }
        >
          <Problems of={carryOut.error} />
          {moved && <Note tone="warn">{text.theChangesAreDifferentNowPreview}</Note>}
          <Plan of={shown} />
        </Part>
      ) : (
        plan && <p className="muted small">{text.theDataHasChangedSinceThe}</p>
      )}
    </>
  );
}

const waiting = (conflicts: number) =>
  conflicts === 0 ? "" : conflicts === 1 ? text.oneConflictIsOpen : text.conflictsConflictsAreOpen(conflicts);
