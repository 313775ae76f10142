import * as text from "#text/help";
/** How the pages of the documentation are put together: by who needs them. */
export const groups: { title: string; lead: string; pages: string[] }[] = [
  {
    title: text.everydayTasks,
    lead: text.requestAccessMakeDecisionsAndSee,
    pages: ["console", "requests", "catalog", "decisions", "access", "history", "glossary"],
  },
  {
    title: text.governance,
    lead: text.policiesRolesApprovalsAndProvisioning,
    pages: [
      "lifecycle",
      "roles",
      "policies",
      "decision-tables",
      "approvals",
      "approval-chains",
      "decision-kinds",
      "provisioning",
      "account-templates",
      "audit",
      "separation",
      "sector-packs",
    ],
  },
  {
    title: text.connectingSystems,
    lead: text.connectorsMappingsAndAgents,
    pages: ["onboarding", "connectors", "transforms", "administrators", "sign-in-rules", "passkeys", "notifications"],
  },
  { title: text.development, lead: text.forApiClientsAndContributors, pages: ["api", "webhooks", "agent-protocol", "journeys", "schema"] },
  {
    title: text.runningTheService,
    lead: text.forOperatorsOfADeployment,
    pages: ["operators", "work-queue", "backup", "scaling", "status", "dependencies"],
  },
];
