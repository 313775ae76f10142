import * as text from "#text/separation";
import { Button, Part } from "../../kit/kit";
import { type Simulating, SimulationResult } from "./simulation";

/** What a draft would change, on request, beside the form in which it is written. */
export function DraftImpact({ of: simulation, body }: { of: Simulating; body: object }) {
  return (
    <Part
      title={text.preview}
      lead={text.previewLead}
      actions={
        <Button reads disabled={simulation.busy} onClick={() => void simulation.run(body)}>
          {text.preview}
        </Button>
      }
    >
      <SimulationResult of={simulation} unsaved={JSON.stringify(body)} />
    </Part>
  );
}
