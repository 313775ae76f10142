import type { Of } from "../../api/types";
import { useGet } from "../../api/use";

const steps: Record<number, string> = { 2: "connection", 3: "discovery", 4: "mapping", 5: "sync" };

/** The current step of a connector in the wizard, as the last part of its address. */
export function useStep(id: string, asked: boolean): string {
  const wizard = useGet<Of<"Wizard">>(`/connectors/${id}/wizard`, {}, { enabled: asked });
  return steps[wizard.data?.step ?? 2] ?? "connection";
}
