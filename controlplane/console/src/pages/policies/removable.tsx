import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../kit/kit";

/** One part of a condition, which can be taken out of it, with what is wrong with it beneath. */
export function Removable({ children, words, drop, wrong }: { children: ReactNode; words: string; drop: () => void; wrong: ReactNode }) {
  return (
    <div className="cond-clause">
      <div className="condition-clause">
        {children}
        <Button reads tone="quiet" className="icon" aria-label={words} onClick={drop}>
          <X aria-hidden size={14} />
        </Button>
      </div>
      {wrong && (
        <small className="bad" role="alert">
          {wrong}
        </small>
      )}
    </div>
  );
}
