import type { Of } from "../../api/types";

export type Agent = Of<"Agent">;

const degraded: Record<string, string> = {
  clock_skew: "clock is off by more than two minutes",
  spool_nearly_full: "disk space for buffered data is nearly full",
  spool_failed: "disk cannot be written",
  version_below_minimum: "version is too old",
};

/** Why an agent is in the state it is in; empty where the state says all. */
export function why(a: Agent): string {
  if (a.state === "quarantined") return sentence(a.quarantine_reason || "used by two hosts");
  if (a.state === "revoked") return a.revoked_reason ?? "";
  if (a.state === "pending") return "Invited. Waiting for its host to enroll.";
  if (a.state === "registered") return "Enrolled. Not connected yet.";
  if (a.state === "draining") return "Takes no new tasks. Running tasks continue.";
  if (a.state === "disabled") return "Disabled by an administrator.";
  if (a.degraded_reasons.length > 0) return sentence(a.degraded_reasons.map((r) => degraded[r] ?? r.replaceAll("_", " ")).join(", and "));
  if (a.flapping) return "The connection is unstable.";
  return "";
}

const sentence = (s: string) => `${s.charAt(0).toUpperCase()}${s.slice(1)}.`;

/** Whether an agent can be given work: it is connected and takes tasks. */
export const ready = (a: Agent) => a.state === "online" || a.state === "degraded";

/** The address that an agent is enrolled at. A service that does not know its own public address gives an example; the browser knows one. */
export function addressIn(command: string, here: string): string {
  const told = /--url (\S+)/.exec(command)?.[1] ?? "";
  return told === "" || told.includes("grantwright.example.com") ? here : told;
}

/** How an agent comes to its host, by kind of host. */
export function installs(url: string): { key: string; words: string; command: string; after: string }[] {
  const data = "/var/lib/grantwright-agent";
  return [
    {
      key: "package",
      words: "Linux package",
      command: [
        "sudo apt install ./grantwright-agent_*.deb    # or: sudo dnf install ./grantwright-agent-*.rpm",
        `sudo -u grantwright-agent grantwright-agent enroll --url ${url} --data ${data} --token-stdin`,
        "sudo systemctl enable --now grantwright-agent",
      ].join("\n"),
      after: "The second command asks for the token: paste it, press Enter, then Ctrl+D.",
    },
    {
      key: "systemd",
      words: "Linux with systemd",
      command: [
        `sudo ./grantwright-agent enroll --url ${url} --data ${data} --token-stdin`,
        `sudo ./grantwright-agent service install --data ${data}`,
        "sudo ./grantwright-agent service start",
      ].join("\n"),
      after:
        "For a host without the package. The program is one file. The first command asks for the token: paste it, press Enter, then Ctrl+D.",
    },
    {
      key: "windows",
      words: "Windows",
      command: ["Unblock-File .\\*", `powershell -ExecutionPolicy Bypass -File .\\install.ps1 -Url ${url}`].join("\n"),
      after: "Run it in a PowerShell session as administrator, in the folder of the unpacked zip. It asks for the token.",
    },
  ];
}
