import { Plus } from "lucide-react";
import { useMay } from "../api/use";
import { Button } from "./kit";

/** The button by which an administrator begins something new. Nobody else sees it. */
export function Add({ words, act }: { words: string; act: () => void }) {
  const may = useMay();
  if (!may.admin) return null;
  return (
    <Button tone="primary" onClick={act}>
      <Plus aria-hidden size={15} /> {words}
    </Button>
  );
}
