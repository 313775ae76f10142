import { useMemo } from "react";
import { encode } from "uqr";
import * as text from "#text/settings";

const rim = 4; // squares that must be white around it (ISO/IEC 18004)

/** A text as a QR code, such as the address of a second factor: some hundred bytes. */
export function Qr({ of }: { of: string }) {
  const { data, size } = useMemo(() => encode(of, { ecc: "M", border: rim }), [of]);
  const path = data.map((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")).join("")).join("");
  return (
    <svg role="img" aria-label={text.qrCodeForYourAuthenticatorApp} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
