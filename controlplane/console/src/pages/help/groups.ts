/** How the pages of the documentation are put together: by who needs them. */
export const groups: { title: string; lead: string; pages: string[] }[] = [
  {
    title: "Everyday tasks",
    lead: "Request access, make decisions, and see who has which access and why.",
    pages: ["console", "requests", "catalogue", "decisions", "access", "history", "glossary"],
  },
  {
    title: "Governance",
    lead: "Policies, roles, approvals and provisioning.",
    pages: [
      "lifecycle",
      "roles",
      "policies",
      "approvals",
      "approval-chains",
      "decision-kinds",
      "provisioning",
      "account-templates",
      "audit",
      "sector-packs",
    ],
  },
  {
    title: "Connecting systems",
    lead: "Connectors, mappings and agents.",
    pages: ["onboarding", "connectors", "transforms", "administrators"],
  },
  { title: "Development", lead: "For API clients and contributors.", pages: ["api", "webhooks", "agent-protocol", "journeys", "schema"] },
  {
    title: "Running the service",
    lead: "For operators of a deployment.",
    pages: ["operators", "backup", "scaling", "status", "dependencies"],
  },
];
