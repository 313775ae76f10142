import * as text from "#text/agents";
import type { Of } from "../../api/types";

export type Agent = Of<"Agent">;

const degraded: Record<string, string> = {
  clock_skew: text.clockIsOffByMoreThan,
  spool_nearly_full: text.diskSpaceForBufferedDataIs,
  spool_failed: text.diskCannotBeWritten,
  version_below_minimum: text.versionIsTooOld,
};

/** Why an agent is in the state it is in; empty where the state says all. */
export function why(a: Agent): string {
  if (a.state === "quarantined") return sentence(a.quarantine_reason || text.usedByTwoHosts);
  if (a.state === "revoked") return a.revoked_reason ?? "";
  if (a.state === "pending") return text.invitedWaitingForItsHostTo;
  if (a.state === "registered") return text.enrolledNotConnectedYet;
  if (a.state === "draining") return text.takesNoNewTasksRunningTasks;
  if (a.state === "disabled") return text.disabledByAnAdministrator;
  if (a.degraded_reasons.length > 0) return sentence(text.andList(a.degraded_reasons.map((r) => degraded[r] ?? r.replaceAll("_", " "))));
  if (a.flapping) return text.theConnectionIsUnstable;
  return "";
}

const sentence = (s: string) => `${s.charAt(0).toUpperCase()}${s.slice(1)}.`;

/** Whether an agent can be given work: it is connected and takes tasks. */
export const ready = (a: Agent) => a.state === "online" || a.state === "degraded";

/** The address that an agent is enrolled at. A service that does not know its own public address gives an example; the browser knows one. */
export function addressIn(command: string, here: string): string {
  const url = /--url (\S+)/.exec(command)?.[1] ?? "";
  return url === "" || url.includes("grantwright.example.com") ? here : url;
}

/** How an agent comes to its host, by kind of host. */
export function installs(url: string): { key: string; words: string; command: string; after: string }[] {
  const data = "/var/lib/grantwright-agent";
  return [
    {
      key: "package",
      words: text.linuxPackage,
      command: [
        "sudo apt install ./grantwright-agent_*.deb    # or: sudo dnf install ./grantwright-agent-*.rpm",
        `sudo -u grantwright-agent grantwright-agent enroll --url ${url} --data ${data} --token-stdin`,
        "sudo systemctl enable --now grantwright-agent",
      ].join("\n"),
      after: text.theSecondCommandAsksForThe,
    },
    {
      key: "systemd",
      words: text.linuxWithSystemd,
      command: [
        `sudo ./grantwright-agent enroll --url ${url} --data ${data} --token-stdin`,
        `sudo ./grantwright-agent service install --data ${data}`,
        "sudo ./grantwright-agent service start",
      ].join("\n"),
      after: text.forAHostWithoutThePackage,
    },
    {
      key: "windows",
      words: "Windows",
      command: [text.unblockFile, text.powershellInstallCommand(url)].join("\n"),
      after: text.runItInAPowershellSession,
    },
  ];
}
