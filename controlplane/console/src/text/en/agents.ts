import type { ReactNode } from "react";
import { type Insert, rich } from "../format";

// actions.tsx
export const deleteLabel = "Delete";
export const onlineDegradedOfflineRegistered = "online degraded offline registered";
export const newEnrollmentToken = "New enrollment token";
export const clearQuarantine = "Clear quarantine";
export const theAgentTakesTasksAgain = "The agent takes tasks again";
export const resume = "Resume";
export const theAgentCanConnectAgain = "The agent can connect again";
export const enable = "Enable";
export const more = "More";
export const edit = "Edit";
export const drain = "Drain";
export const theAgentGetsNoNewTasks = "The agent gets no new tasks";
export const disable = "Disable";
export const revoke = "Revoke";
export const disableName = (name: Insert) => `Disable ${name}?`;
export const effectOfDisabling = "The agent is disconnected at once. Its tasks go to another agent of the group, or wait.";
export const clearQuarantineQuestion = "Clear quarantine?";
export const twoHostsUsedTheIdentityOf =
  "Two hosts used the identity of this agent. Stop the copy first; the original agent then reconnects. If you cannot tell which host is right, create a new enrollment token instead.";
export const revokeName = (name: Insert) => `Revoke ${name}?`;
export const effectOfRevoking =
  "The agent is disconnected at once and stops. You cannot undo this. A new enrollment creates another agent.";
export const reason = "Reason";
export const deleteName = (name: Insert) => `Delete ${name}?`;
export const theAgentIsRemovedFromThe = "The agent is removed from the list. First change the connectors that use it.";
export const agentDeleted = "Agent deleted.";
export const createANewEnrollmentToken = "Create a new enrollment token?";
export const forANewHostOrTo =
  "For a new host, or to enroll this agent again. Earlier tokens stop working. An enrolled agent keeps working until another host enrolls with the token. That host gets the stored credentials of the connectors that use this agent or its group.";
export const create = "Create";
export const enrollName = (name: Insert) => `Enroll ${name}`;

// agent.tsx
export const agents = "Agents";
export const bytesMib = (bytes: Insert) => `${bytes} MiB`;
export const lastContact = "Last contact";
export const connectedSince = "Connected since";
export const version = "Version";
export const group = "Group";
export const host = "Host";
export const system = "System";
export const lastAddress = "Last address";
export const clock = "Clock";
export const lessThan1SOff = "less than 1 s off";
export const clockSkewMsSOff = (clockSkewMs: Insert) => `${clockSkewMs} s off`;
export const runningTasks = "Running tasks";
export const dataWaitingOnItsDisk = "Data waiting on its disk";
export const memory = "Memory";
export const tokenExpires = "Token expires";
export const identityKey = "Identity key";
export const sealingKey = "Sealing key";
export const registered = "Registered";
export const id = "ID";
export const connectedSystems = "Connected systems";
export const connectorsThatUseThisAgentOr = "Connectors that use this agent or its group.";
export const noConnectorUsesThisAgentYet = "No connector uses this agent yet.";
export const connectorsThatUseThisAgent = "Connectors that use this agent";
export const state = "State";
export const uses = "Uses";
export const lastSync = "Last sync";
export const thisAgent = "this agent";
export const itsGroup = "its group";

// edit.tsx
export const editName = (name: Insert) => `Edit ${name}`;
export const save = "Save";
export const name = "Name";
export const agentsOfOneGroupTakeOverHint = "Agents of one group take over tasks from each other. Leave empty for no group.";
export const description = "Description";

// invite.tsx
export const register = "Register";
export const forExampleTheNameOfThe = "For example the name of the site.";
export const groupOptional = "Group (optional)";
export const agentsOfOneGroupTakeOver = "Agents of one group take over tasks from each other.";
export const descriptionOptional = "Description (optional)";
export const copyTheTokenNowItIs = "Copy the token now: it is not shown again.";
export const strongItWorksForOneHost = (strong: ReactNode, enrollmentExpiresAt: ReactNode) =>
  rich`${strong} It works for one host and expires ${enrollmentExpiresAt}`;
export const copyTheToken = "Copy the token";
export const hostType = "Host type";
export const commandsWords = (words: Insert) => `Commands: ${words}`;
export const nameIsOnline = (name: ReactNode) => rich`${name} is online`;
export const onHostname = (hostname: ReactNode) => rich`on ${hostname}`;
export const versionVersion = (version: Insert) => `, version ${version}`;
export const enrolledWaitingForTheAgentTo = "Enrolled. Waiting for the agent to connect…";
export const waitingForTheHostToEnroll = "Waiting for the host to enroll and connect…";

// page.tsx
export const agent = "Agent";
export const programsInYourNetworkThatConnect =
  "Programs in your network that connect to systems behind your firewall. They only make outgoing connections.";
export const registerAnAgent = "Register an agent";
export const noAgentsYet = "No agents yet";
export const anAgentRunsOnOneHost =
  "An agent runs on one host near your systems. You need one only for systems that are not reachable from the internet.";
export const connectName = (name: Insert) => `Connect ${name}`;
export const close = "Close";
export const theAgentRunsInYourNetwork =
  "The agent runs in your network, connects to your systems, and makes outgoing connections to the control plane.";
export const yourSystems = "Your systems";
export const grantwright = "Grantwright";

// release.tsx
export const releaseTheStoredCredentialsOfThe = "Release the stored credentials of the group's connectors to this agent";

// words.ts
export const andList = (reasons: string[]) => reasons.join(", and ");
export const clockIsOffByMoreThan = "clock is off by more than two minutes";
export const diskSpaceForBufferedDataIs = "disk space for buffered data is nearly full";
export const diskCannotBeWritten = "disk cannot be written";
export const versionIsTooOld = "version is too old";
export const usedByTwoHosts = "used by two hosts";
export const invitedWaitingForItsHostTo = "Invited. Waiting for its host to enroll.";
export const enrolledNotConnectedYet = "Enrolled. Not connected yet.";
export const takesNoNewTasksRunningTasks = "Takes no new tasks. Running tasks continue.";
export const disabledByAnAdministrator = "Disabled by an administrator.";
export const theConnectionIsUnstable = "The connection is unstable.";
export const linuxPackage = "Linux package";
export const theSecondCommandAsksForThe = "The second command asks for the token: paste it, press Enter, then Ctrl+D.";
export const linuxWithSystemd = "Linux with systemd";
export const forAHostWithoutThePackage =
  "For a host without the package. The program is one file. The first command asks for the token: paste it, press Enter, then Ctrl+D.";
export const unblockFile = "Unblock-File .\\*";
export const powershellInstallCommand = (url: Insert) => `powershell -ExecutionPolicy Bypass -File .\\install.ps1 -Url ${url}`;
export const runItInAPowershellSession =
  "Run it in a PowerShell session as administrator, in the folder of the unpacked zip. It asks for the token.";
