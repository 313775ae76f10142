import * as text from "#text/connectors";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";

const steps: Record<number, string> = { 2: text.connectionLower, 3: text.discovery, 4: text.mappingLower, 5: text.sync };

/** The step of the wizard at which a connector stands, as it is called in the address. */
export function useStep(id: string, asked: boolean): string {
  const wizard = useGet<Of<"Wizard">>(`/connectors/${id}/wizard`, {}, { enabled: asked });
  return steps[wizard.data?.step ?? 2] ?? "connection";
}
