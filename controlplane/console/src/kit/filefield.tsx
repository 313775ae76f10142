import type { ReactNode } from "react";
import { Field } from "./fields";

type Props = { label: string; hint?: ReactNode; accept: string; error?: string | undefined; take: (file: File) => void };

/** A file to be read. The same one can be chosen again: it has been mended meanwhile. */
export function FileField({ label, hint, accept, error, take }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(id, described) => (
        <input
          id={id}
          type="file"
          accept={accept}
          aria-describedby={described}
          aria-invalid={error ? true : undefined}
          // A browser tells of a choice only when it is another one.
          onClick={(e) => {
            e.currentTarget.value = "";
          }}
          onChange={(e) => {
            const file = e.target.files?.[0];
            if (file) take(file);
          }}
        />
      )}
    </Field>
  );
}

/** What a file says now. A browser reads none that was written to after it was chosen. */
export async function contentOf(file: Blob): Promise<Blob> {
  try {
    return new Blob([await file.arrayBuffer()], { type: file.type });
  } catch {
    throw new Error("The file was changed or cannot be read. Select it again.");
  }
}
