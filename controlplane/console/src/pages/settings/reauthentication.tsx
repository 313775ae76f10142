import type { ReactNode } from "react";
import { Refusal } from "../../api/session";
import { plain } from "./password";

/** What is everybody's own, of those too who only read. */
export const OwnSettings = ({ children }: { children: ReactNode }) => (
  <div className="stack" data-reads="">
    {children}
  </div>
);

/** Has a refused password or code said in plain words. */
export async function reauthentication<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (e) {
    throw e instanceof Refusal && /^(invalid_credentials|invalid_otp|invalid_passkey|login_throttled)$/.test(e.code) ? plain(e) : e;
  }
}
