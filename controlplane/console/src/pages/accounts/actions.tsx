import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { SelectField, TextField } from "../../kit/form";
import { Menu } from "../../kit/menu";
import { Order, type Ordering } from "./order";

type Detail = Of<"AccountDetail">;

/** What an administrator can order of the system of an account, and say about it here. */
export function AccountActions({ of: a }: { of: Detail }) {
  const [doing, setDoing] = useState<Ordering | "keep">();
  const begin = (what: Ordering | "keep", words: string, danger = false) => ({ words, act: () => setDoing(what), danger });
  const close = () => setDoing(undefined);
  const gone = a.status === "deleted" || a.status === "missing";
  const writable = a.managed !== "protected" && !gone;
  return (
    <>
      <Menu
        words="Actions"
        of={[
          writable && !a.is_disabled && begin("disable", "Disable it"),
          writable && a.is_disabled === true && begin("enable", "Enable it"),
          writable && a.is_locked === true && begin("unlock", "Unlock it"),
          writable && begin("rename", "Rename or move it"),
          writable && begin("reset-password", "Reset its password"),
          !gone && begin("keep", "Say what it is, and how it is kept"),
          writable && begin("delete", "Delete it", true),
        ]}
      />
      {doing && doing !== "keep" && <Order of={a} what={doing} close={close} />}
      {doing === "keep" && <Keep of={a} close={close} />}
    </>
  );
}

const kinds = ["person", "privileged", "service", "shared", "system", "bot", "ai_agent", "break_glass", "unknown"] as const;

function Keep({ of: a, close }: { of: Detail; close: () => void }) {
  const [kind, setKind] = useState<string>(a.account_type ?? "unknown");
  const [kept, setKept] = useState<string>(a.managed ?? "managed");
  const [purpose, setPurpose] = useState(a.purpose ?? "");
  const save = useAct<void>({
    quiet: true,
    act: (_, key) =>
      ask("PATCH", `/accounts/${a.id}`, {
        body: { account_type: kind, managed: kept, purpose: purpose.trim() || null },
        key,
        ifMatch: a.version,
      }),
    done: "It is kept so.",
    changes: ["/accounts"],
  });
  return (
    <AskFirst open close={close} title="What it is, and how it is kept" verb="Save" act={() => save.mutateAsync()}>
      <SelectField label="Kind" value={kind} set={setKind} options={kinds.map((k) => [k as string, k.replaceAll("_", " ")] as const)} />
      <SelectField
        label="How it is kept"
        value={kept}
        set={setKept}
        options={[
          ["managed", "written by rules and by hand"],
          ["discovered", "found by a sync: rules write access, not attributes"],
          ["read_only", "read only: never written by rule"],
          ["unmanaged", "never written by rule"],
          ["protected", "protected: never written at all"],
        ]}
      />
      <TextField label="Purpose" value={purpose} set={setPurpose} rows={2} max={1000} hint="What it is for, where nobody owns it." />
    </AskFirst>
  );
}
