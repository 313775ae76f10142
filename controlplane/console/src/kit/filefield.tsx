import type { ReactNode } from "react";
import { Field } from "./fields";

type Props = {
  label: string;
  hint?: ReactNode;
  accept: string;
  error?: string | undefined;
  /** Several files can be chosen at once, and are taken together. */
  multiple?: boolean;
  take: (...files: [File, ...File[]]) => void;
};

/** A file to be read. The same one can be chosen again: it has been mended meanwhile. */
export function FileField({ label, hint, accept, error, multiple, take }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(id, described) => (
        <input
          id={id}
          type="file"
          accept={accept}
          multiple={multiple}
          aria-describedby={described}
          aria-invalid={error ? true : undefined}
          // A browser tells of a choice only when it is another one.
          onClick={(e) => {
            e.currentTarget.value = "";
          }}
          onChange={(e) => {
            const [first, ...more] = e.target.files ?? [];
            if (first) take(first, ...more);
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

/** What a file says now, as base64. */
export async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await (await contentOf(file)).arrayBuffer());
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192)); // as many as a call can take
  return btoa(binary);
}
